import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Store } from '../../src/kube/cache/store.ts';
import { compareVersions, type KubeObject } from '../../src/kube/resource.ts';
import { anObject } from '../support/kube-server.ts';

function aStore() {
  const changes: string[] = [];
  const text = (object: KubeObject | undefined) =>
    object ? `${object.metadata.uid}@${object.metadata.resourceVersion}` : '-';
  const store = new Store<KubeObject>({
    indexes: { spec: (object) => (typeof object.spec === 'string' ? object.spec : undefined) },
    onChange: (key, now, before, origin) =>
      changes.push(`${key} ${text(before)} -> ${text(now)} ${origin}`),
  });
  return {
    store,
    watch: store.sink(),
    changes,
    versionOf: (key: string) => store.get(key)?.metadata.resourceVersion,
  };
}

test('a list tells of what is new, changed and gone, and of nothing else', () => {
  const { watch, changes } = aStore();
  watch.replace([anObject('a', '1'), anObject('b', '2'), anObject('c', '3')], '10', false);
  changes.length = 0;
  watch.replace([anObject('a', '1'), anObject('b', '12'), anObject('d', '11')], '20', false);
  expect(changes.sort()).toEqual([
    'ns/b uid-b@2 -> uid-b@12 list',
    'ns/c uid-c@3 -> - list',
    'ns/d - -> uid-d@11 list',
  ]);
});

test('an event that is not newer than what is held is ignored and tells nobody', () => {
  const { watch, changes, versionOf } = aStore();
  watch.apply('ADDED', anObject('a', '10'));
  changes.length = 0;
  watch.apply('MODIFIED', anObject('a', '9'));
  watch.apply('ADDED', anObject('a', '10'));
  watch.apply('DELETED', anObject('a', '9', { uid: 'former' }));
  expect(changes).toEqual([]);
  expect(versionOf('ns/a')).toBe('10');
});

test('versions are compared as numbers of any length', () => {
  const { watch, versionOf } = aStore();
  watch.apply('ADDED', anObject('a', '999999999999999999999'));
  watch.apply('MODIFIED', anObject('a', '1000000000000000000000'));
  watch.apply('MODIFIED', anObject('a', '999999999999999999999'));
  expect(versionOf('ns/a')).toBe('1000000000000000000000');
});

test('comparing versions agrees with comparing the numbers', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 2n ** 80n }),
      fc.bigInt({ min: 1n, max: 2n ** 80n }),
      (a, b) => {
        expect(Math.sign(compareVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      },
    ),
  );
});

test('the reply to a write replaces what is held when it is newer', () => {
  const { store, watch, versionOf } = aStore();
  watch.replace([anObject('a', '5')], '10', false);
  expect(store.put(anObject('a', '12'))).toBe(true);
  expect(store.put(anObject('a', '11'))).toBe(false);
  expect(versionOf('ns/a')).toBe('12');
});

test.each(['list', 'event', 'bookmark'] as const)(
  'a late reply does not bring back what the watch (%s) saw deleted',
  (how) => {
    const { store, watch } = aStore();
    watch.replace([anObject('a', '5')], '10', false);
    if (how === 'list') watch.replace([], '20', false);
    else watch.apply('DELETED', anObject('a', how === 'event' ? '20' : '15'));
    if (how === 'bookmark') watch.bookmark?.('20');
    expect(store.put(anObject('a', '20'))).toBe(false);
    expect(store.size).toBe(0);
  },
);

test('a list without an object ends it, whatever a reply has said of it meanwhile', () => {
  const { store, watch } = aStore();
  watch.replace([anObject('a', '5')], '9', false);
  store.put(anObject('a', '12'));
  watch.replace([], '11', false);
  expect(store.size).toBe(0);
});

test('an object that left the selector of its watch is gone, whatever a reply has said of it meanwhile', () => {
  const { store, watch } = aStore();
  watch.replace([anObject('a', '5')], '9', false);
  // Relabelled at 10 and written by its new owner at 11, which a GET after a conflict shows before
  // the watch speaks.
  store.put(anObject('a', '11'));
  watch.apply('DELETED', anObject('a', '10'));
  expect(store.size).toBe(0);
  watch.apply('ADDED', anObject('a', '12'));
  expect(store.size).toBe(1);
});

