import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/organization/definition.ts';
import { parseSpec } from '../../src/kinds/organization/resource.ts';
import { crdAccepts } from '../support/crd-accepts.ts';

const UUID = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
const good = { organizationId: UUID, credentialsSecretRef: { name: 'api' }, name: 'Acme' };

const message = (spec: unknown) => {
  const result = parseSpec({ spec });
  return result.ok ? 'fine' : result.message;
};

test('a good spec comes back as it is, without the fields nobody knows', () => {
  const full = {
    ...good,
    privateEndpoints: [{ ...endpoint, description: '' }],
    adoptPrivateEndpoints: false,
    maxPrivateEndpointRemovals: 0,
    deletionPolicy: 'RemovePrivateEndpoints',
    suspend: true,
    mode: 'Plan',
    reassertInterval: '24h',
  };
  const surplus = {
    ...full,
    surplus: 1,
    privateEndpoints: [{ ...endpoint, description: '', surplus: 1 }],
  };
  expect(parseSpec({ spec: surplus })).toEqual({ ok: true, spec: full });
});

test('an empty list and none are two things', () => {
  expect(parseSpec({ spec: { ...good, privateEndpoints: [] } })).toEqual({
    ok: true,
    spec: { ...good, privateEndpoints: [] },
  });
  expect(parseSpec({ spec: good })).toEqual({ ok: true, spec: good });
});

test('every problem is named with its place and value, and what would do', () => {
  const spec = {
    ...good,
    organizationId: UUID.toUpperCase(),
    name: '',
    privateEndpoints: [{ ...endpoint, cloudProvider: '', region: undefined }],
    maxPrivateEndpointRemovals: -1,
    deletionPolicy: 'Delete',
  };
  expect(message(spec)).toBe(
    [
      `spec.organizationId must be a UUID in lower case with hyphens, 36 characters, not "${UUID.toUpperCase()}"`,
      'spec.name must be text of 1 to 256 characters, not ""',
      'spec.privateEndpoints[0].cloudProvider must be 1 to 64 printable ASCII characters without spaces and " \\ < > &, not ""',
      'spec.privateEndpoints[0].region is required',
      'spec.maxPrivateEndpointRemovals must be a whole number from 0 to 100, not -1',
      'spec.deletionPolicy must be Retain or RemovePrivateEndpoints, not "Delete"',
    ].join('; '),
  );
});

test.for<[string, object, string]>([
  [
    'neither name nor list',
    { ...good, name: undefined },
    'spec must have name, privateEndpoints or both, not {"organizationId":"0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a","crede…; with neither there is nothing to manage',
  ],
  [
    'an id twice, with another region',
    {
      ...good,
      privateEndpoints: [
        endpoint,
        { ...endpoint, id: 'psc-2' },
        { ...endpoint, region: 'us-east1' },
      ],
    },
    'spec.privateEndpoints[2].id must be an id that is listed only once, not "psc-1"',
  ],
  [
    'an id twice, in other letters',
    { ...good, privateEndpoints: [endpoint, { ...endpoint, id: 'PSC-1' }] },
    'spec.privateEndpoints[1].id must be an id that is listed only once, not "PSC-1"',
  ],
  [
    '101 endpoints',
    {
      ...good,
      privateEndpoints: Array.from({ length: 101 }, (_, index) => ({
        ...endpoint,
        id: `${index}`,
      })),
    },
    'spec.privateEndpoints must have at most 100 entries, not [{"id":"0","cloudProvider":"gcp","region":"ap-northeast-1"},{"i…',
  ],
  [
    'the line break of a YAML block',
    { ...good, privateEndpoints: [{ ...endpoint, id: 'psc-1\n' }] },
    'spec.privateEndpoints[0].id must be 1 to 512 printable ASCII characters without spaces and " \\ < > &, not "psc-1\\n"',
  ],
])('%s is told in one line', ([, spec, told]) => {
  expect(message(spec)).toBe(told);
});

test('the parser takes what the CRD takes and its two rules between fields allow, and nothing else', () => {
  const { spec: schema } = kindSchema(definition);
  const mostly = (fine: readonly unknown[], odd: readonly unknown[]) =>
    fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...fine) }, fc.constantFrom(...odd));
  const word = (most: number) =>
    mostly(
      ['a', 'b', '1', 'x'.repeat(most), '/a(b)/c.d_e-f', "!#$%'*+,:;=?@[]^`{|}~"],
      [
        'x'.repeat(most + 1),
        'a<b',
        'a>b',
        'a&b',
        'a"b',
        'a\\b',
        '',
        'a b',
        'é',
        '\n',
        'a\n',
        '\u007f',
        5,
        null,
      ],
    );
  const item = fc.record(
    {
      id: word(512),
      cloudProvider: word(64),
      region: word(64),
      description: mostly(['', 'd', '🙂'.repeat(512), '\u0000'], ['🙂'.repeat(513), 5]),
      other: fc.constant(1),
    },
    { requiredKeys: ['id', 'cloudProvider', 'region'] },
  );
  const spec = fc.record(
    {
      organizationId: mostly(
        [UUID, '00000000-0000-0000-0000-000000000000'],
        [UUID.replaceAll('-', ''), UUID.replace('d', 'D'), `${UUID}0`, ` ${UUID.slice(1)}`, '', 7],
      ),
      credentialsSecretRef: mostly([{ name: 'api' }], [{}]),
      name: mostly(['n', 'Acme "Data" <&>', '🙂'.repeat(256)], ['🙂'.repeat(257), '']),
      privateEndpoints: fc.oneof(
        { weight: 15, arbitrary: fc.array(item, { maxLength: 3 }) },
        fc.constantFrom({}, null, [null], [{}]),
      ),
      adoptPrivateEndpoints: fc.constantFrom(true, false),
      maxPrivateEndpointRemovals: mostly([0, 5, 100], [101, -1, 1.5, '5']),
      deletionPolicy: mostly(['Retain', 'RemovePrivateEndpoints'], ['retain']),
    },
    { requiredKeys: ['organizationId', 'credentialsSecretRef'] },
  );
  const seen = { taken: 0, twice: 0, neither: 0, refused: 0 };
  fc.assert(
    fc.property(spec, (value) => {
      const shape = crdAccepts(schema, value);
      const ids = shape
        ? (value.privateEndpoints as { id: string }[] | undefined)?.map(({ id }) => id)
        : undefined;
      const twice = ids !== undefined && new Set(ids).size < ids.length;
      const neither = value.name === undefined && value.privateEndpoints === undefined;
      const verdict = shape ? (twice && 'twice') || (neither && 'neither') || 'taken' : 'refused';
      seen[verdict] += 1;
      expect(parseSpec({ spec: value }).ok).toBe(verdict === 'taken');
    }),
    { numRuns: 4000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(30);
});
