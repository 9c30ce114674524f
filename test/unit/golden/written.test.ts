import { afterEach, beforeEach, expect, test } from 'vitest';
import { pipeSettingsType } from '../../../src/kinds/pipe-settings/resource.ts';
import { SECRET } from '../../../src/kube/secrets/secret-state.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeKubeServer } from '../../support/fake-kube-server.ts';
import { type PlainApi, startOnFakes, startPlainApi } from '../../support/operator-on-fakes.ts';

/** The writes of a whole operator about one object, as the server of the cluster gets them. */

let kube: FakeKubeServer;
let api: PlainApi;
let operator: Awaited<ReturnType<typeof startOnFakes>>;

beforeEach(async () => {
  kube = await new FakeKubeServer().start();
  api = await startPlainApi();
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  operator = await startOnFakes(kube, api.url, ['--api-rate', '0']);
});

afterEach(async () => {
  await operator.end();
  api.close();
  await kube.stop();
});

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;
const MICRO_TIME = expect.stringMatching(/^[-\d]{10}T[:\d]{8}\.\d{6}Z$/) as unknown;
const TEXT = expect.any(String) as unknown;

test('a status and an event', async () => {
  api.status = 403;
  const spec = {
    organizationId: 'o',
    serviceId: 's',
    pipeId: 'p',
    credentialsSecretRef: { name: 'key' },
    settings: { engine_max_threads: 4 },
  };
  const { uid, resourceVersion } = kube.create(pipeSettingsType, 'ns/orders', { spec }).metadata;
  const writes = () => kube.calls.filter(({ method }) => method !== 'GET');
  await eventually(() => expect(writes()).toHaveLength(2));
  const condition = {
    lastTransitionTime: TIME,
    message: TEXT,
    observedGeneration: 1,
    reason: 'Forbidden',
  };
  const about = { name: 'orders', namespace: 'ns', uid, resourceVersion };
  expect(writes()).toEqual([
    {
      method: 'PUT',
      path: '/apis/pipewright.dev/v1alpha1/namespaces/ns/pipesettings/orders/status',
      watch: false,
      body: {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: 'PipeSettings',
        metadata: about,
        status: {
          observedGeneration: 1,
          conditions: [
            { type: 'Ready', status: 'False', ...condition },
            { type: 'Stalled', status: 'True', ...condition },
          ],
          lastRequest: {
            operation: 'UpdatePipeSettings',
            requestId: 'r',
            httpStatus: 403,
            outcome: 'Rejected',
            time: TIME,
            message: TEXT,
          },
          attempts: 1,
          nextAttemptTime: TIME,
        },
      },
    },
    {
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/ns/events',
      watch: false,
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: {
          namespace: 'ns',
          name: expect.stringMatching(/^orders\.[0-9a-f]{16}$/) as unknown,
        },
        eventTime: MICRO_TIME,
        reportingController: 'pipewright.dev/pipewright',
        reportingInstance: 'test',
        regarding: {
          apiVersion: 'pipewright.dev/v1alpha1',
          kind: 'PipeSettings',
          ...about,
        },
        type: 'Warning',
        action: 'Reconcile',
        reason: TEXT,
        note: TEXT,
      },
    },
  ]);
});