test('a reply never brings in an object that the watch does not show', () => {
  const { store, watch, changes } = aStore();
  watch.replace([anObject('a', '5')], '9', false);
  watch.apply('DELETED', anObject('a', '10'));
  changes.length = 0;
  expect(store.put(anObject('a', '11'))).toBe(false);
  expect([store.size, changes]).toEqual([0, []]);
});

test('nor another one under the name of one that it shows', () => {
  const { store, watch, versionOf } = aStore();
  watch.replace([anObject('a', '5')], '9', false);
  expect(store.put(anObject('a', '11', { uid: 'another' }))).toBe(false);
  expect(versionOf('ns/a')).toBe('5');
});

test('the late end of an object takes nothing from the one that has its name now', () => {
  const { store, watch } = aStore();
  watch.replace([anObject('a', '15', { uid: 'second' })], '20', false);
  watch.apply('DELETED', anObject('a', '10', { uid: 'first' }));
  expect(store.size).toBe(1);
});

test('a list that began before a write does not take back the write', () => {
  const { store, watch, versionOf } = aStore();
  watch.replace([anObject('a', '5')], '10', false);
  store.put(anObject('a', '12'));
  watch.replace([anObject('a', '5')], '11', false);
  expect(versionOf('ns/a')).toBe('12');
});

test('an older version is taken where it stands in place of the one that is held, as after a restored backup', () => {
  const { store, watch, changes, versionOf } = aStore();
  watch.replace([anObject('a', '15')], '20', false);
  changes.length = 0;
  expect(store.put(anObject('a', '9'), anObject('a', '14'))).toBe(false);
  expect(store.put(anObject('a', '9'), anObject('a', '15'))).toBe(true);
  expect([versionOf('ns/a'), changes]).toEqual(['9', ['ns/a uid-a@15 -> uid-a@9 event']]);
  watch.apply('MODIFIED', anObject('a', '10'));
  expect(versionOf('ns/a')).toBe('10');
});

test('the deletion that a write itself brought about is heard, even with the version of the reply', () => {
  const { store, watch } = aStore();
  watch.apply('ADDED', anObject('a', '11'));
  store.put(anObject('a', '12'));
  watch.apply('DELETED', anObject('a', '12'));
  expect(store.size).toBe(0);
});

test('another uid under the same name is delivered as gone, then new', () => {
  const { watch, changes } = aStore();
  watch.replace([anObject('a', '5', { uid: 'first' })], '10', false);
  watch.apply('MODIFIED', anObject('a', '12', { uid: 'second' }));
  watch.replace([anObject('a', '15', { uid: 'third' })], '20', false);
  expect(changes.slice(1)).toEqual([
    'ns/a first@5 -> - event',
    'ns/a - -> second@12 event',
    'ns/a second@12 -> - list',
    'ns/a - -> third@15 list',
  ]);
});

test('events from before the list do not bring back a deleted object', () => {
  const { store, watch } = aStore();
  watch.replace([], '20', false);
  watch.apply('ADDED', anObject('a', '15', { uid: 'old' }));
  expect(store.size).toBe(0);
});

test('a list from a restored backup is the truth', () => {
  const { watch, versionOf } = aStore();
  watch.replace([anObject('a', '90'), anObject('b', '91')], '100', false);
  watch.replace([anObject('a', '40')], '50', true);
  expect([versionOf('ns/a'), versionOf('ns/b')]).toEqual(['40', undefined]);
  watch.apply('MODIFIED', anObject('a', '51'));
  expect(versionOf('ns/a')).toBe('51');
});

test('the newest version that is held is told by scope', () => {
  const { store, watch } = aStore();
  expect(watch.newest?.()).toBe('');
  watch.replace([anObject('a', '9'), anObject('b', '90', { namespace: 'other' })], '100', false);
  expect(watch.newest?.()).toBe('90');
  expect(store.sink('ns').newest?.()).toBe('9');
  store.put(anObject('a', '120'));
  expect(store.sink('ns').newest?.()).toBe('120');
});

test('a list from a restored backup is the truth also where its versions are as high again as those that the watch had seen', () => {
  const { store, watch, versionOf } = aStore();
  watch.replace([anObject('a', '90')], '100', false);
  store.put(anObject('a', '120'));
  watch.replace([anObject('a', '105')], '110', true);
  expect(versionOf('ns/a')).toBe('105');
});

