import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { manifestOf } from '../../src/cli/export/export.ts';
import { specProblems } from '../../src/cli/spec-problems.ts';
import { definition as organization } from '../../src/kinds/organization/definition.ts';
import { definition as pipeSettings } from '../../src/kinds/pipe-settings/definition.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const METADATA = {
  name: 'one',
  namespace: 'ingest',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-03-01T10:00:00Z',
  labels: { team: 'data', 'argocd.argoproj.io/instance': 'theirs' },
  annotations: { note: 'not of a manifest' },
};
const VERIFIED = { verified: { time: '2026-03-01T11:00:00Z', apiHash: 'a' } };
const SECRET = { credentialsSecretRef: { name: 'api' } };
const ACME = { organizationId: '7f0e0b1d-0000-4000-8000-000000000000', ...SECRET };

function exported(definition: typeof organization, spec: object, status: object) {
  const object = { metadata: METADATA, spec, status: { ...VERIFIED, ...status } };
  const lines = manifestOf({ definition, object }, NOW);
  const manifest = parse(lines.join('\n'));
  expect(specProblems(definition.spec, manifest.spec)).toEqual([]);
  const comments = lines.filter((line) => /^\s*#/.test(line)).map((line) => line.trim());
  return { manifest, comments };
}

test('of a pipe has declared settings as they are, and the others as reported', () => {
  const spec = {
    organizationId: 'o',
    serviceId: 's',
    pipeId: '0123',
    ...SECRET,
    settings: { engine_max_threads: 8 },
  };
  const { manifest, comments } = exported(pipeSettings, spec, {
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
    spec: { ...spec, settings: { engine_max_threads: 8, engine_max_insert_threads: 2 } },
  });
  expect(comments).toEqual([
    '# Completed from the response of 2026-03-01T11:00:00Z (1h ago); later changes at the API are not in it.',
    '# new_setting is left out: to manage it, declare it in additionalSettings.',
    '# object_storage_concurrency is left out: 99, as reported, cannot be declared.',
    '# engine_max_threads stays as declared, though the API reported 4.',
  ]);
});

describe('of an organization', () => {
  const endpoint = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });
  const reported = (...list: readonly object[]) => ({
    organization: { name: 'Acme', privateEndpoints: list, privateEndpointsTotal: list.length },
  });

  test('that lists no endpoints has all, and whether to own them is to be chosen', () => {
    const { manifest, comments } = exported(
      organization,
      { ...ACME, name: 'Mine' },
      reported(endpoint('psc-1'), endpoint('not " plain')),
    );
    expect(manifest.spec).toEqual({ ...ACME, name: 'Mine', privateEndpoints: [endpoint('psc-1')] });
    expect(comments.slice(1)).toEqual([
      '# name stays as declared, though the API reported "Acme".',
      '# 1 of the 2 private endpoints cannot be shown or listed.',
      '# Choose: with adoptPrivateEndpoints: true this object owns the private endpoints that it lists,',
      '# and removes them once they are unlisted; without it, it never removes them.',
    ]);
  });

  test('that lists some has those, and the others in comments', () => {
    const spec = { ...ACME, privateEndpoints: [endpoint('psc-1')] };
    const { manifest, comments } = exported(
      organization,
      spec,
      reported(endpoint('PSC-1'), endpoint('psc-2')),
    );
    expect(manifest.spec).toEqual({ ...spec, name: 'Acme' });
    expect(comments.join('\n')).toContain('# - id: psc-2\n#   cloudProvider: gcp');
    expect(comments.join('\n')).not.toContain('PSC-1');
  });
});

test.each([
  [
    'nothing is reported yet',
    { ...ACME, name: 'Acme' },
    {},
    /porg\/one shows no reply .* kubectl pipewright status porg\/one -n ingest/,
  ],
  [
    'the spec is not valid',
    ACME,
    { organization: {} },
    /porg\/one cannot be completed: .*correct its spec first/,
  ],
])('says what to do where %s', (_, spec, status, says) => {
  const object = { metadata: METADATA, spec, status };
  expect(() => manifestOf({ definition: organization, object }, NOW)).toThrow(says);
});
