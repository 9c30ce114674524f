import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { createKubeClient } from '../../src/kube/client/client.ts';
import type { SecretState } from '../../src/kube/secrets/secret-state.ts';
import { createSecrets, type Secrets } from '../../src/kube/secrets/secrets.ts';
import {
  applyYaml,
  kubectl,
  newNamespace,
  serviceAccountKubeconfig,
  waitFor,
} from '../controlplane/client.ts';
import { recordingLog } from '../support/recording-log.ts';

interface World {
  readonly secrets: Secrets;
  readonly changes: string[];
  readonly end: () => Promise<void>;
}

async function world(kubeconfig: string): Promise<World> {
  const client = createKubeClient(await loadCluster({ kubeconfig }));
  const stop = new AbortController();
  const changes: string[] = [];
  const secrets = createSecrets({
    client,
    clock: systemClock,
    log: recordingLog().log,
    signal: stop.signal,
    onChange: (_, name) => changes.push(name),
  });
  const end = (): Promise<void> => {
    stop.abort();
    return client.close();
  };
  return { secrets, changes, end };
}

function firstAnswer(secrets: Secrets, namespace: string, name: string): Promise<SecretState> {
  return waitFor(() => secrets.state(namespace, name), {
    what: `the first word on ${name}`,
    until: ({ state }) => state !== 'unknown',
  });
}

/**
 * A ServiceAccount of its own that may use the Secret `api` and no other, once the API server has
 * heard of its Role.
 */
async function restricted(namespace: string): Promise<string> {
  await applyYaml(role, namespace);
  const kubeconfig = await serviceAccountKubeconfig(namespace, 'operator');
  const ask = () =>
    kubectl(['auth', 'can-i', 'get', 'secrets/api', '-n', namespace], undefined, kubeconfig);
  await waitFor(ask, { what: 'the Role to hold', until: ({ code }) => code === 0 });
  return kubeconfig;
}

async function put(namespace: string, name: string, text: string): Promise<void> {
  await applyYaml(
    `{apiVersion: v1, kind: Secret, metadata: {name: ${name}}, stringData: {keyId: ${text}}}`,
    namespace,
  );
}

describe.concurrent('referred Secrets', () => {
  test('a Role for one name is enough, and the Secret is followed through its life', async () => {
    const namespace = await newNamespace();
    const { secrets, changes, end } = await world(await restricted(namespace));
    const before = Date.now();
    secrets.refer('a', namespace, 'api');
    expect(await firstAnswer(secrets, namespace, 'api')).toEqual({ state: 'absent' });
    changes.length = 0;
    await put(namespace, 'api', 'one');
    const state = await waitFor(() => secrets.state(namespace, 'api'), {
      what: 'the Secret to appear',
      until: (seen) => seen.state === 'present',
    });
    expect(state).toMatchObject({ type: undefined });
    expect('changedAt' in state && state.changedAt).toBeGreaterThan(before - 2_000);
    const first = await secrets.read(namespace, 'api', ['keyId']);
    expect(first).toMatchObject({ state: 'present', type: 'Opaque', data: { keyId: btoa('one') } });
    await put(namespace, 'api', 'two');
    await waitFor(() => changes.length, { what: 'the change', until: (count) => count === 2 });
    expect(await secrets.read(namespace, 'api', ['keyId'])).toMatchObject({
      data: { keyId: btoa('two') },
    });
    await kubectl(['delete', 'secret', 'api', '-n', namespace]);
    await put(namespace, 'api', 'three');
    await waitFor(() => changes.length, {
      what: 'both to be noticed',
      until: (count) => count === 4,
    });
    expect(await secrets.read(namespace, 'api', ['keyId'])).toMatchObject({
      data: { keyId: btoa('three') },
    });
    await end();
  });

  test('without the right it names the rule, and goes on by itself once that is there', async () => {
    const namespace = await newNamespace();
    const kubeconfig = await serviceAccountKubeconfig(namespace, 'operator');
    await put(namespace, 'api', 'one');
    const { secrets, changes, end } = await world(kubeconfig);
    secrets.refer('a', namespace, 'api');
    const user = `system:serviceaccount:${namespace}:operator`;
    expect(await firstAnswer(secrets, namespace, 'api')).toEqual({
      state: 'forbidden',
      message: `${user} may not list secrets "api" in namespace "${namespace}"; add to a Role in namespace "${namespace}" bound to ${user} the rule {apiGroups: [""], resources: ["secrets"], resourceNames: ["api"], verbs: ["get", "list", "watch"]}`,
    });
    changes.length = 0;
    await applyYaml(role, namespace);
    await waitFor(() => changes.length, { what: 'the right to be noticed' });
    expect(await secrets.read(namespace, 'api', ['keyId'])).toMatchObject({
      data: { keyId: btoa('one') },
    });
    await end();
  });
});

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: pipewright-secrets }
rules:
  - { apiGroups: [""], resources: [secrets], resourceNames: [api], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: pipewright-secrets }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: pipewright-secrets }
subjects: [{ kind: ServiceAccount, name: operator }]
`;
