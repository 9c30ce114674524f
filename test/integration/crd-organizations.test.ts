import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { organizationType, parseSpec } from '../../src/kinds/organization/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import {
  complaint,
  goodOrganization as good,
  installCrd,
  manifest,
  succeed,
  tryCreate,
} from '../support/crd.ts';
import { answersTo, inWords, refusedFor, TAKEN } from '../support/crd-answers.ts';

const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
const listing = (...privateEndpoints: unknown[]) => ({ ...good, privateEndpoints });
const many = (count: number, id = (index: number) => `psc-${index}`) =>
  Array.from({ length: count }, (_, index) => ({ ...endpoint, id: id(index) }));

let namespace: string;

beforeAll(async () => {
  await installCrd('organizations');
  namespace = await newNamespace();
});

const json = (name: string, spec: unknown) =>
  JSON.stringify(manifest(organizationType, name, spec));
const apply = (name: string, spec: unknown) =>
  succeed(['apply', '-n', namespace, '-f', '-'], json(name, spec));
const stored = async (name: string) =>
  JSON.parse(await succeed(['get', 'porg', name, '-n', namespace, '-o', 'json'])).spec;

const answers = (spec: unknown) =>
  answersTo(spec, { namespace, type: organizationType, parseSpec });

describe('each mistake is refused by the API server and by the parser, in words that help', () => {
  const { organizationId: id } = good;

  test.for<[string, unknown, string, string]>([
    [
      'no name and no list',
      { ...good, name: undefined },
      'must have name, privateEndpoints or both; with neither there is nothing to manage',
      'spec must have name, privateEndpoints or both',
    ],
    [
      'an empty name',
      { ...good, name: '' },
      'name must be text of 1 to 256 characters',
      'spec.name must be text of 1 to 256 characters, not ""',
    ],
    [
      'a name of 257',
      { ...good, name: '🙂'.repeat(257) },
      'spec.name: Too long',
      'spec.name must be text of 1 to 256',
    ],
    [
      'an id twice, with another region',
      listing(endpoint, { ...endpoint, region: 'us-east1' }),
      'spec.privateEndpoints: Invalid value: privateEndpoints must list each id only once',
      'spec.privateEndpoints[1].id must be an id that is listed only once, not "psc-1"',
    ],
    [
      '101 endpoints',
      listing(...many(101)),
      'spec.privateEndpoints: Too many: 101: must have at most 100 items',
      'spec.privateEndpoints must have at most 100 entries',
    ],
    [
      'an endpoint without region',
      listing({ id: 'a', cloudProvider: 'gcp' }),
      'spec.privateEndpoints[0].region: Required value',
      'spec.privateEndpoints[0].region is required',
    ],
    [
      'an id that YAML took for a number',
      listing({ ...endpoint, id: 102_600_141_743 }),
      'spec.privateEndpoints[0].id: Invalid value: "integer"',
      'spec.privateEndpoints[0].id must be 1 to 512 printable',
    ],
    [
      'a description of 513',
      listing({ ...endpoint, description: 'x'.repeat(513) }),
      'spec.privateEndpoints[0].description: Too long',
      'spec.privateEndpoints[0].description must be text of at most 512 characters',
    ],
    [
      'a list that is text',
      { ...good, privateEndpoints: 'psc-1' },
      'spec.privateEndpoints',
      'must be a list',
    ],
    [
      'a null entry',
      listing(null),
      'spec.privateEndpoints[0]',
      'spec.privateEndpoints[0] must be an object',
    ],
    [
      'a cap of 101',
      { ...good, maxPrivateEndpointRemovals: 101 },
      'spec.maxPrivateEndpointRemovals',
      'from 0 to 100',
    ],
    [
      'an unknown deletionPolicy',
      { ...good, deletionPolicy: 'Delete' },
      'supported values: "Retain", "RemovePrivateEndpoints"',
      'spec.deletionPolicy must be Retain or RemovePrivateEndpoints, not "Delete"',
    ],
    [
      'adopting that is no boolean',
      { ...good, adoptPrivateEndpoints: 'yes' },
      'adoptPrivateEndpoints',
      'true or false',
    ],
    ...[
      [id.toUpperCase(), 'organizationId must be a UUID in lower case with hyphens, 36 characters'],
      [`${id} `, 'spec.organizationId: Too long'],
      ['', 'organizationId must be a UUID in lower case with hyphens, 36 characters'],
      [7, 'spec.organizationId: Invalid value: "integer"'],
    ].map(([value, server = '']): [string, unknown, string, string] => [
      `organizationId ${JSON.stringify(value)}`,
      { ...good, organizationId: value },
      String(server),
      'spec.organizationId must be a UUID in lower case with hyphens, 36 characters, not ',
    ]),
  ])('%s', async ([, spec, server, parser]) => {
    expect(await answers(spec)).toEqual({
      status: 422,
      server: expect.stringContaining(server),
      parser: expect.stringContaining(parser),
    });
  });

  test.for(['', 'x'.repeat(513), 'a b', 'a\n', 'é', '<', '"', '\\'])(
    'an endpoint of %j, in every place',
    async (value) => {
      const fields = ['id', 'cloudProvider', 'region'] as const;
      const spec = listing(Object.fromEntries(fields.map((field) => [field, value])));
      const said = await answers(spec);
      expect(said).toEqual(
        refusedFor(...fields.map((field) => `spec.privateEndpoints[0].${field}`)),
      );
      expect(said).toEqual({ ...said, server: inWords() });
    },
  );

  test('an unknown field of an endpoint is refused under strict validation', async () => {
    const { status, json: reply } = await tryCreate(
      namespace,
      listing({ ...endpoint, zone: 'a' }),
      organizationType,
    );
    expect({ status, message: reply.message }).toEqual({
      status: 400,
      message: expect.stringContaining('unknown field "spec.privateEndpoints[0].zone"'),
    });
  });
});

