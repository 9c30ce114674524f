import { expect, test } from 'vitest';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { type PipeSettings, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import type { CommonStatus } from '../../src/kinds/shared/common-status.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
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
    const spec = {
      organizationId: 'o',
      serviceId: 's',
      pipeId: name,
      settings: { engine_max_threads: 4 },
    };
    kube.create(pipeSettingsType, `ns/${name}`, {
      spec: { ...spec, credentialsSecretRef: { name } },
    });
  };
  const statusOf = (name: string) =>
    (kube.get(pipeSettingsType, `ns/${name}`) as PipeSettings).status;
  const says = (name: string, reason: string) =>
    eventually(() => expect(statusOf(name)?.conditions?.[0]?.reason).toBe(reason));
  const { end, standBy } = await startOnFakes(kube, api.url);
  createSecret('tried');
  create('tried');
  await says('tried', 'Unauthorized');
  await standBy(() => {
    kube.edit(SECRET, 'ns/tried', {
      data: { keyId: btoa('tried'), keySecret: btoa('another secret') },
    });
    const lastRequest = {
      ...statusOf('tried')?.lastRequest,
      time: new Date().toISOString(),
      requestId: 'of another',
    };
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

test('who leads again keeps to the time on record, whatever slot it was given before another process had tried', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  const create = (pipeId: string, secret = 'key') => {
    const spec = {
      organizationId: 'o',
      serviceId: 's',
      pipeId,
      settings: { engine_max_threads: 4 },
    };
    kube.create(pipeSettingsType, `ns/${pipeId}`, {
      spec: { ...spec, credentialsSecretRef: { name: secret } },
    });
  };
  const statusOf = (name: string) =>
    (kube.get(pipeSettingsType, `ns/${name}`) as PipeSettings).status;
  for (const name of ['key', 'other'])
    kube.create(SECRET, `ns/${name}`, { data: { keyId: btoa(name), keySecret: btoa('secret') } });
  const { end, standBy, told, waiting } = await startOnFakes(kube, api.url, [
    '--api-in-flight',
    '1',
  ]);
  api.together = 2;
  create('first');
  await eventually(() => expect(api.paths).toHaveLength(1));
  create('next');
  await eventually(() => expect(waiting()).toBe(1));
  const leadsAgain = standBy(async () => {
    kube.edit(pipeSettingsType, 'ns/next', { status: refusedFor(10 * 60_000) });
    await eventually(() =>
      expect(told('PipeSettings', 'ns/next')?.status).toHaveProperty('lastRequest'),
    );
  });
  // Answers the first call: the slot falls to the next object, which nobody visits any more.
  await fetch(api.url);
  await leadsAgain;
  create('fence', 'other');
  await eventually(() => expect(statusOf('fence')?.conditions?.[0]?.reason).toBe('Applied'));
  expect(api.paths.map((path) => path.split('/').at(-2))).not.toContain('next');
  await end();
  api.close();
  await kube.stop();
});

test('who leads again goes on with an attempt that waited for its slot when the lead was lost', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  api.result = { name: 'Other', privateEndpoints: [] };
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  kube.create(organizationType, 'ns/one', {
    spec: { ...PLACE, name: 'Acme', privateEndpoints: [] },
  });
  const { end, standBy, waiting } = await startOnFakes(kube, api.url, ['--api-rate', '1/1s']);
  await eventually(() => expect(waiting()).toBe(1));
  await standBy(() => undefined);
  await eventually(() => expect(api.bodies).toHaveLength(2));
  // What was seen then may be old by now.
  expect(api.bodies[1]).toEqual(api.bodies[0]);
  await end();
  api.close();
  await kube.stop();
});

/** What a process writes whose key was refused just now. */
function refusedFor(waitMs: number): object {
  const time = new Date().toISOString();
  const said = {
    reason: 'Unauthorized',
    message: 'refused',
    observedGeneration: 1,
    lastTransitionTime: time,
  };
  return {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'False', ...said },
      { type: 'Stalled', status: 'True', ...said },
    ],
    lastRequest: { operation: 'by another', httpStatus: 401, outcome: 'Rejected', time },
    attempts: 5,
    nextAttemptTime: new Date(Date.now() + waitMs).toISOString(),
  };
}

const PLACE = {
  organizationId: '0b1d7c1e-0000-4000-8000-000000000001',
  credentialsSecretRef: { name: 'key' },
};

test.each([
  {
    type: pipeSettingsType,
    spec: (threads: number) => ({
      ...PLACE,
      serviceId: 's',
      pipeId: 'p',
      settings: { engine_max_threads: threads },
    }),
  },
  { type: organizationType, spec: (count: number) => ({ ...PLACE, name: `Name ${count}` }) },
])(
  'who leads again waits for what another process has sent meanwhile without an answer: $type.kind',
  async ({ type, spec }) => {
    const kube = await new FakeKubeServer().start();
    const api = await startPlainApi();
    const statusOf = () => kube.get(type, 'ns/one')?.status as CommonStatus | undefined;
    const says = (generation: number, reason: string) =>
      eventually(() => {
        expect(statusOf()?.observedGeneration).toBe(generation);
        expect(statusOf()?.conditions?.[0]?.reason).toBe(reason);
      });
    kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
    kube.create(type, 'ns/one', { spec: spec(1) });
    const { end, standBy } = await startOnFakes(kube, api.url);
    await says(1, 'Applied');
    await standBy(() => {
      kube.edit(type, 'ns/one', { spec: spec(2) });
      const lastRequest = {
        operation: 'by another',
        outcome: 'Unknown',
        time: new Date().toISOString(),
      };
      const conditions = statusOf()?.conditions?.map((one) => ({
        ...one,
        reason: 'OutcomeUnknown',
        observedGeneration: 2,
      }));
      kube.edit(type, 'ns/one', {
        status: { ...statusOf(), conditions, observedGeneration: 2, lastRequest },
      });
      kube.edit(type, 'ns/one', { spec: spec(3) });
    });
    await says(3, 'OutcomeUnknown');
    expect(statusOf()?.lastRequest?.outcome).toBe('Succeeded');
    await end();
    api.close();
    await kube.stop();
  },
);

test('who may not be sure to lead sends nothing, and what was not sent is sent when he may again', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startPlainApi();
  let isSure = false;
  let asked = 0;
  const { end, standBy } = await startOnFakes(kube, api.url, [], () => {
    asked += 1;
    return isSure;
  });
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  const credentialsSecretRef = { name: 'key' };
  kube.create(pipeSettingsType, 'ns/a', {
    spec: {
      organizationId: 'o',
      serviceId: 's',
      pipeId: 'p',
      credentialsSecretRef,
      settings: { engine_max_threads: 4 },
    },
  });
  await eventually(() => expect(asked).toBeGreaterThan(0));
  await standBy(() => {
    expect(api.paths).toEqual([]);
    isSure = true;
  });
  await eventually(() => expect(api.paths).toHaveLength(1));
  await end();
  api.close();
  await kube.stop();
});
