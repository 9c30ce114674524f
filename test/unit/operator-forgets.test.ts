import { expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes, startPlainApi } from '../support/operator-on-fakes.ts';

test('nothing is kept of a Secret whose last object goes while it is read', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  kube.create(SECRET, 'ns/key', {
    data: { keyId: btoa('canary-id'), keySecret: btoa('canary-secret') },
  });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  kube.fate = async ({ path }) => {
    if (!path.endsWith('/secrets/key')) return undefined;
    asked.resolve();
    await answer.promise;
    return undefined;
  };
  const { guarded, end } = await startOnFakes(kube, api.url);
  const spec = {
    organizationId: 'o',
    serviceId: 's',
    pipeId: 'p',
    credentialsSecretRef: { name: 'key' },
  };
  kube.create(pipeSettingsType, 'ns/a', { spec: { ...spec, settings: { engine_max_threads: 4 } } });
  await asked.promise;
  await eventually(() => expect(kube.openWatches).toBe(definitions.length + 1));
  kube.remove(pipeSettingsType, 'ns/a');
  await eventually(() => expect(kube.openWatches).toBe(definitions.length));
  answer.resolve();
  await end();
  expect(guarded.size).toBe(0);
  api.close();
  await kube.stop();
});

test('what was made of a Secret goes with the last object that refers to it', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  kube.create(SECRET, 'ns/key', {
    data: { keyId: btoa('canary-id'), keySecret: btoa('canary-secret') },
  });
  const { guarded, end } = await startOnFakes(kube, api.url);
  const spec = { organizationId: 'o', serviceId: 's', credentialsSecretRef: { name: 'key' } };
  const settings = { engine_max_threads: 4 };
  for (const name of ['a', 'b'])
    kube.create(pipeSettingsType, `ns/${name}`, { spec: { ...spec, pipeId: name, settings } });
  await eventually(() => expect(kube.statusWrites).toHaveLength(2));
  expect(guarded.size).toBe(1);
  // One for each kind, and that of the Secret, which is opened beside the calls.
  const watches = definitions.length + 1;
  await eventually(() => expect(kube.openWatches).toBe(watches));
  kube.remove(pipeSettingsType, 'ns/a');
  kube.remove(pipeSettingsType, 'ns/b');
  await eventually(() => expect(kube.openWatches).toBe(watches - 1));
  expect(guarded.size).toBe(0);
  await end();
  api.close();
  await kube.stop();
});
