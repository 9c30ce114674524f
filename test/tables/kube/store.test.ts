import { expect, test } from 'vitest';
import { Store } from '../../../src/kube/store.ts';

interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly spec: string;
}

/** `a5`: "a" at version 5; `a'5`: another one of that name; `A5`: in another namespace. */
function thing(text: string, spec = 'red'): Thing {
  const [, letter = '', quote = '', resourceVersion = ''] = /^(\w)('*)(\d+)$/.exec(text) ?? [];
  const name = letter.toLowerCase();
  const namespace = letter === name ? 'ns' : 'elsewhere';
  const metadata = { name, namespace, uid: `${letter}${quote}`, creationTimestamp: '' };
  return { metadata: { ...metadata, resourceVersion }, spec };
}

/** A store, and what it says of each change. */
function aStore() {
  const news: string[] = [];
  const store = new Store<Thing>({
    trim: (object) => object,
    indexes: { colour: ({ spec }) => spec },
    onChange: (_key, now, before, origin) => {
      const { uid = '', resourceVersion = '-' } = now?.metadata ?? { uid: before?.metadata.uid };
      news.push(`${origin} ${uid}${resourceVersion}`);
    },
  });
  return { store, news };
}

const ACTS = /^(list|list-ns|begin|end|reply|added|modified|deleted)$/;
const TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const;

/** Each in turn: a list with its version, or only its beginning or end; an event; a reply. */
function play(store: Store<Thing>, script: string): void {
  let end: ReturnType<typeof store.beginList> = () => undefined;
  for (const step of script.split(', ')) {
    const [act = '', ...words] = step.split(' ');
    if (!ACTS.test(act)) throw new Error(`"${act}" does nothing`);
    const version = words.at(-1)?.startsWith('@') ? words.pop()?.slice(1) : undefined;
    const objects = words.map((word) => thing(word));
    if (act === 'list' || act === 'begin') end = store.beginList();
    if (act === 'list-ns') end = store.beginList('ns');
    if (version !== undefined) end(objects, version);
    if (act === 'reply') objects.map((object) => store.put(object));
    if (act === 'added' || act === 'modified' || act === 'deleted')
      for (const object of objects) store.apply(TYPES[act], object);
  }
}

// What comes after a list of "a" at version 5, and what is said of it.
test.each([
  ['takes a newer reply', 'reply a12', 'event a12'],
  ['takes a reply of more digits', 'reply a100', 'event a100'],
  ['takes no reply that is as old', 'reply a5', ''],
  ['takes no reply of another object of that name', "reply a'12", ''],
  ['revives nothing by a late reply', 'deleted a12, reply a11', 'event a-'],
  ['says its own write once', 'reply a11, modified a11', 'event a11'],
  ['takes no late event', 'modified a4', ''],
  ['takes another object of a name', "added a'3", "event a'3"],
  ['drops what has left the selector', 'reply a12, deleted a11', 'event a12, event a-'],
  ['replaces all by a list, newer or not', 'list a900, list a7 b8 @9', 'list a7, list b8'],
  ['drops what a list has not', 'list @20', 'list a-'],
  ['keeps a reply since the list began', 'begin, reply a21, end a5 @20', 'event a21'],
  ['keeps no reply older than the list', 'begin, reply a19, end @20', 'event a19, list a-'],
  ['keeps no reply from before the list', 'reply a21, list @20', 'event a21, list a-'],
  ['lets a list speak for its namespace alone', 'added A5, list-ns @20', 'event A5, list a-'],
])('the store %s', (_what, script, expected) => {
  const { store, news } = aStore();
  play(store, `list a5 @10, ${script}`);
  expect(news.slice(1).join(', ')).toBe(expected);
});

test('an index finds an object by what it is now, and not once it is gone', () => {
  const { store } = aStore();
  const found = (colour: string) => [...store.byIndex('colour', colour)].length;
  const steps: [() => unknown, red: number, blue: number][] = [
    [() => play(store, 'list a5 b5 @10'), 2, 0],
    [() => store.put(thing('a11', 'blue')), 1, 1],
    [() => store.apply('MODIFIED', thing('b12', 'blue')), 0, 2],
    [() => store.apply('DELETED', thing('a13')), 0, 1],
    [() => play(store, 'list b14 @20'), 1, 0],
  ];
  for (const [step, red, blue] of steps) {
    step();
    expect([found('red'), found('blue')]).toEqual([red, blue]);
  }
});
