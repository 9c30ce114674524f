import { expect, test, vi } from 'vitest';
import { type PipeSettings, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { SECRET } from '../../src/kube/secrets.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes, startPlainApi } from '../support/operator-on-fakes.ts';

const NAMES = ['a', 'b', 'c'];

test('as soon as one call with a refused key works, every object of the key goes on, the one with a wait of its own too', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  api.status = 401;
  api.together = 2;
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  const { end } = await startOnFakes(kube, api.url);
  const spec = { organizationId: 'o', serviceId: 's', credentialsSecretRef: { name: 'key' } };
  for (const name of NAMES)
    kube.create(pipeSettingsType, `ns/${name}`, {
      spec: { ...spec, pipeId: name, settings: { engine_max_threads: 4 } },
    });
  const statusOf = (name: string) =>
    (kube.get(pipeSettingsType, `ns/${name}`) as PipeSettings).status;
  const reasons = () => NAMES.map((name) => statusOf(name)?.conditions?.[0]?.reason);
  await eventually(() => expect(reasons()).toEqual(NAMES.map(() => 'Unauthorized')));
  // Calls were under way together, so that more than one object was refused itself; one is next.
  expect(api.paths.length).toBeGreaterThan(1);
  expect(NAMES.filter((name) => statusOf(name)?.nextAttemptTime)).toHaveLength(1);
  api.status = 200;
  kube.edit(pipeSettingsType, 'ns/a', {
    annotations: { 'pipewright.dev/reconcile-requested-at': 'now' },
  });
  // Sooner than by a wait of its own, which is of 24 s at least.
  await vi.waitFor(() => expect(reasons()).toEqual(NAMES.map(() => 'Applied')), {
    timeout: 20_000,
  });
  await end();
  api.close();
  await kube.stop();
});

test('a probe of a refused key that got no answer is tried again at once, and nothing is said of other objects', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  api.status = 401;
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  const { end } = await startOnFakes(kube, api.url);
  kube.create(pipeSettingsType, 'ns/a', {
    spec: {
      organizationId: 'o',
      serviceId: 's',
      pipeId: 'p',
      credentialsSecretRef: { name: 'key' },
      settings: { engine_max_threads: 4 },
    },
  });
  const statusOf = () => (kube.get(pipeSettingsType, 'ns/a') as PipeSettings).status;
  await eventually(() => expect(statusOf()?.conditions?.[0]?.reason).toBe('Unauthorized'));
  api.status = 'reset';
  kube.edit(pipeSettingsType, 'ns/a', {
    annotations: { 'pipewright.dev/reconcile-requested-at': 'now' },
  });
  await eventually(() => expect(statusOf()?.conditions?.[0]?.reason).toBe('OutcomeUnknown'));
  api.status = 200;
  // The first wait of its class is of 1.2 s at most, that of the gate's next turn of 36 s at least.
  await vi.waitFor(() => expect(statusOf()?.conditions?.[0]?.reason).toBe('Applied'), {
    timeout: 20_000,
  });
  expect(kube.statusWrites).toHaveLength(3);
  await end();
  api.close();
  await kube.stop();
});

test('a refused key that comes back into the Secret is tried at once, and nothing says before that it was refused', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  const { end } = await startOnFakes(kube, api.url);
  const put = (id: string) =>
    kube.edit(SECRET, 'ns/key', { data: { keyId: btoa(id), keySecret: btoa('a secret') } });
  const ready = () => (kube.get(pipeSettingsType, 'ns/a') as PipeSettings).status?.conditions?.[0];
  const says = (reason: string) => eventually(() => expect(ready()?.reason).toBe(reason));
  const edit = (engine_max_threads: number) => {
    const ids = {
      organizationId: 'o',
      serviceId: 's',
      pipeId: 'p',
      credentialsSecretRef: { name: 'key' },
    };
    const spec = { ...ids, settings: { engine_max_threads } };
    if (kube.get(pipeSettingsType, 'ns/a')) kube.edit(pipeSettingsType, 'ns/a', { spec });
    else kube.create(pipeSettingsType, 'ns/a', { spec });
  };
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('first'), keySecret: btoa('a secret') } });
  api.status = 401;
  edit(1);
  await says('Unauthorized');
  put('second');
  await eventually(() => expect(api.paths).toHaveLength(2));
  api.status = 200;
  put('first');
  await says('Applied');
  expect(api.paths).toHaveLength(3);
  await end();
  api.close();
  await kube.stop();
});

test('a refused key that stands in Secrets of many namespaces is not tried for each of them', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  api.status = 401;
  const { end } = await startOnFakes(kube, api.url, ['--api-rate', '0']);
  const namespaces = Array.from({ length: 20 }, (_, n) => `ns${n}`);
  const spec = { organizationId: 'o', serviceId: 's', credentialsSecretRef: { name: 'key' } };
  for (const ns of namespaces) {
    kube.create(SECRET, `${ns}/key`, { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
    kube.create(pipeSettingsType, `${ns}/a`, {
      spec: { ...spec, pipeId: ns, settings: { engine_max_threads: 4 } },
    });
  }
  const reasonIn = (ns: string) =>
    (kube.get(pipeSettingsType, `${ns}/a`) as PipeSettings).status?.conditions?.[0]?.reason;
  await eventually(() =>
    expect(namespaces.map(reasonIn)).toEqual(namespaces.map(() => 'Unauthorized')),
  );
  // As many as may be under way together.
  expect(api.paths.length).toBeLessThanOrEqual(4);
  await end();
  api.close();
  await kube.stop();
});
