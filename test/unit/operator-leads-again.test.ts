import { expect, test } from 'vitest';
import { type PipeSettings, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { SECRET } from '../../src/kube/secret-state.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes, startPlainApi } from '../support/operator-on-fakes.ts';

test('who leads again keeps to the time that another process put on record after it had tried the new Secret', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  api.status = 401;
  const createSecret = (name: string) =>
    kube.create(SECRET, `ns/${name}`, { data: { keyId: btoa(name), keySecret: btoa('secret') } });
  const create = (name: string) => {
    const spec = { organizationId: 'o', serviceId: 's', pipeId: name, settings: { engine_max_threads: 4 } };
    kube.create(pipeSettingsType, `ns/${name}`, { spec: { ...spec, credentialsSecretRef: { name } } });
  };
  const statusOf = (name: string) => (kube.get(pipeSettingsType, `ns/${name}`) as PipeSettings).status;
  const says = (name: string, reason: string) =>
    eventually(() => expect(statusOf(name)?.conditions?.[0]?.reason).toBe(reason));
  const { end, standBy } = await startOnFakes(kube, api.url);
  createSecret('tried');
  create('tried');
  await says('tried', 'Unauthorized');
  await standBy(() => {
    kube.edit(SECRET, 'ns/tried', { data: { keyId: btoa('tried'), keySecret: btoa('another secret') } });
    const lastRequest = { ...statusOf('tried')?.lastRequest, time: new Date().toISOString(), requestId: 'of another' };
    kube.edit(pipeSettingsType, 'ns/tried', { status: { ...statusOf('tried'), lastRequest } });
  });
  // By then all of that has been heard of.
  create('fence');
  await says('fence', 'SecretNotFound');
  createSecret('fence');
  await says('fence', 'Unauthorized');
  expect(api.paths.map((path) => path.split('/').at(-2))).toEqual(['tried', 'fence']);
  await end();
  api.close();
  await kube.stop();
});
