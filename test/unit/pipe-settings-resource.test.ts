import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/pipe-settings/definition.ts';
import { parseSpec, targetOf } from '../../src/kinds/pipe-settings/resource.ts';
import { names as settingNames } from '../../src/kinds/pipe-settings/settings.ts';
import { crdAccepts } from '../support/crd-accepts.ts';

const good = {
  organizationId: 'o',
  serviceId: 's',
  pipeId: 'p',
  credentialsSecretRef: { name: 'api' },
  settings: { engine_max_threads: 8 },
};

test('a good spec comes back as it is, without the fields nobody knows', () => {
  const spec = { ...good, surplus: 1, settings: { ...good.settings, surplus: 1 } };
  expect(parseSpec({ spec })).toEqual({ ok: true, spec: good });
});

test('the message names every problem with its field and value, and what would do', () => {
  const spec = {
    ...good,
    serviceId: undefined,
    pipeId: '../x',
    mode: 'plan',
    reassertInterval: '5m',
    settings: { engine_max_threads: 65, object_storage_concurrency: '8' },
  };
  expect(parseSpec({ spec })).toEqual({
    ok: false,
    message: [
      'spec.serviceId is required',
      `spec.pipeId must be 1 to 128 letters, digits, '.', '_', '~' or '-', not "../x"`,
      'spec.settings.object_storage_concurrency must be a whole number from 1 to 35, not "8"',
      'spec.settings.engine_max_threads must be a whole number from 0 to 64, not 65',
      'spec.mode must be Apply or Plan, not "plan"',
      'spec.reassertInterval must be between 10m and 8760h, not "5m"',
    ].join('; '),
  });
});

test.for<[string, unknown, string]>([
  ['no spec', undefined, 'spec is required'],
  ['null', null, 'spec must be an object, not null'],
  ['text', 'x', 'spec must be an object, not "x"'],
  [
    'no known setting',
    { ...good, settings: { typo: 1 } },
    'spec.settings must have at least one field that is known, not {"typo":1}',
  ],
  [
    'an enormous value',
    { ...good, mode: 'x'.repeat(5000) },
    `spec.mode must be Apply or Plan, not "${'x'.repeat(62)}…`,
  ],
  [
    'a day',
    { ...good, reassertInterval: '1d' },
    'spec.reassertInterval must be a duration in h, m or s, such as 90m or 24h, not "1d"; write 1d as 24h',
  ],
  [
    'a place above',
    { ...good, pipeId: '..' },
    `spec.pipeId must be more than '.' or '..', not ".."`,
  ],
  [
    'a name with a capital in additionalSettings',
    { ...good, additionalSettings: { Fast: true } },
    'spec.additionalSettings.Fast must be named with 1 to 64 lower-case letters, digits or _, the first a letter',
  ],
  [
    'one of the twelve in additionalSettings',
    { ...good, additionalSettings: { engine_max_threads: 8 } },
    'spec.additionalSettings.engine_max_threads must stand in spec.settings',
  ],
  [
    'a fraction in additionalSettings',
    { ...good, additionalSettings: { ratio: 0.5 } },
    'spec.additionalSettings.ratio must be text of at most 256 characters, a whole number, true or false, not 0.5',
  ],
  [
    'a list in additionalSettings',
    { ...good, additionalSettings: { ratio: [] } },
    'spec.additionalSettings.ratio must be text of at most 256 characters, a whole number, true or false, not []',
  ],
])('%s is told in one line', ([, spec, message]) => {
  expect(parseSpec({ spec })).toEqual({ ok: false, message });
});

test('settings that the API has gained are taken as they are', () => {
  const additionalSettings = { a: '', [`n${'_'.repeat(63)}`]: 'x'.repeat(256), b: -1, c: false };
  const spec = { ...good, additionalSettings };
  expect(parseSpec({ spec })).toEqual({ ok: true, spec });
});

