import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/cluster.ts';
import { createEvents } from '../../src/kube/events.ts';
import type { KubeObject, ResourceType } from '../../src/kube/resource.ts';
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

const type: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };

let admin: KubeClient;

beforeAll(async () => {
  admin = createKubeClient(await loadCluster(controlPlane.adminKubeconfig));
});

afterAll(() => admin.close());

async function anObject(namespace: string): Promise<KubeObject> {
  await applyYaml('{apiVersion: v1, kind: ConfigMap, metadata: {name: orders}}', namespace);
  return getJson<KubeObject>(['configmap', 'orders', '-n', namespace]);
}

function eventsOf(client: KubeClient, instance = 'pipewright-0') {
  const { log, messages } = recordingLog();
  const { emit, flush } = createEvents(client, systemClock, log, instance);
  const say = (object: KubeObject, reason: string, note: string): Promise<void> => {
    emit(object, type, { type: 'Warning', reason, note });
    return flush();
  };
  return { say, messages };
}

/**
 * Waits until so many were sent to the API server, taken or refused: `flush` has its own patience.
 */
async function sent(namespace: string, count: number): Promise<void> {
  const creates = () => audit({ namespace, resource: 'events', verb: 'create' });
  await waitFor(creates, { what: `${count} events`, until: ({ length }) => length >= count });
}

describe.concurrent('events', () => {
  test('are shown by kubectl with the object that they are about', async () => {
    const namespace = await newNamespace();
    const object = await anObject(namespace);
    const { say, messages } = eventsOf(admin);
    await say(object, 'Rejected', 'The API refused 5.5');
    await sent(namespace, 1);
    expect(messages).toEqual([]);
    const { stdout } = await kubectl(['events', '-n', namespace, '--for', 'configmap/orders']);
    expect(stdout).toMatch(/Warning +Rejected +ConfigMap\/orders +The API refused 5\.5/);
    expect(await audit({ namespace, resource: 'events', verb: 'create' })).toHaveLength(1);
  });

  test('are taken by the server however long their parts are', async () => {
    const namespace = await newNamespace();
    const { metadata, ...rest } = await anObject(namespace);
    const object = { ...rest, metadata: { ...metadata, name: 'n'.repeat(253) } };
    const { say, messages } = eventsOf(admin, 'i'.repeat(128));
    await say(object, 'R'.repeat(128), 'ü🙂'.repeat(1_000));
    await sent(namespace, 1);
    expect(messages).toEqual([]);
    const { items } = await getJson<{ items: { note: string }[] }>([
      'events.events.k8s.io',
      '-n',
      namespace,
    ]);
    expect(items.map(({ note }) => note.slice(0, 3))).toEqual(['ü🙂']);
  });

  test('need the one rule of the README; without it the server says who needs it', async () => {
    const namespace = await newNamespace();
    const object = await anObject(namespace);
    const own = createKubeClient(
      await loadCluster(await serviceAccountKubeconfig(namespace, 'operator')),
    );
    const { say, messages } = eventsOf(own);
    await say(object, 'Applied', 'first');
    await say(object, 'Applied', 'second');
    await sent(namespace, 2);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(`system:serviceaccount:${namespace}:operator`);
    expect(messages[0]).toContain('cannot create resource');
    await applyYaml(role, namespace);
    let tries = 0;
    const count = async (): Promise<number> => {
      await say(object, 'Applied', `third ${(tries += 1)}`);
      return (await getJson<{ items: unknown[] }>(['events.events.k8s.io', '-n', namespace])).items
        .length;
    };
    await waitFor(count, { what: 'the Role to hold' });
    await own.close();
  });

  test('into a namespace that is going away are nothing to speak of', async () => {
    const namespace = await newNamespace();
    const object = await anObject(namespace);
    const { say, messages } = eventsOf(admin);
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await say(object, 'Applied', 'too late');
    await waitFor(() => messages.length, { what: 'a word on it' });
    expect(messages.map((message) => message.split(' ')[0])).toEqual(['debug']);
  });
});

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: pipewright-events }
rules:
  - { apiGroups: [events.k8s.io], resources: [events], verbs: [create] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: pipewright-events }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: pipewright-events }
subjects: [{ kind: ServiceAccount, name: operator }]
`;
