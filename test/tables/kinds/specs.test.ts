import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemsIn, schemasOf } from './crd.ts';
import { an, KINDS, SPECS, staged } from './objects.ts';
import type { Reply } from './process.ts';
import { bad, ok } from './replies.ts';
import { MINUTE } from './stage.ts';
import type { KindName } from './status.ts';

const UUID = SPECS.Organization.organizationId;
const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'r1' };
const endpoints = (...more: object[]) => ({
  privateEndpoints: more.map((one) => ({ ...endpoint, ...one })),
});
const extra = (additionalSettings: object) => ({ additionalSettings });

/** All problems of a spec, each with its place and value, and what would do. */
test.each<readonly [kind: KindName, spec: object, problems: readonly string[]]>([
  [
    'PipeSettings',
    {
      serviceId: undefined,
      pipeId: '../x',
      mode: 'plan',
      reassertInterval: '5m',
      settings: { engine_max_threads: 65, object_storage_concurrency: '8' },
    },
    [
      'spec.serviceId is required',
      `spec.pipeId must be 1 to 128 letters, digits, '.', '_', '~' or '-', not "../x"`,
      'spec.settings.object_storage_concurrency must be a whole number from 1 to 35, not "8"',
      'spec.settings.engine_max_threads must be a whole number from 0 to 64, not 65',
      'spec.mode must be Apply or Plan, not "plan"',
      'spec.reassertInterval must be between 10m and 8760h, not "5m"',
    ],
  ],
  [
    'PipeSettings',
    { settings: { typo: 1 } },
    ['spec.settings must have at least one field that is known, not {"typo":1}'],
  ],
  [
    'PipeSettings',
    { mode: 'x'.repeat(5000) },
    [`spec.mode must be Apply or Plan, not "${'x'.repeat(62)}…`],
  ],
  [
    'PipeSettings',
    { reassertInterval: '1d' },
    [
      'spec.reassertInterval must be a duration in h, m or s, such as 90m or 24h, not "1d"; write 1d as 24h',
    ],
  ],
  ['PipeSettings', { pipeId: '..' }, [`spec.pipeId must be more than '.' or '..', not ".."`]],
  [
    'PipeSettings',
    extra({ Fast: true }),
    [
      'spec.additionalSettings.Fast must be named with 1 to 64 lower-case letters, digits or _, the first a letter',
    ],
  ],
  [
    'PipeSettings',
    extra({ engine_max_threads: 8 }),
    ['spec.additionalSettings.engine_max_threads must stand in spec.settings'],
  ],
  [
    'Organization',
    {
      organizationId: UUID.toUpperCase(),
      name: '',
      ...endpoints({ cloudProvider: '', region: undefined }),
      deletionPolicy: 'Delete',
    },
    [
      `spec.organizationId must be a UUID in lower case with hyphens, 36 characters, not "${UUID.toUpperCase()}"`,
      'spec.name must be text of 1 to 256 characters, not ""',
      'spec.privateEndpoints[0].cloudProvider must be 1 to 64 printable ASCII characters without spaces and " \\ < > &, not ""',
      'spec.privateEndpoints[0].region is required',
      'spec.deletionPolicy must be Retain or RemovePrivateEndpoints, not "Delete"',
    ],
  ],
  [
    'Organization',
    { name: undefined },
    [
      'spec must have name, privateEndpoints or both, not {"organizationId":"0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a","crede…; with neither there is nothing to manage',
    ],
  ],
  [
    'Organization',
    endpoints({}, { id: 'PSC-1', region: 'r2' }),
    ['spec.privateEndpoints[1].id must be an id that is listed only once, not "PSC-1"'],
  ],
  [
    'Organization',
    endpoints({ id: 'psc-1\n' }),
    [
      'spec.privateEndpoints[0].id must be 1 to 512 printable ASCII characters without spaces and " \\ < > &, not "psc-1\\n"',
    ],
  ],
])('%s with %j is SpecInvalid, and no call is made', async (kind, spec, problems) => {
  const { stage, run } = staged(kind, { spec });
  const { ready, side, message, wait, events } = await run();
  expect([ready, side, wait, stage.log]).toEqual(['False SpecInvalid', 'Stalled', undefined, []]);
  const said = `The stored spec is not valid: ${problems.join('; ')}. Correct it; nothing is sent until then`;
  expect(message).toBe(said);
  expect(events).toEqual([`SpecInvalid: ${said}`]);
  expect((await run()).events, 'once').toEqual([]);
});