describe('what is right is taken and not changed', () => {
  test.for<[string, unknown]>([
    ['a name alone', good],
    ['a list alone', { ...listing(endpoint), name: undefined }],
    ['an empty list alone', { ...listing(), name: undefined }],
    ['any text as name', { ...good, name: ' "Acme" <&> \u2028🙂 ' }],
    ['a name of 256', { ...good, name: '🙂'.repeat(256) }],
    [
      'ids of every cloud',
      listing(
        ...[
          'vpce-0a1b2c3d4e5f67890',
          '102600141743718403',
          '/subscriptions/7c1d/resourceGroups/rg_(a).b/providers/Microsoft.Network/privateEndpoints/pe-1',
          'projects/acme.com:net/regions/europe-west4/forwardingRules/x',
          'arn:aws:ec2:us-east-1:123:vpc-endpoint/vpce-1',
          "b64+/=_~!@#$%^*,;?|[]{}'`",
        ].map((id) => ({ ...endpoint, id })),
      ),
    ],
    [
      'a description that is empty, and one of 512',
      listing(
        { ...endpoint, description: '' },
        { ...endpoint, id: 'psc-2', description: '🙂'.repeat(512) },
      ),
    ],
    [
      'the other policies',
      {
        ...good,
        adoptPrivateEndpoints: false,
        deletionPolicy: 'RemovePrivateEndpoints',
        mode: 'Plan',
        suspend: true,
        reassertInterval: '24h',
      },
    ],
    [
      '100 endpoints with ids of 512',
      listing(...many(100, (index) => `${index}-`.padEnd(512, 'x'))),
    ],
  ])('%s', async ([, spec]) => {
    expect(await answers(JSON.parse(JSON.stringify(spec)))).toEqual(TAKEN);
  });

  test('the example', async () => {
    const example = await readFile('deploy/examples/organization.yaml', 'utf8');
    const here = example.replace('namespace: ingest', `namespace: ${namespace}`);
    expect(
      await succeed(['apply', '--server-side', '--dry-run=server', '-f', '-'], here),
    ).toContain('acme');
  });

  test('a null list is none for client-side apply, and is refused by server-side apply', async () => {
    await apply('null-list', { ...good, privateEndpoints: null });
    expect(await stored('null-list')).toEqual(good);
    const refusal = ['apply', '--server-side', '-n', namespace, '-f', '-'];
    expect(
      await complaint(refusal, json('null-list-2', { ...good, privateEndpoints: null })),
    ).toContain('privateEndpoints');
  });
});

test('organizationId cannot change, vanish or be null, and everything else may', async () => {
  await apply('fixed', good);
  const other = { ...good, organizationId: good.organizationId.replace('0', '1') };
  const patch = (type: string, body: unknown) =>
    complaint([
      'patch',
      'porg',
      'fixed',
      '-n',
      namespace,
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
    ]);
  for (const refusal of [
    await patch('merge', { spec: other }),
    await complaint(['apply', '-n', namespace, '-f', '-'], json('fixed', other)),
    await complaint(['replace', '-n', namespace, '-f', '-'], json('fixed', other)),
    await complaint(
      ['apply', '--server-side', '--force-conflicts', '-n', namespace, '-f', '-'],
      json('fixed', other),
    ),
  ])
    expect(refusal).toContain(
      'spec.organizationId: Forbidden: is immutable; create another object for another organization',
    );
  expect(await patch('merge', { spec: { organizationId: null } })).toContain('spec.organizationId');
  expect(await patch('json', [{ op: 'remove', path: '/spec' }])).toContain('spec');
  expect(await patch('merge', { spec: { name: null } })).toContain(
    'must have name, privateEndpoints or both',
  );

  const next = {
    ...listing(endpoint),
    name: 'Other',
    credentialsSecretRef: { name: 'other' },
    mode: 'Plan',
  };
  await apply('fixed', next);
  expect(await stored('fixed')).toEqual(next);
});

/**
 * `[]`, a list and none mean three things: ours go, these are there, not managed. They must not
 * turn into one another.
 */
test.for(['client', 'server'])(
  '[], a list and none are kept apart by %s-side apply',
  async (by) => {
    const name = `kept-by-${by}`;
    const states = {
      none: good,
      empty: listing(),
      one: listing(endpoint),
      two: listing({ ...endpoint, id: 'psc-2', description: 'x' }, endpoint),
    } as const;
    const walk = 'none empty none two one empty two none'.split(' ');
    for (const [index, to] of walk.entries()) {
      const spec = states[to as keyof typeof states];
      const way = by === 'server' ? ['apply', '--server-side'] : ['apply'];
      const printed = await succeed(
        [...way, '-n', namespace, '-o', 'json', '-f', '-'],
        json(name, spec),
      );
      const kept = (JSON.parse(printed) as { readonly spec: unknown }).spec;
      expect({ from: walk[index - 1], to, kept }).toEqual({
        from: walk[index - 1],
        to,
        kept: spec,
      });
    }
  },
);
