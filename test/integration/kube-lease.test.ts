import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/cluster.ts';
import { createElection, type Election, type Lease } from '../../src/kube/lease.ts';
import {
  applyYaml,
  controlPlane,
  getJson,
  newNamespace,
  serviceAccountKubeconfig,
  waitFor,
} from '../controlplane/client.ts';
import { recordingLog } from '../support/recording-log.ts';

let client: KubeClient;

beforeAll(async () => {
  client = createKubeClient(await loadCluster(controlPlane.adminKubeconfig));
});

afterAll(() => client.close());

interface Candidate {
  readonly election: Election;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly messages: string[];
  startedAt?: number;
}

function start(namespace: string, identity: string, real: KubeClient = client): Candidate {
  const { log, messages } = recordingLog();
  const stop = new AbortController();
  const work = async (signal: AbortSignal): Promise<void> => {
    candidate.startedAt = performance.now();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const names = { namespace, name: 'pipewright', identity };
  const election = createElection(real, systemClock, log, names);
  const ended = Promise.resolve().then(() => election.run(stop.signal, work));
  const candidate: Candidate = { election, stop, messages, ended };
  return candidate;
}

function leaseOf(namespace: string): Promise<Lease> {
  return getJson<Lease>(['lease', 'pipewright', '-n', namespace]);
}

function leading(candidate: Candidate): Promise<number> {
  return waitFor(() => candidate.startedAt ?? 0, { what: 'the candidate to lead' });
}

describe.concurrent('two processes at one Lease', () => {
  test('the first leads, and after its release the second does at its next look', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'a');
    await leading(a);
    const first = await leaseOf(namespace);
    expect(first.spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
    });
    const b = start(namespace, 'b');
    await waitFor(() => b.messages.join(), {
      what: 'b to stand by',
      until: (text) => text.includes('standing by'),
    });
    expect(b.election.isLeader()).toBe(false);
    const released = performance.now();
    a.stop.abort();
    await a.ended;
    expect((await leading(b)) - released).toBeLessThan(3_000);
    expect(a.election.mayStartCall()).toBe(false);
    expect((await leaseOf(namespace)).spec).toMatchObject({
      holderIdentity: 'b',
    });
    b.stop.abort();
    await b.ended;
    expect((await leaseOf(namespace)).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
    });
  });

  test('the rules of the README are enough, and of one that is missing the server says who needs it', async () => {
    const namespace = await newNamespace();
    const kubeconfig = await serviceAccountKubeconfig(namespace, 'pipewright');
    const own = createKubeClient(await loadCluster(kubeconfig));
    const a = start(namespace, 'a', own);
    const said = await waitFor(() => a.messages.join('\n'), { what: 'a complaint' });
    expect(said).toContain(`system:serviceaccount:${namespace}:pipewright`);
    expect(said).toContain('cannot get resource');
    await applyYaml(role, namespace);
    await leading(a);
    const b = start(namespace, 'b', own);
    await waitFor(() => b.messages.join(), {
      what: 'b to stand by',
      until: (text) => text.includes('standing by'),
    });
    a.stop.abort();
    await leading(b);
    expect(b.messages.filter((message) => message.startsWith('warn'))).toEqual([]);
    b.stop.abort();
    await Promise.all([a.ended, b.ended]);
    await own.close();
  });
});

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: pipewright-election }
rules:
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [pipewright], verbs: [get, update] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: pipewright-election }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: pipewright-election }
subjects: [{ kind: ServiceAccount, name: pipewright }]
`;
