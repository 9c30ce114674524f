import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseJson } from '../../src/api/reply/json.ts';
import { completeOrganization } from '../../src/cli/import/completed.ts';
import { manifestText, objectNameFrom } from '../../src/cli/import/manifest.ts';
import { organizationManifest } from '../../src/cli/import/organization-manifest.ts';
import { UserError } from '../../src/cli/user-error.ts';
import { definition } from '../../src/kinds/organization/definition.ts';
import { plain } from '../../src/kinds/organization/endpoints/endpoints.ts';
import { readReply } from '../../src/kinds/organization/endpoints/reply.ts';
import {
  type OrganizationSpec,
  type OrganizationStatus,
  parseSpec,
} from '../../src/kinds/organization/resource.ts';
import { createMask } from '../../src/redaction.ts';
import { organizationText } from '../simulator/organization-echo.ts';
import {
  ORGANIZATION_CHOICES,
  type PrivateEndpoint,
  startBehaviour,
} from '../simulator/organization-types.ts';
import { anOrganization } from '../support/organization-objects.ts';

const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const wanted = { organizationId: ORGANIZATION, credentialsSecretRef: { name: 'management-api' } };
const noKey = { unreadable: 0, holdsKey: () => false };

function completedOf(object: Parameters<typeof completeOrganization.complete>[0]) {
  const read = completeOrganization.complete(object);
  if (!read.ok) throw new Error(read.message);
  return read.completed;
}

interface Manifest {
  readonly spec: {
    readonly name?: string;
    readonly privateEndpoints?: readonly PrivateEndpoint[];
    readonly adoptPrivateEndpoints?: boolean;
  };
}

function manifestOf(result: Record<string, unknown>) {
  const { name, list } = readReply(result, undefined);
  const printed = organizationManifest(wanted, { ...noKey, name, list }, ['Imported.']);
  return { ...printed, read: parse(printed.yaml) as Manifest };
}

const endpoint = (id: string, more: Partial<PrivateEndpoint> = {}): PrivateEndpoint => ({
  id,
  cloudProvider: 'gcp',
  region: 'ap-northeast-1',
  ...more,
});

const organization = (privateEndpoints: readonly unknown[]): Record<string, unknown> => ({
  id: ORGANIZATION,
  name: 'Acme',
  privateEndpoints,
});

/** Texts that YAML takes for something else, breaks in two, or shows as something else. */
const NASTY = [
  '0123',
  '1e3',
  '1_000',
  '0x1f',
  '0o17',
  '12:30:45',
  'null',
  '~',
  'yes',
  'No',
  'on',
  'true',
  '.inf',
  '<<',
  '=',
  '2026-01-01',
  '- a',
  'a: b',
  'a #b',
  '#c',
  '&x',
  '*x',
  '!!str',
  '@x',
  '`x`',
  '%x',
  "it's",
  '"',
  '\\',
  '\\n',
  '{a}',
  '[a]',
  'a\nb',
  'a\r\nb',
  '\tb',
  ' a ',
  '',
  '\u001b[31mred',
  '\u009b31m',
  '\u202eabc',
  '\u2028',
  '\ufeff',
  '\u{e0041}',
  '\u0000',
  '\ud800',
  '—',
  '日本',
  '😀',
];
const anyText = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 600 }),
);
const anyId = fc.oneof(anyText, fc.constantFrom('psc-1', 'PSC-1', 'psc-2', 'psc-3'));
const anyEndpoint = fc.record(
  {
    id: anyId,
    cloudProvider: fc.oneof(fc.constantFrom('gcp', 'GCP', 'aws'), anyText),
    region: fc.oneof(fc.constantFrom('ap-northeast-1', 'eu-west-1'), anyText),
    description: anyText,
  },
  { requiredKeys: ['id', 'cloudProvider', 'region'] },
);
const anyBehaviour = fc.record({
  list: fc.constantFrom(...ORGANIZATION_CHOICES.list),
  entries: fc.constantFrom(...ORGANIZATION_CHOICES.entries),
  description: fc.constantFrom(...ORGANIZATION_CHOICES.description),
  omit: fc.subarray(['name', 'privateEndpoints', 'id']),
});

/** Undefined where it is refused, as there is nothing to declare. */
function printedOrRefused(result: Record<string, unknown>) {
  try {
    return manifestOf(result);
  } catch (error) {
    if (error instanceof UserError && error.message.includes('nothing that it could declare'))
      return undefined;
    throw error;
  }
}