test('a list that shows an older version than it should have is the truth too: the backup was restored, and versions have passed those before', () => {
  const { watch, changes, versionOf } = aStore();
  watch.replace([anObject('a', '90'), anObject('b', '91')], '100', false);
  changes.length = 0;
  watch.replace([anObject('a', '40'), anObject('b', '105')], '110', false);
  expect([versionOf('ns/a'), versionOf('ns/b')]).toEqual(['40', '105']);
  expect(changes).toContain('ns/a uid-a@90 -> uid-a@40 list');
});

test('a version that was given twice, before and after a restored backup, is told by its uid and by what it says', () => {
  const { store, watch, changes } = aStore();
  watch.replace(
    [anObject('a', '90'), anObject('b', '91'), { ...anObject('c', '92'), spec: 'before' }],
    '100',
    false,
  );
  changes.length = 0;
  const edited = { ...anObject('c', '92'), spec: 'after' };
  watch.replace([anObject('a', '90'), anObject('b', '91', { uid: 'new' }), edited], '110', false);
  expect(store.get('ns/c')).toEqual(edited);
  expect(changes.sort()).toEqual([
    'ns/b - -> new@91 list',
    'ns/b uid-b@91 -> - list',
    'ns/c uid-c@92 -> uid-c@92 list',
  ]);
});

test('the list of one namespace says nothing about another', () => {
  const { store, versionOf } = aStore();
  const [one, two] = [store.sink('one'), store.sink('two')];
  one.replace([anObject('a', '5', { namespace: 'one' })], '10', false);
  two.replace([anObject('a', '6', { namespace: 'two' })], '12', false);
  one.replace([], '14', false);
  expect([versionOf('one/a'), versionOf('two/a')]).toEqual([undefined, '6']);
  expect(store.put(anObject('a', '13', { namespace: 'two' }))).toBe(true);
  expect(store.put(anObject('a', '13', { namespace: 'one' }))).toBe(false);
});

test('an index follows every change and forgets values nobody has', () => {
  const { store, watch } = aStore();
  const named = (value: string) =>
    store.byIndex('spec', value).map((object) => object.metadata.name);
  watch.replace(
    [anObject('a', '1', { spec: 'x' }), anObject('b', '2', { spec: 'x' }), anObject('c', '3')],
    '10',
    false,
  );
  expect(named('x')).toEqual(['a', 'b']);
  watch.apply('MODIFIED', anObject('a', '11', { spec: 'y' }));
  watch.apply('DELETED', anObject('b', '12', { spec: 'x' }));
  expect([named('x'), named('y')]).toEqual([[], ['a']]);
  expect(() => store.byIndex('nope', 'x')).toThrow('no index "nope"');
});

test('whoever is told of a change finds the whole list in the store', () => {
  const sizes: number[] = [];
  const store: Store<KubeObject> = new Store({ onChange: () => sizes.push(store.size) });
  store.sink().replace([anObject('a', '1'), anObject('b', '2')], '10', false);
  expect(sizes).toEqual([2, 2]);
});

test('replies are trimmed like everything else', () => {
  const store = new Store<KubeObject>({
    trim: ({ metadata }) => ({ metadata }),
    onChange: () => undefined,
  });
  store.sink().apply('ADDED', anObject('a', '1'));
  store.put(anObject('a', '2', { spec: 'much' }));
  expect(store.get('ns/a')).toEqual(anObject('a', '2'));
});

test('in whatever order news arrives, twice or not at all, the newest stays', () => {
  const versions = fc.shuffledSubarray(['11', '12', '13', '14', '15'], { minLength: 1 });
  fc.assert(
    fc.property(
      versions,
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      (order, asReply) => {
        const { store, watch, versionOf } = aStore();
        watch.replace([anObject('a', '10')], '10', false);
        order.forEach((version, i) => {
          const object = anObject('a', version);
          if (asReply[i]) store.put(object);
          else watch.apply('MODIFIED', object);
        });
        expect(versionOf('ns/a')).toBe([...order].sort().at(-1));
      },
    ),
  );
});
