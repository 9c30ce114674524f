import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseSpec } from '../../src/kinds/pipe-settings/resource.ts';
import { SETTINGS, settingNames } from '../../src/kinds/pipe-settings/settings.ts';
import { newNamespace } from '../controlplane/client.ts';
import {
  complaint,
  goodSpec,
  installCrd,
  pipeSettings,
  succeed,
  tryCreate,
} from '../support/crd.ts';

/**
 * What the API document says, written down a second time: a slip in the table of src shows here.
 */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  streaming_max_insert_wait_ms: [500, 60_000],
  object_storage_concurrency: [1, 35],
  object_storage_polling_interval_ms: [100, 3_600_000],
  object_storage_max_insert_bytes: [10_485_760, 53_687_091_200],
  object_storage_max_file_count: [1, 10_000],
  engine_max_threads: [0, 64],
  engine_max_insert_threads: [0, 16],
  engine_min_insert_block_size_bytes: [0, 1_073_741_824],
  engine_max_download_threads: [0, 32],
  engine_parallel_distributed_insert_select: [0, 2],
};
const BOOLEANS = ['object_storage_use_cluster_function', 'engine_parallel_view_processing'];

let namespace: string;

beforeAll(async () => {
  await installCrd('pipesettings');
  namespace = await newNamespace();
});

