import { globSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { newNamespace } from '../../controlplane/client.ts';
import { ensureCrds } from '../../support/crd.ts';
import { GOOD, idsOf, KINDS, type Kind, manifestOf } from '../../support/kinds.ts';
import { applyYaml, complaint, succeed } from '../../support/kubectl.ts';

/** What kubectl makes of edits: ids stay, and `[]`, a list and none are three things. */

let namespace: string;
beforeAll(async () => {
  await ensureCrds();
  namespace = await newNamespace();
});

const FILE = ['-f', '-'];
const FORCED = ['apply', '--server-side', '--force-conflicts'];
const json = (kind: Kind, name: string, spec: unknown) =>
  JSON.stringify(manifestOf(kind, name, spec));

async function apply(kind: Kind, spec: unknown, ...way: readonly string[]): Promise<unknown> {
  const args = ['apply', ...way, '-n', namespace, '-o', 'jsonpath={.spec}', ...FILE];
  return JSON.parse(await succeed(args, json(kind, `edited-${way.length}`, spec)));
}

const WHATS: Readonly<Record<string, string>> = { activityId: 'record' };
const OTHERS: Partial<Record<Kind, object>> = {
  pset: { settings: { object_storage_concurrency: 3 }, mode: 'Plan', reassertInterval: '24h' },
  porg: { name: 'Other', privateEndpoints: [], mode: 'Plan', deletionPolicy: 'Retain' },
};

describe.each(KINDS)('the ids of a %s', (kind) => {
  const ids = Object.fromEntries(idsOf(kind).map((id) => [id, crypto.randomUUID()]));
  const spec = { ...GOOD[kind], ...ids };
  beforeAll(() => succeed(['apply', '-n', namespace, ...FILE], json(kind, 'fixed', GOOD[kind])));

  test.each([
    ['apply', ['apply', ...FILE]],
    ['apply --server-side', [...FORCED, ...FILE]],
    ['replace', ['replace', ...FILE]],
    ['patch', ['patch', kind, 'fixed', '--type=merge', '-p', JSON.stringify({ spec })]],
  ])('cannot be changed by %s', async (_, args) => {
    const refusal = await complaint([...args, '-n', namespace], json(kind, 'fixed', spec));
    for (const id of Object.keys(ids)) {
      const what = WHATS[id] ?? id.replace('Id', '');
      const says = `is immutable; create another object for another ${what}`;
      expect(refusal).toMatch(new RegExp(`spec\\.${id}: .*${says}`));
    }
  });

  test('cannot vanish, and everything else may change', async () => {
    const patch = ['patch', kind, 'fixed', '-n', namespace];
    const none = Object.fromEntries(Object.keys(ids).map((id) => [id, null]));
    const nulled = [...patch, '--type=merge', '-p', JSON.stringify({ spec: none })];
    const refusal = await complaint(nulled);
    for (const id of Object.keys(ids)) expect(refusal).toContain(`spec.${id}`);
    const removal = JSON.stringify([{ op: 'remove', path: '/spec' }]);
    expect(await complaint([...patch, '--type=json', '-p', removal])).toContain('spec');
    const next = {
      ...GOOD[kind],
      ...OTHERS[kind],
      suspend: true,
      credentialsSecretRef: { name: 'another' },
    };
    const args = ['apply', '-n', namespace, '-o', 'jsonpath={.spec}', ...FILE];
    expect(JSON.parse(await succeed(args, json(kind, 'fixed', next)))).toEqual(next);
  });
});

describe.each([
  ['client', []],
  ['server', ['--server-side']],
])('%s-side apply', (_, way) => {
  test('keeps a list, an empty list and none apart, in every order', async () => {
    const one = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
    const states: Readonly<Record<string, object>> = {
      none: GOOD.porg,
      empty: { ...GOOD.porg, privateEndpoints: [] },
      one: { ...GOOD.porg, privateEndpoints: [one] },
      two: { ...GOOD.porg, privateEndpoints: [{ ...one, id: 'psc-2', description: 'x' }, one] },
    };
    for (const to of 'none empty none two one empty two none'.split(' '))
      expect({ to, spec: await apply('porg', states[to], ...way) }).toEqual({
        to,
        spec: states[to],
      });
  });

  test('changes additional settings in type and number, and takes them away', async () => {
    const states = [{ a: 1, b: true }, { a: 'text', c: false }, {}, undefined];
    for (const additionalSettings of states) {
      const spec = { ...GOOD.pset, ...(additionalSettings && { additionalSettings }) };
      expect(await apply('pset', spec, ...way)).toEqual(spec);
    }
  });
});

test('the examples that are shipped are taken', async () => {
  const args = ['apply', '--server-side', '--dry-run=server', '-n', 'ingest', '-f'];
  await applyYaml('{ apiVersion: v1, kind: Namespace, metadata: { name: ingest } }');
  const said = await succeed([...args, 'deploy/examples']);
  const files = globSync('deploy/examples/*.yaml');
  expect(files.length).toBeGreaterThanOrEqual(KINDS.length);
  for (const file of files)
    expect(said).toContain(`/${/name: ([a-z-]+)/.exec(readFileSync(file, 'utf8'))?.[1]} `);
});
