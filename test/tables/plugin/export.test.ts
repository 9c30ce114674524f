import { loadYaml } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ACME, endpoint, listing, PIPE, stored } from './objects.ts';
import { pipewright } from './run.ts';

const metadata = {
  labels: { team: 'data', 'argocd.argoproj.io/instance': 'theirs' },
  annotations: { note: 'not of a manifest' },
};
const verified = { time: '2026-03-01T11:00:00Z', apiHash: 'a' };

/** The manifest as every reader of YAML gets it, and the comments around it. */
async function exported(kind: string, spec: object, status: object) {
  const live = stored(kind, spec, { metadata, status: { verified, ...status } });
  const { code, stdout, stderr } = await pipewright(['export', `${kind}/one`], { get: live });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const manifest = parse(stdout, { version: '1.2' });
  expect(parse(stdout, { version: '1.1' })).toEqual(manifest);
  expect(loadYaml(stdout)).toEqual(manifest);
  const [first, ...comments] = stdout.match(/^ *#.*$/gm)?.map((line) => line.trim()) ?? [];
  expect(first).toBe(
    '# Completed from the response of 2026-03-01T11:00:00Z (1h ago); later changes at the API are not in it.',
  );
  return { manifest, stdout, comments };
}

test('a pipe has declared settings as they are, and the others as reported', async () => {
  const settings = { engine_max_threads: 4, object_storage_concurrency: 99 };
  const { manifest, comments } = await exported('PipeSettings', PIPE, {
    settings: { ...settings, engine_max_insert_threads: 2 },
    otherSettings: [{ field: 'new_setting', value: '1' }],
  });
  expect(manifest).toEqual({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name: 'one', namespace: 'ingest', labels: { team: 'data' } },
    spec: { ...PIPE, settings: { engine_max_threads: 8, engine_max_insert_threads: 2 } },
  });
  expect(comments).toEqual([
    '# new_setting is left out: to manage it, declare it in additionalSettings.',
    '# object_storage_concurrency is left out: 99, as reported, cannot be declared.',
    '# engine_max_threads stays as declared, though the API reported 4.',
  ]);
});

test.each<[string, object, object, object, string[]]>([
  [
    'none has all that can be listed, and whether to own them is to be chosen',
    { name: 'Mine' },
    listing('psc-1', 'no " id'),
    { name: 'Mine', privateEndpoints: [endpoint('psc-1')] },
    [
      '# name stays as declared, though the API reported "Acme".',
      '# 1 of the 2 private endpoints cannot be shown or listed.',
      '# Choose: with adoptPrivateEndpoints: true this object owns the private endpoints that it lists,',
      '# and removes them once they are unlisted; without it, it never removes them.',
    ],
  ],
  [
    'some has those, and the others in comments',
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
])('an organization that lists %s', async (_, spec, status, expected, more) => {
  const { manifest, comments } = await exported('Organization', { ...ACME, ...spec }, status);
  expect(manifest.spec).toEqual({ ...ACME, ...expected });
  expect(comments).toEqual(more);
});

const NAMES = [
  ['yes', 'No', 'on', 'y', 'null', '~', '.inf', '=', '<<', '- a', 'a: b', 'a #b', ' a', 'a '],
  ['1e3', '0x10', '010', '0o7', '1_000', '1:30', '2026-01-01', "'", '"', '\\', '*a', '@a'],
  ['{{ a }}', 'a\nb\n', '\u001b[31m', 'a\u2028b', '\u{1f642}\u{e0001}', 'word '.repeat(50)],
];
test.each(NAMES.flat())('the name %j is written so that every reader gets that', async (name) => {
  const { manifest, stdout } = await exported('Organization', { ...ACME, name }, listing());
  expect(manifest.spec.name).toBe(name);
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028]/u);
});