/** Where the manifest is not what the API has, or cannot be applied or shown. */
function faultsOf(
  result: Record<string, unknown>,
  { yaml, read }: ReturnType<typeof manifestOf>,
): string[] {
  const { name, privateEndpoints } = read.spec;
  const raw = result['privateEndpoints'];
  const entries = Array.isArray(raw)
    ? raw.filter((entry): entry is Entry => typeof entry === 'object' && entry !== null)
    : [];
  const spec = parseSpec(read);
  return [
    ...(spec.ok && isDeepStrictEqual(spec.spec, read.spec) ? [] : ['the operator reads another']),
    // Nothing in it that a terminal heeds or nobody sees.
    ...(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u.test(yaml) ? ['a control character'] : []),
    ...(name === undefined || name === result['name'] ? [] : ['another name']),
    ...(privateEndpoints && !Array.isArray(raw) ? ['a list that the reply lacks'] : []),
    ...(privateEndpoints?.length === 0 && entries.length > 0 ? ['an empty list'] : []),
    ...(privateEndpoints ?? []).flatMap((one) => {
      const alike = entries.filter(({ id }) => plain(String(id)) === plain(one.id));
      const isSame = alike.every((entry) => isDeepStrictEqual(trimmed(entry), trimmed(one)));
      const isDescribed =
        one.description === undefined ||
        alike.some(({ description }) => description === one.description);
      return alike.length > 0 && isSame && isDescribed ? [] : [`another ${one.id}`];
    }),
  ];
}

type Entry = Partial<Record<keyof PrivateEndpoint, unknown>>;

const trimmed = ({ id, cloudProvider, region }: Entry): string[] =>
  [id, cloudProvider, region].map((part) => String(part).replace(/^ +| +$/g, ''));