test('fields that nobody knows are not sent, and no part of what was', async () => {
  const settings = { engine_max_threads: 8, typo: 1 };
  const { stage, run } = staged('PipeSettings', { spec: { settings, surplus: 1 } });
  await run();
  expect(stage.bodies).toEqual(['{"engine_max_threads":8}']);
  const hash = async (spec: object) => {
    const api = () => ok({ name: 'Acme', privateEndpoints: [endpoint] });
    return (await staged('Organization', { spec }, { api }).run()).status.applied?.requestHash;
  };
  expect(await hash(endpoints({ surplus: 1 }))).toBe(await hash(endpoints({})));
});

/** What stands where something else should. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    ' ',
    '..',
    'a b',
    '1d',
    '90m',
    'Apply',
    'é',
    '\ud800',
    'a\u0000\r\nb',
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(600),
    [],
    [null],
    {},
    [endpoint],
    [endpoint, endpoint],
    { name: 'x' },
    { engine_max_threads: 8 },
  ),
  fc
    .constantFrom(
      '{"__proto__":{"suspend":true},"constructor":1}',
      `${'{"a":['.repeat(60)}${']}'.repeat(60)}`,
    )
    .map((text) => JSON.parse(text) as unknown),
  fc.jsonValue(),
);
const ANSWERS: readonly Reply[] = [
  ...[200, 302, 400, 401, 404, 409, 429, 500].map((code) => bad(code)),
  bad('lost'),
  bad('unsent'),
];
const results = fc.dictionary(
  fc.oneof(
    fc.constantFrom('name', 'privateEndpoints', 'id', 'engine_max_threads', '__proto__'),
    fc.string({ unit: 'binary' }),
  ),
  fc.oneof(
    ODD,
    fc.array(fc.record({ id: ODD, cloudProvider: ODD, region: ODD }), { maxLength: 5 }),
  ),
);
const answers = fc.array(
  fc.oneof(
    fc.constantFrom(...ANSWERS),
    results.map((result) => ok(result)),
  ),
  { minLength: 1, maxLength: 4 },
);

const PLURALS = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};
/** Rules between fields, or that CEL cannot see, which the parser alone has here. */
const OF_PARSER =
  /only once|nothing to manage|must be named|must stand in|a duration in|must be between|more than '\.'/;

/** Fails where a reconcile throws, where a status is not lawful, or where one asks to be woken at once for ever. */
describe.each(KINDS)('%s takes any spec and any answer', (kind) => {
  const schema = schemasOf(PLURALS[kind]).spec;
  const fields = Object.keys(schema.properties ?? {});
  const spoilt = fc.dictionary(fc.constantFrom(...fields), ODD, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const whole = {
    ...SPECS[kind],
    ...(kind === 'Organization' && { ...endpoints({}), deletionPolicy: 'RemovePrivateEndpoints' }),
  };

  test('and calls only for what the CRD lets in', async () => {
    const seen = { called: 0, refused: 0 };
    const law = async (odd: object, replies: readonly Reply[]) => {
      const spec = { ...whole, ...odd };
      const stored = JSON.parse(JSON.stringify(spec)) as unknown;
      const { stage, id } = staged(
        kind,
        { spec: {} },
        { api: (_, nth) => replies[nth % replies.length] },
      );
      stage.put({ ...an(kind), spec: stored });
      const first = await stage.run(id);
      const { ready, message } = first;
      let { wait = MINUTE } = first;
      const problems = problemsIn(schema, stored).filter((one) => !one.endsWith('is unknown'));
      const isRefused = ready === 'False SpecInvalid';
      const isOfParser = OF_PARSER.test(message);
      const isCalled = stage.paths.length > 0;
      expect([isOfParser || isRefused === problems.length > 0, stored]).toEqual([true, stored]);
      expect([isCalled && problems.length > 0, stored]).toEqual([false, stored]);
      seen[isCalled ? 'called' : 'refused'] += 1;
      for (let round = 0; round < 3; round += 1) {
        expect(wait).toBeGreaterThan(0);
        ({ wait = MINUTE } = await stage.run(id, wait));
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(spoilt, answers, law), { numRuns: 300, seed: 43 });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(30);
  });
});

test.each([undefined, null, 'x'])('a spec that is %j is refused', async (spec) => {
  const { stage, id } = staged('PipeSettings');
  stage.put({ ...an('PipeSettings'), spec });
  expect((await stage.run(id)).ready).toBe('False SpecInvalid');
});
