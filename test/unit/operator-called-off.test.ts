import { expect, test } from 'vitest';
import { type PipeSettings, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { digestOf } from '../../src/kinds/shared/canonical.ts';
import { SECRET } from '../../src/kube/secrets.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes, startPlainApi } from '../support/operator-on-fakes.ts';

const KEY = { keyId: btoa('canary-id'), keySecret: btoa('canary-secret') };

/** An object for a pipe of its own name. */
const aSpec = (pipeId: string, secret: string, more: object = {}) => ({
  organizationId: 'o',
  serviceId: 's',
  pipeId,
  credentialsSecretRef: { name: secret },
  settings: { engine_max_threads: 4 },
  ...more,
});

/** The Secret `slow` is answered when the test says so. */
function holdSecret(kube: FakeKubeServer) {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  kube.fate = async ({ method, path, watch }) => {
    if (method !== 'GET' || watch || !path.endsWith('/secrets/slow')) return undefined;
    asked.resolve();
    await answered.promise;
    return undefined;
  };
  return { asked, answered };
}

test('nothing leaves for an object while whose Secret was read another one came to hold its target', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  kube.create(SECRET, 'ns/slow', { data: KEY });
  kube.create(SECRET, 'other/quick', { data: KEY });
  const { asked, answered } = holdSecret(kube);
  kube.create(pipeSettingsType, 'ns/waits', { spec: aSpec('one', 'slow') });
  const { end } = await startOnFakes(kube, api.url);
  await asked.promise;
  kube.create(pipeSettingsType, 'other/holds', {
    spec: aSpec('one', 'quick'),
    status: { verified: { time: '2026-03-01T12:00:00Z', apiHash: digestOf(api.url) } },
  });
  const statusOf = (key: string) => (kube.get(pipeSettingsType, key) as PipeSettings).status;
  await eventually(() => expect(statusOf('other/holds')?.applied).toBeDefined());
  expect(api.paths).toHaveLength(1);
  answered.resolve();
  await eventually(() =>
    expect(statusOf('ns/waits')?.conditions?.[0]?.reason).toBe('TargetConflict'),
  );
  expect(api.paths).toHaveLength(1);
  await end();
  api.close();
  await kube.stop();
});

test('nothing leaves for objects that were suspended, edited, deleted or made anew while their Secret was read', async () => {
  const names = ['suspended', 'edited', 'deleted', 'anew'];
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  kube.create(SECRET, 'ns/slow', { data: KEY });
  kube.create(SECRET, 'ns/quick', { data: KEY });
  const { asked, answered } = holdSecret(kube);
  for (const name of names)
    kube.create(pipeSettingsType, `ns/${name}`, { spec: aSpec(name, 'slow') });
  const { end } = await startOnFakes(kube, api.url);
  await asked.promise;
  kube.edit(pipeSettingsType, 'ns/suspended', {
    spec: aSpec('suspended', 'slow', { suspend: true }),
  });
  kube.edit(pipeSettingsType, 'ns/edited', { spec: aSpec('edited', 'slow', { mode: 'Plan' }) });
  kube.remove(pipeSettingsType, 'ns/deleted');
  kube.remove(pipeSettingsType, 'ns/anew');
  kube.create(pipeSettingsType, 'ns/anew', { spec: aSpec('anew', 'slow', { suspend: true }) });
  // Its event comes last, so where it is acted on the others have been heard.
  kube.create(pipeSettingsType, 'ns/last', { spec: aSpec('last', 'quick') });
  const reasonOf = (name: string) =>
    (kube.get(pipeSettingsType, `ns/${name}`) as PipeSettings | undefined)?.status?.conditions?.[0]
      ?.reason;
  await eventually(() => expect(reasonOf('last')).toBe('Applied'));
  answered.resolve();
  await eventually(() =>
    expect(names.map(reasonOf)).toEqual(['Suspended', 'Planned', undefined, 'Suspended']),
  );
  expect(api.paths).toEqual([expect.stringContaining('/pipes/last/')]);
  await end();
  api.close();
  await kube.stop();
});
