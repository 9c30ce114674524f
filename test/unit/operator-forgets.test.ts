import { expect, test } from 'vitest';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { SECRET } from '../../src/kube/secrets.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes, startPlainApi } from '../support/operator-on-fakes.ts';

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
  kube.remove(pipeSettingsType, 'ns/a');
  expect(guarded.size).toBe(1);
  kube.remove(pipeSettingsType, 'ns/b');
  await eventually(() => expect(guarded.size).toBe(0));
  await end();
  api.close();
  await kube.stop();
});
