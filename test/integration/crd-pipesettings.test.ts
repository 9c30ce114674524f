import { beforeAll, describe, expect, test } from 'vitest';
import { parseSpec, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
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
import { answersTo, refusedFor, TAKEN } from '../support/crd-answers.ts';

/**
 * That the API server keeps the CRD's bounds as the parser does. The bounds themselves, and that
 * the parser takes what the CRD takes, are for unit tests.
 */

const IDS = ['organizationId', 'serviceId', 'pipeId'] as const;

let namespace: string;
beforeAll(async () => {
  await installCrd('pipesettings');
  namespace = await newNamespace();
});

const answers = (spec: unknown) =>
  answersTo(spec, { namespace, type: pipeSettingsType, parseSpec });

/** Every setting, each with what this gives for its lowest and its highest value. */
function settingsOf(value: (min: number, max: number) => unknown) {
  const entries = settingNames.map((name) => {
    const setting = SETTINGS[name];
    return [name, setting.type === 'boolean' ? value(0, 1) : value(setting.min, setting.max)];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

const isFlag = (name: string): boolean =>
  SETTINGS[name as keyof typeof SETTINGS].type === 'boolean';
const withFlags = (settings: Readonly<Record<string, unknown>>, flag: boolean) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, isFlag(name) ? flag : value]),
  );

describe('settings', () => {
  test('are taken at both limits, all of them together', async () => {
    for (const [settings, flag] of [
      [settingsOf((min) => min), false],
      [settingsOf((_, max) => max), true],
    ] as const)
      expect(await answers({ ...goodSpec, settings: withFlags(settings, flag) })).toEqual(TAKEN);
  });

  test.for<[string, (min: number, max: number) => unknown]>([
    ['below the lowest', (min) => min - 1],
    ['above the highest', (_, max) => max + 1],
    ['text', () => '5'],
    ['5.5', () => 5.5],
    ['a list', () => [5]],
  ])('%s are refused, each by name', async ([, value]) => {
    const settings = settingsOf(value);
    const fields = settingNames.map((name) => `spec.settings.${name}`);
    expect(await answers({ ...goodSpec, settings })).toEqual(refusedFor(...fields));
  });

  test('none is refused', async () => {
    for (const settings of [undefined, {}, null])
      expect(await answers({ ...goodSpec, settings })).toEqual(refusedFor('spec.settings'));
  });

  test('an unknown one is refused under strict validation, and by kubectl apply on both sides', async () => {
    const typo = { ...goodSpec, settings: { engine_max_threads: 8, engine_max_thread: 8 } };
    const { status, json } = await tryCreate(namespace, typo);
    expect({ status, message: json.message }).toEqual({
      status: 400,
      message: expect.stringContaining('unknown field "spec.settings.engine_max_thread"'),
    });
    const text = JSON.stringify(pipeSettings('typo', typo));
    const apply = ['-n', namespace, '-f', '-'];
    expect(await complaint(['apply', ...apply], text)).toContain('engine_max_thread');
    expect(await complaint(['apply', '--server-side', ...apply], text)).toContain(
      '.spec.settings.engine_max_thread: field not declared in schema',
    );
  });
});

describe('the rest of spec', () => {
  test('is taken as it is, with all that may be left out', async () => {
    const ref = { name: 'a.b-c', keyIdKey: 'ID', keySecretKey: 'my.secret_1' };
    const ids = { organizationId: 'A.b_c~d-e', serviceId: 'a'.repeat(128), pipeId: '0123' };
    for (const more of [
      { suspend: true, mode: 'Apply', reassertInterval: '10m' },
      { suspend: false, mode: 'Plan', reassertInterval: '1.5h0.5m' },
    ])
      expect(await answers({ ...goodSpec, ...ids, ...more, credentialsSecretRef: ref })).toEqual(
        TAKEN,
      );
    expect((await tryCreate(namespace, goodSpec)).json.spec).toEqual(goodSpec);
  });

  test.for<[string, Readonly<Record<string, unknown>>]>([
    ['missing', Object.fromEntries(IDS.map((id) => [id, undefined]))],
    ['no text', { organizationId: 5, serviceId: null, pipeId: ['a'] }],
    [
      'too long, empty, of a blank',
      { organizationId: 'a'.repeat(129), serviceId: '', pipeId: 'a b' },
    ],
    ['parts of a path', { organizationId: '..', serviceId: 'a/b', pipeId: 'a%2fb' }],
    ['with odd characters', { organizationId: 'é', serviceId: 'a\n', pipeId: '-a' }],
  ])('ids are refused that are %s', async ([, ids]) => {
    expect(await answers({ ...goodSpec, ...ids })).toEqual(
      refusedFor(...IDS.map((id) => `spec.${id}`)),
    );
  });

  test.for<[string, Readonly<Record<string, unknown>>]>([
    ['spec.credentialsSecretRef', { credentialsSecretRef: undefined }],
    ['spec.credentialsSecretRef.name', { credentialsSecretRef: { name: 'Not/One' } }],
    [
      'spec.credentialsSecretRef.keyIdKey',
      { credentialsSecretRef: { name: 'a', keyIdKey: 'a b' } },
    ],
    ['spec.suspend', { suspend: 'yes' }],
    ['spec.mode', { mode: 'plan' }],
    ['spec.reassertInterval', { reassertInterval: '9m59s' }],
    ['spec.reassertInterval', { reassertInterval: '8760h1s' }],
    ['spec.reassertInterval', { reassertInterval: '1d' }],
    ['spec.reassertInterval', { reassertInterval: 600 }],
  ])('%s is refused: %j', async ([field, part]) => {
    expect(await answers({ ...goodSpec, ...part })).toEqual(refusedFor(field));
  });

  test('the Secret is of the same namespace', async () => {
    const credentialsSecretRef = { name: 'a', namespace: 'kube-system' };
    const { status, json } = await tryCreate(namespace, { ...goodSpec, credentialsSecretRef });
    expect(status).toBe(400);
    expect(json.message).toContain('unknown field "spec.credentialsSecretRef.namespace"');
  });
});

test('an id cannot change, vanish or be null, and everything else may', async () => {
  const manifest = (spec: object): string => JSON.stringify(pipeSettings('fixed', spec));
  const apply = ['-n', namespace, '-f', '-'];
  await succeed(['apply', ...apply], manifest(goodSpec));
  const patch = (type: string, body: unknown) =>
    complaint([
      'patch',
      'pset',
      'fixed',
      '-n',
      namespace,
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
    ]);
  const changed = { ...goodSpec, organizationId: 'b', serviceId: 'b', pipeId: 'b' };
  for (const refusal of [
    await patch('merge', { spec: changed }),
    await complaint(['apply', ...apply], manifest(changed)),
    await complaint(['replace', ...apply], manifest(changed)),
    await complaint(['apply', '--server-side', '--force-conflicts', ...apply], manifest(changed)),
  ])
    for (const id of IDS)
      expect(refusal).toMatch(
        new RegExp(`spec.${id}: .*is immutable; create another object for another`),
      );
  expect(await patch('merge', { spec: { pipeId: null } })).toContain('spec.pipeId');
  expect(await patch('json', [{ op: 'remove', path: '/spec' }])).toContain('spec');
  const next = {
    ...goodSpec,
    credentialsSecretRef: { name: 'another' },
    settings: { object_storage_concurrency: 3 },
    suspend: true,
    mode: 'Plan',
    reassertInterval: '24h',
  };
  const stored = await succeed(['apply', ...apply, '-o', 'json'], manifest(next));
  expect(JSON.parse(stored)).toMatchObject({ spec: next });
});
