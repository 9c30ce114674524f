import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { createElection, type Election } from '../../src/kube/lease/election.ts';
import { LEASE, type Lease } from '../../src/kube/lease/lease-record.ts';
import { objectPath } from '../../src/kube/resource.ts';
import {
  applyYaml,
  audit,
  controlPlane,
  getJson,
  kubectl,
  newNamespace,
  serviceAccountKubeconfig,
  waitFor,
} from '../controlplane/client.ts';
import { recordingLog } from '../support/recording-log.ts';

let client: KubeClient;

beforeAll(async () => {
  client = createKubeClient(await loadCluster({ kubeconfig: controlPlane.adminKubeconfig }));
});

afterAll(() => client.close());

interface Candidate {
  readonly election: Election;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly messages: string[];
  /**
   * From now on nothing that it sends arrives, nor does its watch: as if it was killed without a
   * word.
   */
  readonly cut: () => void;
  startedAt?: number;
  lost?: string;
}

function start(namespace: string, identity: string, real: KubeClient = client): Candidate {
  let isCut = false;
  const wire: KubeClient = {
    ...real,
    request: (call) =>
      isCut
        ? Promise.reject(new KubeError({ call: 'cut', status: 0, reason: 'NoAnswer', body: '' }))
        : real.request(call),
    stream: (call) => real.stream(call),
  };
  const { log, messages } = recordingLog();
  const stop = new AbortController();
  const election = createElection({
    client: wire,
    clock: systemClock,
    log,
    namespace,
    name: 'pipewright',
    identity,
    onStarted: () => {
      candidate.startedAt = performance.now();
    },
    onLost: (why) => {
      candidate.lost = why;
    },
  });
  const cut = (): void => {
    isCut = true;
  };
  const candidate: Candidate = { election, stop, messages, cut, ended: election.run(stop.signal) };
  return candidate;
}

function leaseOf(namespace: string): Promise<Lease> {
  return getJson<Lease>(['lease', 'pipewright', '-n', namespace]);
}

function leading(candidate: Candidate): Promise<number> {
  return waitFor(() => candidate.startedAt ?? 0, { what: 'the candidate to lead' });
}

describe.concurrent('two processes at one Lease', () => {
  test('the first leads, and after its release the second does within 2 s', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'a');
    await leading(a);
    const first = await leaseOf(namespace);
    expect(first.spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    expect(first.spec?.acquireTime).toMatch(/\.\d{6}Z$/);
    const b = start(namespace, 'b');
    await waitFor(() => b.messages.join(), {
      what: 'b to stand by',
      until: (text) => text.includes('standing by'),
    });
    expect(b.election.isLeader()).toBe(false);
    const released = performance.now();
    a.stop.abort();
    await a.ended;
    expect((await leading(b)) - released).toBeLessThan(2_000);
    expect(a.election.mayStartCall()).toBe(false);
    expect((await leaseOf(namespace)).spec).toMatchObject({
      holderIdentity: 'b',
      leaseTransitions: 1,
    });
    b.stop.abort();
    await b.ended;
    expect((await leaseOf(namespace)).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
    });
  });

  test('the second leads within 20 s of the death of the first, which has stopped before', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'a');
    await leading(a);
    const b = start(namespace, 'b');
    await waitFor(() => b.messages.join(), {
      what: 'b to stand by',
      until: (text) => text.includes('standing by'),
    });
    const died = performance.now();
    a.cut();
    const ended = a.ended.then(() => performance.now());
    const tookOver = await leading(b);
    expect(a.lost).toContain('could not be renewed for 10 s');
    expect(await ended).toBeLessThan(tookOver - 4_000);
    expect(tookOver - died).toBeLessThan(20_000);
    b.stop.abort();
    await b.ended;
  });

  test('a Lease that is deleted under its holder is made again, and nobody else gets it', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'a');
    await leading(a);
    const before = await leaseOf(namespace);
    const b = start(namespace, 'b');
    await waitFor(() => b.messages.join(), {
      what: 'b to stand by',
      until: (text) => text.includes('standing by'),
    });
    await client.request({ method: 'DELETE', path: objectPath(LEASE, namespace, 'pipewright') });
    const after = await waitFor(() => leaseOf(namespace), { what: 'the Lease to be made again' });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec).toMatchObject({
      holderIdentity: 'a',
      acquireTime: before.spec?.acquireTime,
      leaseTransitions: 0,
    });
    expect([a.lost, b.startedAt]).toEqual([undefined, undefined]);
    for (const one of [a, b]) one.stop.abort();
    await Promise.all([a.ended, b.ended]);
  });

  test('the rules of the README are enough, and one that is missing is named', async () => {
    const namespace = await newNamespace();
    const kubeconfig = await serviceAccountKubeconfig(namespace, 'pipewright');
    const own = createKubeClient(await loadCluster({ kubeconfig }));
    const a = start(namespace, 'a', own);
    const said = await waitFor(() => a.messages.join('\n'), { what: 'a complaint' });
    expect(said).toContain(
      'resources: ["leases"], resourceNames: ["pipewright"], verbs: ["get", "list", "watch", "update"]',
    );
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

  test('a leader writes 30 renewals a minute, and a standby that hears them sends nothing', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'a');
    await leading(a);
    const b = start(namespace, 'b');
    const verbs = async () =>
      (await audit({ namespace, resource: 'leases' })).map(({ verb }) => verb);
    await waitFor(verbs, {
      what: 'b to have listed the Lease, and a renewal after that',
      until: (seen) =>
        seen.includes('list') && seen.lastIndexOf('update') > seen.lastIndexOf('list'),
    });
    const from = Date.now();
    await waitFor(() => Date.now() - from, { what: 'ten seconds', until: (ms) => ms >= 10_000 });
    const calls = (await audit({ namespace, resource: 'leases' })).filter(
      ({ received }) => received >= from && received < from + 10_000,
    );
    expect(calls.map(({ verb }) => verb)).toEqual(
      Array.from({ length: calls.length }, () => 'update'),
    );
    expect([4, 5, 6]).toContain(calls.length);
    for (const one of [a, b]) one.stop.abort();
    await Promise.all([a.ended, b.ended]);
  });

  test('kubectl shows who leads', async () => {
    const namespace = await newNamespace();
    const a = start(namespace, 'pipewright-0_1');
    await leading(a);
    expect((await kubectl(['get', 'lease', '-n', namespace])).stdout).toMatch(
      /pipewright +pipewright-0_1/,
    );
    a.stop.abort();
    await a.ended;
  });
});

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: pipewright-election }
rules:
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create] }
  - { apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [pipewright], verbs: [get, list, watch, update] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: pipewright-election }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: pipewright-election }
subjects: [{ kind: ServiceAccount, name: pipewright }]
`;
