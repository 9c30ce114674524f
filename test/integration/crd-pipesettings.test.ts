import { beforeAll, describe, expect, test } from 'vitest';
import { parseSpec, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { isNumber, RANGES, names as settingNames } from '../../src/kinds/pipe-settings/settings.ts';
import { newNamespace } from '../controlplane/client.ts';
import {
  complaint,
  goodSpec,
  installCrd,
  pipeSettings,
  succeed,
  tryCreate,
} from '../support/crd.ts';
import { answersTo, inWords, refusedFor, TAKEN } from '../support/crd-answers.ts';

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
    const { min, max } = isNumber(name) ? RANGES[name] : { min: 0, max: 1 };
    return [name, value(min, max)];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

const withFlags = (settings: Readonly<Record<string, unknown>>, flag: boolean) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, isNumber(name) ? value : flag]),
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

describe('additionalSettings', () => {
  const withMore = (additionalSettings: unknown) => ({ ...goodSpec, additionalSettings });

  test.for<[string, object]>([
    ['of each type', { a: '', b: 'x'.repeat(256), c: 0, d: -(2 ** 53) + 1, e: true, f: false }],
    [
      'twenty, with the longest names',
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`n${index}`.padEnd(64, '_'), index]),
      ),
    ],
    ['none', {}],
  ])('are taken: %s', async ([, settings]) => {
    expect(await answers(withMore(settings))).toEqual(TAKEN);
  });

  test.for<[string, unknown, string]>([
    ['a fraction', { a: 1.5 }, 'spec.additionalSettings.a'],
    ['a number that is not exact', { a: 2 ** 53 }, 'spec.additionalSettings.a'],
    ['a text of 257', { a: 'x'.repeat(257) }, 'spec.additionalSettings.a'],
    ['a list', { a: [1] }, 'spec.additionalSettings.a'],
    ['an object', { a: { b: 1 } }, 'spec.additionalSettings.a'],
    [
      'twenty-one',
      Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, index])),
      'spec.additionalSettings',
    ],
    ['a list of settings', [{ name: 'a', value: 1 }], 'spec.additionalSettings'],
    ['text', 'a', 'spec.additionalSettings'],
  ])('are refused: %s', async ([, settings, field]) => {
    const { status, json } = await tryCreate(
      namespace,
      withMore(settings),
      pipeSettingsType,
      'Ignore',
    );
    expect({ status, message: json.message }).toEqual({
      status: 422,
      message: expect.stringContaining(field),
    });
    expect(parseSpec({ spec: withMore(settings) })).toMatchObject({
      ok: false,
      message: expect.stringContaining(field),
    });
  });

  // CEL does not see a map whose values have no type: SpecInvalid says it.
  test.for<[string, object]>([
    ['a name with a capital', { Fast: true }],
    ['one of the twelve', { engine_max_threads: 8 }],
    ['an empty list', { a: [] }],
  ])('are refused by the parser alone: %s', async ([, settings]) => {
    expect(await tryCreate(namespace, withMore(settings))).toMatchObject({ status: 201 });
    expect(parseSpec({ spec: withMore(settings) })).toMatchObject({
      ok: false,
      message: expect.stringContaining('spec.additionalSettings.'),
    });
  });

  test('are applied, changed and taken away by both ways of kubectl apply', async () => {
    for (const way of [['apply'], ['apply', '--server-side']]) {
      const name = `more-${way.length}`;
      const apply = async (spec: object) => {
        const args = [...way, '-n', namespace, '-o', 'json', '-f', '-'];
        const printed = await succeed(args, JSON.stringify(pipeSettings(name, spec)));
        return (JSON.parse(printed) as { readonly spec: unknown }).spec;
      };
      for (const spec of [
        withMore({ a: 1, b: true }),
        withMore({ a: 'text', c: false }),
        withMore({}),
        goodSpec,
      ])
        expect(await apply(spec)).toEqual(spec);
    }
  });
});

describe('the rest of spec', () => {
  test('is taken as it is, with all that may be left out', async () => {
    const ref = { name: 'a.b-c', keyIdKey: 'ID', keySecretKey: 'my.secret_1' };
    const ids = { organizationId: 'A.b_c~d-e', serviceId: 'a'.repeat(128), pipeId: '...' };
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
    ['too long', Object.fromEntries(IDS.map((id) => [id, 'a'.repeat(129)]))],
    ['empty, of a blank, with one', { organizationId: '', serviceId: ' ', pipeId: 'a b' }],
    ['parts of a path', { organizationId: '..', serviceId: 'a/b', pipeId: 'a%2fb' }],
    ['with odd characters', { organizationId: 'é', serviceId: 'a\n', pipeId: 'a:b' }],
  ])('ids are refused that are %s', async ([, ids]) => {
    const said = await answers({ ...goodSpec, ...ids });
    expect(said).toEqual(refusedFor(...IDS.map((id) => `spec.${id}`)));
    expect(said).toEqual({ ...said, server: inWords() });
  });

  test.for<[string, object, string]>([
    [
      'a blank in an id',
      { pipeId: 'a b' },
      "pipeId must be 1 to 128 letters, digits, '.', '_', '~' or '-'",
    ],
    ['the place above', { serviceId: '..' }, "serviceId must be more than '.' or '..'"],
    [
      'a day',
      { reassertInterval: '1d' },
      'reassertInterval must be a duration in h, m or s, such as 90m or 24h; write 1d as 24h',
    ],
    [
      'too short an interval',
      { reassertInterval: '9m59s' },
      'reassertInterval must be between 10m and 8760h',
    ],
    [
      'a capital in the name of a Secret',
      { credentialsSecretRef: { name: 'API' } },
      'name must be the name of a Secret: 1 to 253 lower-case letters',
    ],
    [
      'a blank in a key of a Secret',
      { credentialsSecretRef: { name: 'api', keySecretKey: 'key secret' } },
      "keySecretKey must be a key of a Secret: 1 to 253 letters, digits, '.', '_' or '-'",
    ],
  ])('%s is refused in words', async ([, part, words]) => {
    const said = await answers({ ...goodSpec, ...part });
    expect(said).toMatchObject({ status: 422, server: expect.stringContaining(words) });
    expect(said).toEqual({ ...said, server: inWords() });
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
