import { loadYaml } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ACME, endpoint, listing, PIPE, stored, verified } from './plugin/objects.ts';
import { pipewright } from './plugin/run.ts';

const labels = { team: 'data', 'argocd.argoproj.io/instance': 'theirs' };
const metadata = { labels, annotations: { note: 'not of a manifest' } };

/** The manifest as every reader of YAML gets it, and the comments around it. */
async function exported(kind: string, spec: object, status: object) {
  const live = stored(kind, spec, { metadata, status: { verified, ...status } });
  const { code, stdout, stderr } = await pipewright(['export', `${kind}/one`], { get: live });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const manifest = parse(stdout, { version: '1.2' });
  expect(parse(stdout, { version: '1.1' })).toEqual(manifest);
  expect(loadYaml(stdout)).toEqual(manifest);
  const comments = stdout.match(/^ *#.*$/gm)?.map((line) => line.trim()) ?? [];
  return { manifest, stdout, comments };
}

describe('a pipe', () => {
  test('has declared settings as they are, and the others as reported', async () => {
    const { manifest, comments } = await exported('PipeSettings', PIPE, {
      settings: {
        engine_max_threads: 4,
        object_storage_concurrency: 99,
        engine_max_insert_threads: 2,
      },
      otherSettings: [{ field: 'new_setting', value: '1' }],
    });
    expect(manifest).toEqual({
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      metadata: { name: 'one', namespace: 'ingest', labels: { team: 'data' } },
      spec: { ...PIPE, settings: { engine_max_threads: 8, engine_max_insert_threads: 2 } },
    });
    expect(comments).toEqual([
      '# Completed from the response of 2026-03-01T11:00:00Z (1h ago); later changes at the API are not in it.',
      '# new_setting is left out: to manage it, declare it in additionalSettings.',
      '# object_storage_concurrency is left out: 99, as reported, cannot be declared.',
      '# engine_max_threads stays as declared, though the API reported 4.',
    ]);
  });
});

describe('an organization', () => {
  const choose = [
    '# Choose: with adoptPrivateEndpoints: true this object owns the private endpoints that it lists,',
    '# and removes them once they are unlisted; without it, it never removes them.',
  ];
  const cut = { ...endpoint('psc-1'), description: 'what the status has c…' };
  const listed = { organization: { name: 'Acme', privateEndpoints: [cut, endpoint('no " id')] } };
  test.each<[string, object, object, object, string[]]>([
    [
      'that lists none has all that can be listed, and whether to own them is to be chosen',
      { name: 'Mine' },
      { organization: { ...listed.organization, privateEndpointsTotal: 2 } },
      { name: 'Mine', privateEndpoints: [endpoint('psc-1')] },
      [
        '# name stays as declared, though the API reported "Acme".',
        '# 1 of the 2 private endpoints cannot be shown or listed.',
        ...choose,
      ],
    ],
    [
      'that adopts has nothing to choose',
      { adoptPrivateEndpoints: true },
      listing('psc-1'),
      { adoptPrivateEndpoints: true, privateEndpoints: [endpoint('psc-1')] },
      [],
    ],
    [
      'that lists some has those, and the others in comments',
      { privateEndpoints: [endpoint('psc-1')] },
      listing('PSC-1', 'psc-2'),
      { privateEndpoints: [endpoint('psc-1')] },
      [
        '# Also at the API, and not of this object. To own one too, list it above and set',
        '# adoptPrivateEndpoints: true; else it stays as it is.',
        '# - id: psc-2',
        '#   cloudProvider: gcp',
        '#   region: r1',
      ],
    ],
  ])('%s', async (_, spec, status, expected, more) => {
    const { manifest, comments } = await exported('Organization', { ...ACME, ...spec }, status);
    expect(manifest.spec).toEqual({ ...ACME, ...expected });
    expect(comments.slice(1)).toEqual(more);
  });

  test.each([
    ...['yes', 'No', 'on', 'y', 'null', '~', '.inf', '=', '<<', '- a', 'a: b', 'a #b', ' a', 'a '],
    ...['1e3', '0x10', '010', '0o7', '1_000', '1:30', '2026-01-01', "'", '"', '\\', '*a', '@a'],
    ...['{{ a }}', 'a\nb\n', '\u001b[31m', 'a\u2028b', '\u{1f642}\u{e0001}', 'word '.repeat(50)],
  ])('called %j is written so that every reader gets that', async (name) => {
    const { manifest, stdout } = await exported('Organization', { ...ACME, name }, listing());
    expect(manifest.spec.name).toBe(name);
    expect(stdout).not.toMatch(/[\u001b\u2028]/);
  });
});

test.each<[string, string, object, string]>([
  [
    'porg/one',
    'no reply',
    stored('Organization', ACME),
    'porg/one shows no reply of the API yet, so there is nothing to complete it with; see why: kubectl pipewright status porg/one -n ingest',
  ],
  [
    'pset/one',
    'a spec that is not valid',
    stored('PipeSettings', { ...PIPE, pipeId: undefined }, { status: { settings: {} } }),
    'pset/one cannot be completed: spec.pipeId is required; correct its spec first',
  ],
  [
    'pact/one',
    'a kind that declares nothing',
    {},
    'an Activity declares nothing that a reply could complete; name a PipeSettings or an Organization',
  ],
])('%s, with %s, cannot be exported', async (name, _, object, says) => {
  const { code, stdout, stderr } = await pipewright(['export', name], { get: object });
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `error: ${says}\n` });
});
