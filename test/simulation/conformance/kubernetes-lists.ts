import { describe, expect, test } from 'vitest';
import { LEASE } from '../../../src/kube/lease/lease-record.ts';
import { compareVersions } from '../../../src/kube/resource.ts';
import { SECRET } from '../../../src/kube/secrets/secret-state.ts';
import { type Collection, collectionOf, done, versionOf } from './kubernetes-collection.ts';
import { EXAMPLES, PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import { type Answer, NOWHERE, type Open, type Told } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;

async function withThings(open: Open, ...names: readonly string[]): Promise<Collection> {
  const things = await collectionOf(open, type);
  for (const name of names) done(await things.create(name, { spec }));
  return things;
}

function namesOf(list: Told): (string | undefined)[] {
  return (list.items ?? []).map(({ metadata }) => metadata.name);
}

function tokenOf({ metadata }: Told): string {
  return metadata.continue ?? '';
}

/** What a list holds, whole and in pages. */
export function listCases(open: Open): void {
  describe.each(EXAMPLES)('a list of $type.kind', (example) => {
    test('has every object as it is, in the order of names, and a version of its own', async () => {
      const things = await collectionOf(open, example.type);
      const made: Told[] = [];
      for (const name of ['b', 'a-b', 'c', 'a'])
        made.push(done(await things.create(name, { spec: example.spec })));
      const list = done(await things.list());
      const { kind, group, version } = example.type;
      expect(list).toMatchObject({ kind: `${kind}List`, apiVersion: `${group}/${version}` });
      const [b, ab, c, a] = made;
      expect(list.items).toEqual([a, ab, b, c]);
      expect(tokenOf(list)).toBe('');
      for (const object of made)
        expect(compareVersions(versionOf(list), versionOf(object))).toBeGreaterThanOrEqual(0);
    });

    test('is empty where there is nothing, and where no such namespace is', async () => {
      const things = await collectionOf(open, example.type);
      for (const there of [things, things.in(NOWHERE)]) {
        const list = done(await there.list());
        expect(list.items).toEqual([]);
        expect(versionOf(list)).toMatch(/^[1-9]\d*$/);
      }
    });
  });

  describe('a list', () => {
    test.each([LEASE, SECRET])(
      'of $kind, which is no kind of ours, does not name the kind in every item',
      async (type) => {
        const things = await collectionOf(open, type);
        const { apiVersion: _, kind: __, ...made } = done(await things.create('a'));
        const list = done(await things.list());
        expect(list.kind).toBe(`${type.kind}List`);
        expect(list.items).toEqual([made]);
      },
    );

    test('shows at once what was written, and no more what was deleted', async () => {
      const things = await withThings(open, 'a', 'b');
      const before = done(await things.list());
      const edited = done(await things.patch('a', { spec: { suspend: true } }));
      done(await things.delete('b'));
      const after = done(await things.list());
      expect(after.items).toEqual([edited]);
      expect(compareVersions(versionOf(after), versionOf(before))).toBeGreaterThan(0);
    });

    test('of one namespace has nothing of another, one of all has both, by namespace and name', async () => {
      const things = await withThings(open, 'b', 'a');
      const other = things.in(await things.under.newNamespace());
      done(await other.create('a', { spec }));
      expect(namesOf(done(await things.list()))).toEqual(['a', 'b']);
      const ours = [things.namespace ?? '', other.namespace ?? ''].sort();
      const items = done(await things.everywhere().list()).items ?? [];
      const found = items.filter(({ metadata }) => ours.includes(metadata.namespace ?? ''));
      const expected = ours.flatMap((namespace) =>
        (namespace === things.namespace ? ['a', 'b'] : ['a']).map((name) => `${namespace}/${name}`),
      );
      expect(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(
        expected,
      );
    });

    test('by name has the one object or none', async () => {
      const things = await withThings(open, 'a', 'b');
      const byName = async (name: string) =>
        namesOf(done(await things.list({ fieldSelector: `metadata.name=${name}`, limit: '1' })));
      expect(await byName('b')).toEqual(['b']);
      expect(await byName('c')).toEqual([]);
    });

    test('by a field that cannot be selected is refused', async () => {
      const things = await withThings(open);
      const answer = await things.list({ fieldSelector: 'metadata.uid=a' });
      expectRefused(answer, { status: 400, reason: 'BadRequest' });
    });

    test('by labels has what carries them all', async () => {
      const things = await collectionOf(open, type);
      done(await things.create('a', { spec }, { labels: { 'example.com/team': 'x', tier: '1' } }));
      done(await things.create('b', { spec }, { labels: { 'example.com/team': 'x' } }));
      done(await things.create('c', { spec }));
      const byLabels = async (labelSelector: string) =>
        namesOf(done(await things.list({ labelSelector })));
      expect(await byLabels('example.com/team=x')).toEqual(['a', 'b']);
      expect(await byLabels('example.com/team==x,tier=1')).toEqual(['a']);
      expect(await byLabels('tier=2')).toEqual([]);
      expectRefused(await things.list({ labelSelector: 'tier===1' }), {
        status: 400,
        reason: 'BadRequest',
      });
    });

    test.each([type, SECRET])(
      'of metadata only shows neither spec nor data ($kind)',
      async (type) => {
        const things = await collectionOf(open, type);
        const content = type === SECRET ? { data: { keyId: btoa('id') } } : { spec };
        const { metadata } = done(await things.create('a', content, { labels: { a: '1' } }));
        const list = done(await things.listMetadata({ fieldSelector: 'metadata.name=a' }));
        expect(list).toMatchObject({
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
        });
        expect(list.items).toEqual([
          { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
        ]);
        expect(
          compareVersions(versionOf(list), metadata.resourceVersion ?? ''),
        ).toBeGreaterThanOrEqual(0);
      },
    );
  });

  test('a list that is empty has no items at all where it is of metadata only', async () => {
    const things = await withThings(open);
    expect(done(await things.listMetadata()).items).toBeNull();
    expect(done(await things.beside(SECRET).listMetadata()).items).toBeNull();
    expect(done(await things.beside(SECRET).list()).items).toEqual([]);
  });

  describe('a list in pages', () => {
    test('is as of its first page, whatever happens meanwhile', async () => {
      const things = await withThings(open, 'a', 'b', 'c', 'd', 'e');
      const whole = done(await things.list());
      const first = done(await things.list({ limit: '2' }));
      done(await things.create('bb', { spec }));
      done(await things.create('f', { spec }));
      done(await things.delete('c'));
      done(await things.patch('d', { spec: { suspend: true } }));
      const second = done(await things.list({ limit: '2', continue: tokenOf(first) }));
      done(await things.delete('e'));
      const third = done(await things.list({ limit: '2', continue: tokenOf(second) }));
      expect([first, second, third].map(namesOf)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect([first, second, third].flatMap(({ items }) => items ?? [])).toEqual(whole.items);
      for (const page of [second, third]) expect(versionOf(page)).toBe(versionOf(first));
      expect(tokenOf(third)).toBe('');
    });

    test('may go on twice from the same place, and with pages of another size', async () => {
      const things = await withThings(open, 'a', 'b', 'c', 'd');
      const first = done(await things.list({ limit: '1' }));
      done(await things.delete('d'));
      const again = (more: object) => things.list({ continue: tokenOf(first), ...more });
      const pages = await Promise.all([again({ limit: '2' }), again({ limit: '2' }), again({})]);
      expect(pages.map((page) => namesOf(done(page)))).toEqual([
        ['b', 'c'],
        ['b', 'c'],
        ['b', 'c', 'd'],
      ]);
    });

    test('ends with a page that is just full', async () => {
      const things = await withThings(open, 'a', 'b', 'c', 'd');
      const first = done(await things.list({ limit: '2' }));
      const second = done(await things.list({ limit: '2', continue: tokenOf(first) }));
      expect(namesOf(second)).toEqual(['c', 'd']);
      expect(tokenOf(second)).toBe('');
      expect(tokenOf(done(await things.list({ limit: '4' })))).toBe('');
    });

    test('counts what is selected only, and may be of metadata', async () => {
      const things = await withThings(open, 'a', 'c', 'e');
      for (const name of ['b', 'd', 'f'])
        done(await things.create(name, { spec }, { labels: { team: 'x' } }));
      const query = { labelSelector: 'team=x', limit: '2' };
      const first = done(await things.listMetadata(query));
      const second = done(await things.listMetadata({ ...query, continue: tokenOf(first) }));
      expect([first, second].map(namesOf)).toEqual([['b', 'd'], ['f']]);
      expect(second.items?.[0]).toMatchObject({ kind: 'PartialObjectMetadata' });
    });

    test('is over for who has lost the place', async () => {
      const things = await withThings(open, 'a');
      expectRefused(await things.list({ limit: '1', continue: 'x' }), {
        status: 400,
        reason: 'BadRequest',
      });
    });

    test('is refused as of a version that is still to come, and to be asked for again', async () => {
      const things = await withThings(open, 'a', 'b');
      const first = done(await things.list({ limit: '1' }));
      const answer = await things.list({ limit: '1', continue: tokenOfTheFuture(first) });
      expectRefused(answer, {
        status: 504,
        reason: 'Timeout',
        message: { with: 'Too large resource version' },
      });
      expect(answer.body.details).toMatchObject({ retryAfterSeconds: 1 });
    });
  });
}

/** Lists that take longer than the server keeps what they are made of. */
export function forgottenCases(open: Open): void {
  test('a list in pages cannot go on as of a version that the server has forgotten, and begins anew', async () => {
    const things = await collectionOf(open, SECRET);
    for (const name of ['a', 'b']) done(await things.create(name));
    const first = done(await things.list({ limit: '1' }));
    let answer: Answer | undefined;
    await things.under.until('the version to be forgotten', async () => {
      answer = await things.list({ limit: '1', continue: tokenOf(first) });
      return answer.status !== 200;
    });
    if (answer) expectRefused(answer, { status: 410, reason: 'Expired' });
    expect(namesOf(done(await things.list()))).toEqual(['a', 'b']);
  });
}

/** A token says where its list goes on, and `rv` as of which version. */
function tokenOfTheFuture(page: Told): string {
  const place = JSON.parse(Buffer.from(tokenOf(page), 'base64url').toString()) as {
    readonly rv: number;
  };
  return Buffer.from(JSON.stringify({ ...place, rv: place.rv + 1_000_000 })).toString('base64url');
}