/** What the API server and the parser say to the same spec. */
async function answers(spec: unknown) {
  const { status, json } = await tryCreate(namespace, spec);
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

const withSettings = (settings: unknown) => ({ ...goodSpec, settings });
const without = (field: keyof typeof goodSpec) => ({ ...goodSpec, [field]: undefined });

describe('settings', () => {
  test('the tables hold the same twelve', () => {
    expect([...Object.keys(RANGES), ...BOOLEANS]).toEqual(settingNames);
    expect(settingNames.filter((name) => SETTINGS[name].type === 'boolean')).toEqual(BOOLEANS);
  });

  test.for(Object.entries(RANGES))(
    '%s is taken at both limits and refused beyond',
    async ([name, [min, max]]) => {
      expect(await answers(withSettings({ [name]: min }))).toEqual(taken);
      expect(await answers(withSettings({ [name]: max }))).toEqual(taken);
      expect(await answers(withSettings({ [name]: min - 1 }))).toEqual(
        refused(`spec.settings.${name}`),
      );
      expect(await answers(withSettings({ [name]: max + 1 }))).toEqual(
        refused(`spec.settings.${name}`),
      );
    },
  );

  test.for(Object.keys(RANGES))('%s is refused as text, boolean, 5.5 or list', async (name) => {
    for (const value of ['5', true, 5.5, [5], 1e300])
      expect(await answers(withSettings({ [name]: value }))).toEqual(
        refused(`spec.settings.${name}`),
      );
  });

  test.for(BOOLEANS)('%s takes true and false only', async (name) => {
    for (const value of [true, false])
      expect(await answers(withSettings({ [name]: value }))).toEqual(taken);
    for (const value of ['true', 1, 0])
      expect(await answers(withSettings({ [name]: value }))).toEqual(
        refused(`spec.settings.${name}`),
      );
  });

  test('all twelve together are taken', async () => {
    expect(
      await answers(
        withSettings(
          Object.fromEntries(settingNames.map((name) => [name, RANGES[name]?.[1] ?? true])),
        ),
      ),
    ).toEqual(taken);
  });

  test('none is refused', async () => {
    expect(await answers(without('settings'))).toEqual(refused('spec.settings'));
    expect(await answers(withSettings({}))).toEqual(refused('spec.settings'));
    expect(await answers(withSettings(null))).toEqual(refused('spec.settings'));
  });

  test('an unknown one is refused under strict validation', async () => {
    const { status, json } = await tryCreate(
      namespace,
      withSettings({ engine_max_threads: 8, engine_max_thread: 8 }),
    );
    expect({ status, message: json.message }).toEqual({
      status: 400,
      message: expect.stringContaining('unknown field "spec.settings.engine_max_thread"'),
    });
  });

  test('an unknown one is refused by kubectl apply, by the client and by the server', async () => {
    const manifest = JSON.stringify(
      pipeSettings('typo', withSettings({ engine_max_threads: 8, engine_max_thread: 8 })),
    );
    expect(await complaint(['apply', '-n', namespace, '-f', '-'], manifest)).toContain(
      'engine_max_thread',
    );
    expect(
      await complaint(['apply', '--server-side', '-n', namespace, '-f', '-'], manifest),
    ).toContain('.spec.settings.engine_max_thread: field not declared in schema');
  });
});

describe('the rest of spec', () => {
  test('spec itself is required', async () => {
    expect(await answers(undefined)).toEqual(refused('spec'));
  });

  test.for(['organizationId', 'serviceId', 'pipeId'] as const)(
    '%s is an id that needs no encoding',
    async (field) => {
      const longest = 'a'.repeat(128);
      for (const id of ['a', '0', longest, 'A.b_c~d-e', '0123'])
        expect(await answers({ ...goodSpec, [field]: id })).toEqual(taken);
      const absurd = [
        '',
        `${longest}a`,
        'a b',
        '../x',
        '.',
        '..',
        'a/b',
        'a%2fb',
        'é',
        'a\n',
        '🙂',
        '-a',
        5,
        null,
        ['a'],
      ];
      for (const id of absurd)
        expect(await answers({ ...goodSpec, [field]: id })).toEqual(refused(`spec.${field}`));
      expect(await answers(without(field))).toEqual(refused(`spec.${field}`));
    },
  );

  test('the Secret is named, and only in the same namespace', async () => {
    expect(
      await answers({
        ...goodSpec,
        credentialsSecretRef: { name: 'a.b-c', keyIdKey: 'ID', keySecretKey: 'my.secret_1' },
      }),
    ).toEqual(taken);
    expect(await answers(without('credentialsSecretRef'))).toEqual(
      refused('spec.credentialsSecretRef'),
    );
    expect(await answers({ ...goodSpec, credentialsSecretRef: {} })).toEqual(
      refused('spec.credentialsSecretRef.name'),
    );
    expect(await answers({ ...goodSpec, credentialsSecretRef: { name: '' } })).toEqual(
      refused('spec.credentialsSecretRef.name'),
    );
    expect(await answers({ ...goodSpec, credentialsSecretRef: { name: 'Not/One' } })).toEqual(
      refused('spec.credentialsSecretRef.name'),
    );
    expect(
      await answers({ ...goodSpec, credentialsSecretRef: { name: 'a', keyIdKey: 'a b' } }),
    ).toEqual(refused('spec.credentialsSecretRef.keyIdKey'));
    const { status, json } = await tryCreate(namespace, {
      ...goodSpec,
      credentialsSecretRef: { name: 'a', namespace: 'kube-system' },
    });
    expect(status).toBe(400);
    expect(json.message).toContain('unknown field "spec.credentialsSecretRef.namespace"');
  });

  test('reassertInterval is a duration from 10m to 8760h', async () => {
    for (const text of ['10m', '8760h', '24h', '1h30m', '0.5h', '600s', '1.5h0.5m', '525600m'])
      expect(await answers({ ...goodSpec, reassertInterval: text })).toEqual(taken);
    const bad = [
      '9m59s',
      '8760h1s',
      '9.99m',
      '1d',
      'P1D',
      '+10m',
      '-10m',
      '10',
      '',
      'daily',
      '10m ',
      '10M',
      '1h 5m',
      600,
      '9999999h',
    ];
    for (const text of bad)
      expect(await answers({ ...goodSpec, reassertInterval: text })).toEqual(
        refused('spec.reassertInterval'),
      );
  });

  test('suspend is a boolean, mode one of two words', async () => {
    for (const suspend of [true, false])
      expect(await answers({ ...goodSpec, suspend })).toEqual(taken);
    for (const mode of ['Apply', 'Plan'])
      expect(await answers({ ...goodSpec, mode })).toEqual(taken);
    expect(await answers({ ...goodSpec, suspend: 'yes' })).toEqual(refused('spec.suspend'));
    expect(await answers({ ...goodSpec, mode: 'plan' })).toEqual(refused('spec.mode'));
    expect(await answers({ ...goodSpec, mode: '' })).toEqual(refused('spec.mode'));
  });

  test('no field is filled in that the user left out', async () => {
    const { json } = await tryCreate(namespace, goodSpec);
    expect(json.spec).toEqual(goodSpec);
  });
});

describe('identity', () => {
  test.for(['organizationId', 'serviceId', 'pipeId'] as const)(
    '%s cannot change, vanish or be null',
    async (field) => {
      const name = `fixed-${field.toLowerCase()}`;
      const changed = { ...goodSpec, [field]: 'other' };
      await succeed(
        ['apply', '-n', namespace, '-f', '-'],
        JSON.stringify(pipeSettings(name, goodSpec)),
      );
      const patch = (type: string, body: unknown) =>
        complaint([
          'patch',
          'pset',
          name,
          '-n',
          namespace,
          `--type=${type}`,
          '-p',
          JSON.stringify(body),
        ]);

      const complaints = [
        await patch('merge', { spec: { [field]: 'other' } }),
        await complaint(
          ['apply', '-n', namespace, '-f', '-'],
          JSON.stringify(pipeSettings(name, changed)),
        ),
        await complaint(
          ['replace', '-n', namespace, '-f', '-'],
          JSON.stringify(pipeSettings(name, changed)),
        ),
        await complaint(
          ['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'],
          JSON.stringify(pipeSettings(name, changed)),
        ),
      ];
      for (const refusal of complaints) {
        expect(refusal).toContain(`spec.${field}`);
        expect(refusal).toContain('is immutable; create another object for another');
      }
      expect(await patch('merge', { spec: { [field]: null } })).toContain(`spec.${field}`);
      expect(await patch('json', [{ op: 'remove', path: `/spec/${field}` }])).toContain(
        `spec.${field}`,
      );
      expect(await patch('json', [{ op: 'remove', path: '/spec' }])).toContain('spec');
    },
  );

  test('everything else may change', async () => {
    await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(pipeSettings('free', goodSpec)),
    );
    const next = {
      ...goodSpec,
      credentialsSecretRef: { name: 'another' },
      settings: { object_storage_concurrency: 3 },
      suspend: true,
      mode: 'Plan',
      reassertInterval: '24h',
    };
    await succeed(
      ['apply', '-n', namespace, '-f', '-'],
      JSON.stringify(pipeSettings('free', next)),
    );
    const stored = JSON.parse(
      await succeed(['get', 'pset', 'free', '-n', namespace, '-o', 'json']),
    );
    expect(stored.spec).toEqual(next);
  });
});
