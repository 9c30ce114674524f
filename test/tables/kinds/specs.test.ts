import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { an, KINDS, type KindName, MINUTE, SPECS } from './objects.ts';
import { bad, ok, type Reply } from './process.ts';
import { Stage, staged } from './stage.ts';

const UUID = SPECS.Organization.organizationId;
const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'r1' };
const of =
  (kind: KindName) =>
  (spec: object, ...problems: string[]) => ({ kind, spec, problems });
const [pipe, organization] = [of('PipeSettings'), of('Organization')];
const listing = (...more: object[]) => ({
  privateEndpoints: more.map((one) => ({ ...endpoint, ...one })),
});
const PLAIN = 'printable ASCII characters without spaces and " \\ < > &';

/** Every problem of a spec is named, with its place and value, and what would do. */
test.each([
  pipe(
    { serviceId: undefined, pipeId: '../x', mode: 'plan', reassertInterval: '5m' },
    'spec.serviceId is required',
    `spec.pipeId is "../x"; it must be 1 to 128 letters, digits, '.', '_', '~' or '-'`,
    'spec.mode is "plan"; it must be Apply or Plan',
    'spec.reassertInterval is "5m"; it must be between 10m and 8760h',
  ),
  pipe(
    { settings: { engine_max_threads: 65, object_storage_concurrency: '8' } },
    'spec.settings.object_storage_concurrency is "8"; it must be a whole number from 1 to 35',
    'spec.settings.engine_max_threads is 65; it must be a whole number from 0 to 64',
  ),
  pipe(
    { settings: { typo: 1 } },
    'spec.settings is {"typo":1}; it must have at least one field that is known',
  ),
  pipe(
    { mode: 'x'.repeat(5000), reassertInterval: '1d' },
    `spec.mode is "${'x'.repeat(62)}…; it must be Apply or Plan`,
    'spec.reassertInterval is "1d"; it must be a duration in h, m or s, such as 90m or 24h; ' +
      'write 1d as 24h',
  ),
  pipe(
    { additionalSettings: { Fast: true, engine_max_threads: 8 } },
    'spec.additionalSettings.Fast must be named with 1 to 64 lower-case letters, digits or _, ' +
      'the first a letter',
    'spec.additionalSettings.engine_max_threads must be declared in spec.settings',
  ),
  organization(
    { name: undefined },
    `spec is {"organizationId":"${UUID}","crede…; it must have name, privateEndpoints or both; ` +
      'with neither there is nothing to manage',
  ),
  organization(
    { organizationId: UUID.toUpperCase(), name: '', deletionPolicy: 'Delete' },
    `spec.organizationId is "${UUID.toUpperCase()}"; ` +
      'it must be a UUID in lower case with hyphens, 36 characters',
    'spec.name is ""; it must be text of 1 to 256 characters',
    'spec.deletionPolicy is "Delete"; it must be Retain or RemovePrivateEndpoints',
  ),
  organization(
    listing({ id: 'psc-1\n', cloudProvider: '', region: undefined }),
    `spec.privateEndpoints[0].id is "psc-1\\n"; it must be 1 to 512 ${PLAIN}`,
    `spec.privateEndpoints[0].cloudProvider is ""; it must be 1 to 64 ${PLAIN}`,
    'spec.privateEndpoints[0].region is required',
  ),
  organization(
    listing({}, { id: 'PSC-1', region: 'r2' }),
    'spec.privateEndpoints[1].id is "PSC-1"; it must be an id that is listed only once',
  ),
])('$kind of $spec is SpecInvalid, and no call is made', async ({ kind, spec, problems }) => {
  const { stage, run } = staged(kind, { spec });
  const { ready, side, message, wait, events } = await run();
  expect([ready, side, wait, stage.log]).toEqual(['False SpecInvalid', 'Stalled', undefined, []]);
  const said = `The stored spec is not valid: ${problems.join('; ')}. Correct it; nothing is sent`;
  expect(message).toBe(`${said} until then`);
  expect(events).toEqual([`SpecInvalid: ${message}`]);
  expect((await run()).events, 'once').toEqual([]);
});

test('fields of an endpoint that nobody knows are not sent', async () => {
  const api = () => ok({ name: 'Acme', privateEndpoints: [endpoint] });
  const hashOf = async (spec: object) =>
    (await staged('Organization', { spec }, { api }).run()).status.applied?.requestHash;
  const [plain, more] = [await hashOf(listing({})), await hashOf(listing({ surplus: 1 }))];
  expect([more, plain]).toEqual([plain, expect.stringMatching(/^sha256:/)]);
});

/** What stands where something else should. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, -1, 1.5, 1e308, '', '..', 'a b', '1d', 'Apply'),
  fc.constantFrom<unknown>('é', '\ud800', 'x'.repeat(600), [], [null], [endpoint]),
  fc.constantFrom<unknown>({}, { name: 'x' }, JSON.parse('{"__proto__":{"suspend":true}}')),
  fc.jsonValue(),
);
const FAILED: readonly Reply[] = [200, 302, 400, 401, 404, 409, 429, 500].map((code) => bad(code));
const names = fc.constantFrom('name', 'privateEndpoints', 'id', 'engine_max_threads', '__proto__');
const list = fc.array(fc.record({ id: ODD, cloudProvider: ODD, region: ODD }), { maxLength: 5 });
const answer = fc.oneof(
  fc.constantFrom(...FAILED, bad('lost'), bad('unsent')),
  fc.dictionary(names, fc.oneof(ODD, list)).map((result) => ok(result)),
);
const answers = fc.array(answer, { minLength: 1, maxLength: 4 });

/** The stage checks each status that is written. */
describe.each(KINDS)('%s, whatever its spec says and the API answers,', (kind) => {
  const whole = { ...SPECS[kind], ...(kind === 'Organization' && listing({})) };
  const more = ['suspend', 'mode', 'additionalSettings', 'deletionPolicy', 'reassertInterval'];
  const field = fc.constantFrom(...Object.keys(whole), ...more);
  const odd = fc.oneof(ODD, fc.constant('a\u0000\r\nb'));
  const spoilt = fc.dictionary(field, odd, { maxKeys: 2, noNullPrototype: true });

  test('never throws, has a lawful status, and is not tried again at once', async () => {
    let [called, refused] = [0, 0];
    const property = fc.asyncProperty(spoilt, answers, async (spoil, replies) => {
      const stage = new Stage({ api: (_, nth) => replies[nth % replies.length] });
      const id = stage.put({ ...an(kind), spec: { ...whole, ...spoil } });
      const first = await stage.run(id);
      let { wait = MINUTE } = first;
      if (stage.paths.length > 0) called += 1;
      if (first.ready === 'False SpecInvalid') refused += 1;
      for (let round = 0; round < 3; round += 1) {
        expect(wait).toBeGreaterThan(0);
        ({ wait = MINUTE } = await stage.run(id, wait));
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 300, seed: 43 });
    expect(Math.min(called, refused)).toBeGreaterThan(30);
  });
});