test.for([
  [{ ...good, pipeId: 'P' }, good, true],
  [{ ...good, organizationId: 'O', serviceId: 'S' }, good, true],
  [{ ...good, pipeId: 'q' }, good, false],
  [{ ...good, pipeId: 'P', settings: 'broken' }, good, true],
] as const)('%j and %j stand for one pipe: %s', ([one, other, same]) => {
  const metadata = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-03-01T12:00:00Z',
  };
  const at = (spec: unknown) => targetOf({ metadata, spec });
  expect(at(one) === at(other)).toBe(same);
});

test('a value is never cut in the middle of a character', () => {
  const result = parseSpec({ spec: { ...good, mode: `${'x'.repeat(61)}🙂🙂🙂` } });
  expect(result).toMatchObject({
    ok: false,
    message: `spec.mode must be Apply or Plan, not "${'x'.repeat(61)}🙂…`,
  });
});

test('the status schema holds times and texts to the bounds of the CRD, so that tests can hold reports to it', () => {
  const accepts = (value: unknown) => definition.status.safeParse(value).success;
  const differing = (reported: unknown) => ({
    differences: [{ field: 'x', declared: 1, reported }],
  });
  expect(accepts({ nextAttemptTime: '2026-01-01T00:00:00Z', ...differing('x'.repeat(64)) })).toBe(
    true,
  );
  expect(accepts({ nextAttemptTime: 'soon' })).toBe(false);
  expect(accepts(differing('x'.repeat(65)))).toBe(false);
  expect(accepts(differing([1]))).toBe(false);
});

test('the parser takes what the CRD takes, and nothing else', () => {
  const { spec: schema } = kindSchema(definition);
  const id = fc.oneof(
    fc.constantFrom(
      'o',
      '0b1d',
      'a'.repeat(128),
      'a'.repeat(129),
      '',
      '-a',
      '...',
      '..',
      'é',
      '🙂',
      5,
    ),
    fc.string({ maxLength: 4 }),
  );
  const number = fc.oneof(
    fc.constantFrom(
      0,
      1,
      2,
      16,
      35,
      36,
      64,
      100,
      499,
      500,
      60_000,
      60_001,
      10_485_759,
      53_687_091_200,
      5.5,
      -1,
      '5',
      true,
    ),
    fc.integer(),
  );
  const secret = fc.record(
    {
      name: fc.constantFrom('a', 'a.b', 'A', '', '.a', 'a'.repeat(254)),
      keyIdKey: fc.constantFrom('id', 'a b', ''),
      other: fc.constant(1),
    },
    { requiredKeys: [] },
  );
  const settings = fc.dictionary(fc.constantFrom(...settingNames, 'typo'), number, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const spec = fc.record(
    {
      organizationId: fc.oneof({ weight: 9, arbitrary: fc.constant('o') }, id),
      serviceId: fc.oneof({ weight: 9, arbitrary: fc.constant('s') }, id),
      pipeId: fc.oneof({ weight: 9, arbitrary: fc.constant('p') }, id),
      credentialsSecretRef: fc.oneof(
        { weight: 3, arbitrary: fc.constant({ name: 'api' }) },
        secret,
        fc.constant('api'),
      ),
      settings: fc.oneof(
        settings,
        fc.constant({ engine_parallel_view_processing: true }),
        fc.constant([]),
      ),
      additionalSettings: fc.dictionary(
        fc.constantFrom('a', 'b_1'),
        fc.constantFrom('x', 'x'.repeat(257), 5, 5.5, 2 ** 53, true, ['a'], { a: 1 }),
        { maxKeys: 2, noNullPrototype: true },
      ),
      suspend: fc.constantFrom(true, false, 'no'),
      mode: fc.constantFrom('Apply', 'Plan', 'plan'),
      reassertInterval: fc.constantFrom('10m', '24h', '1d', '', 600),
    },
    { requiredKeys: ['organizationId', 'serviceId', 'pipeId', 'credentialsSecretRef', 'settings'] },
  );
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(spec, (value) => {
      const taken = crdAccepts(schema, value);
      seen[taken ? 'taken' : 'refused'] += 1;
      expect(parseSpec({ spec: value }).ok).toBe(taken);
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
});