describe('the manifest of an organization', () => {
  test('whatever the simulated API answers, the operator takes it and reads the same texts', () => {
    let printedOnce = 0;
    fc.assert(
      fc.property(
        fc.array(anyEndpoint, { maxLength: 12 }),
        anyText,
        anyBehaviour,
        (privateEndpoints, name, behaviour) => {
          const held = {
            id: ORGANIZATION,
            createdAt: '2026-01-01T00:00:00Z',
            name,
            privateEndpoints,
            byocConfig: [],
          };
          const text = organizationText(held, { ...startBehaviour(), ...behaviour });
          const result = parseJson(text)?.value as Record<string, unknown>;
          const manifest = printedOrRefused(result);
          if (manifest !== undefined) printedOnce += 1;
          expect(manifest ? faultsOf(result, manifest) : []).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
    expect(printedOnce).toBeGreaterThan(200);
  });

  test('texts that YAML would take for something else stay the texts that they are', () => {
    const ids = ['0123', '1e3', 'null', 'yes', '0x1f', '12:30:45', '~', 'true'];
    const { yaml, read } = manifestOf(organization(ids.map((id) => endpoint(id))));
    expect(read.spec.privateEndpoints?.map(({ id }) => id)).toEqual(ids);
    for (const id of ids) expect(yaml).toContain(`id: "${id}"`);
  });

  test('an id that comes as a number is declared as its digits', () => {
    const { read } = manifestOf(organization([{ ...endpoint(''), id: 42 }]));
    expect(read.spec.privateEndpoints).toEqual([endpoint('42')]);
  });

  test.each([
    ['an absent list', undefined],
    ['null', null],
    ['an object', {}],
    ['a list of which nothing can be read', [null, 'psc']],
  ])('%s is not an empty one', (_, list) => {
    const { read, lacks, remarks } = manifestOf({ name: 'Acme', privateEndpoints: list });
    expect(read.spec).toEqual({ ...wanted, name: 'Acme' });
    expect(lacks).toBe(true);
    expect(remarks.join()).toContain('does not mean that there are none');
  });

  test('an empty list is one', () => {
    const { read, lacks } = manifestOf(organization([]));
    expect(read.spec).toMatchObject({ privateEndpoints: [], adoptPrivateEndpoints: true });
    expect(lacks).toBe(false);
  });

  test('where every endpoint is left out, the list is not said to be empty', () => {
    const { read, lacks, yaml } = manifestOf(organization([endpoint('psc-1'), endpoint('PSC-1')]));
    expect(read.spec).toEqual({ ...wanted, name: 'Acme' });
    expect(lacks).toBe(true);
    expect(yaml).toMatch(/^# - 2 private endpoints .*"psc-1".*"PSC-1"/m);
  });

  test.each<[string, PrivateEndpoint[], string[], string]>([
    [
      'ids that differ in case only',
      [endpoint('a'), endpoint('psc'), endpoint('PSC')],
      ['a'],
      '2 private endpoints with one id',
    ],
    [
      'one id in two regions',
      [endpoint('a'), endpoint('b'), endpoint('b', { region: 'x' })],
      ['a'],
      '"b" (gcp/x)',
    ],
    [
      'an id with a blank in it',
      [endpoint('a'), endpoint('b c')],
      ['a'],
      'its id must be 1 to 512 printable',
    ],
    [
      'a long region',
      [endpoint('a'), endpoint('b', { region: 'r'.repeat(65) })],
      ['a'],
      'its region must be 1 to 64',
    ],
    ['blanks around', [endpoint(' a ')], ['a'], ''],
    ['twins', [endpoint('a'), endpoint('a')], ['a'], 'unlisting it later removes them together'],
    [
      'a long description',
      [endpoint('a', { description: 'd'.repeat(513) })],
      ['a'],
      'without its description: its description must be',
    ],
    [
      'half a character',
      [endpoint('a', { description: '\ud800' })],
      ['a'],
      'no valid Unicode text',
    ],
  ])('%s', (_, list, ids, remark) => {
    const { read, remarks } = manifestOf(organization(list));
    expect(read.spec.privateEndpoints?.map(({ id }) => id)).toEqual(ids);
    expect(remarks.join('\n')).toContain(remark);
    expect(remarks.length).toBe(remark === '' ? 0 : 1);
  });

  test('one without a region is left out, for nobody can say which one is meant', () => {
    const { read, remarks } = manifestOf(
      organization([endpoint('a'), { id: 'b', cloudProvider: 'gcp' }]),
    );
    expect(read.spec.privateEndpoints).toEqual([endpoint('a')]);
    expect(remarks.join()).toContain('does not say its region');
  });

  test('100 endpoints are declared, and with 101 nothing is printed', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => endpoint(`psc-${at}`));
    expect(manifestOf(organization(many(100))).read.spec.privateEndpoints).toHaveLength(100);
    expect(() => manifestOf(organization(many(101)))).toThrow(
      /101 private endpoints and an Organization lists at most 100; write the manifest by hand/,
    );
  });

  test('with neither a name nor a list nothing is printed', () => {
    expect(() => manifestOf({})).toThrow(/nothing that it could declare: the name .*; the private/);
  });

  test('what holds a part of the key is neither declared nor shown', () => {
    const mask = createMask('canary-id-1', 'canary-secret-1');
    const { yaml, remarks, lacks } = organizationManifest(
      wanted,
      {
        unreadable: 0,
        holdsKey: (text) => mask(text) !== text,
        name: 'canary-id-1',
        list: [
          endpoint('plain', { description: 'made with canary-secret-1' }),
          endpoint('x-canary-id-1'),
          endpoint('canary-secret-1'),
          endpoint('CANARY-secret-1'),
        ],
      },
      [],
    );
    expect(yaml + remarks.join()).not.toMatch(/canary-(id|secret)-1/);
    expect(parse(yaml)).toMatchObject({ spec: { privateEndpoints: [{ id: 'plain' }] } });
    expect(lacks).toBe(true);
  });
});

describe('an Organization is completed from its status', () => {
  const live = (
    spec: Partial<OrganizationSpec>,
    shown: NonNullable<OrganizationStatus['organization']>,
  ) => completedOf(anOrganization({ spec, status: { organization: shown } }));

  test('where the status has all of the list', () => {
    const list = [endpoint('x'), endpoint('PSC-1'), endpoint('Y', { region: 'elsewhere' })];
    const completed = live(
      { privateEndpoints: [endpoint('psc-1'), endpoint('y'), endpoint('z')] },
      { name: 'Acme', privateEndpoints: list, privateEndpointsTotal: 3 },
    );
    expect(completed?.spec).toMatchObject({
      name: 'Acme',
      adoptPrivateEndpoints: true,
      privateEndpoints: [endpoint('psc-1'), endpoint('y'), endpoint('z'), endpoint('x')],
    });
    expect(completed?.leftOut).toEqual([expect.stringContaining('"Y" of the reply is left out')]);
  });

  test('where it has only the beginning, nothing is printed', () => {
    const privateEndpoints = Array.from({ length: 200 }, (_, at) => endpoint(`psc-${at}`));
    expect(() =>
      live({ privateEndpoints: [] }, { privateEndpoints, privateEndpointsTotal: 201 }),
    ).toThrow('has 201 private endpoints');
  });

  test('where no reply had a list, none is declared', () => {
    const completed = completedOf({
      ...anOrganization({ status: { organization: { id: 'x' } } }),
      spec: { ...wanted, name: 'Declared' },
    });
    expect(completed?.spec).toEqual({ ...wanted, name: 'Declared' });
    expect(completed?.remarks).toEqual([
      'the reply did not have name',
      'the reply did not have privateEndpoints',
    ]);
  });

  test('a name that the status has cut is left out', () => {
    const name = `${'n'.repeat(255)}…`;
    const completed = live(
      { privateEndpoints: [] },
      { name, privateEndpoints: [], privateEndpointsTotal: 0 },
    );
    expect(completed?.spec).not.toHaveProperty('name');
    expect(completed?.leftOut).toEqual(['the name is left out: the status has only its beginning']);
  });
});

test('labels whose names or values are words of YAML stay as they are', () => {
  const labels = { yes: 'no', on: 'true', null: 'null', mode: 'off', '1': '2', y: 'n' };
  const spec = { ...wanted, name: 'Acme' };
  const yaml = manifestText({ definition, metadata: { name: '123', labels }, spec }, []);
  for (const version of ['1.1', '1.2'] as const)
    expect(parse(yaml, { version })).toMatchObject({ metadata: { name: '123', labels }, spec });
});

test.each([
  ['Acme Data, Inc.', 'acme-data-inc'],
  ['Ünïcode', 'n-code'],
  ['日本', 'second'],
  ['-'.repeat(80), 'second'],
  [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
])('the name of the object of %s', (text, name) => {
  expect(objectNameFrom(text, 'second')).toBe(name);
});
