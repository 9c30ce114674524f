import { Store } from '../../../src/kube/store.ts';

export interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly spec?: string;
}

/** `a5`: "a" at version 5; `a'5`: another one of that name; `A5`: in another namespace. */
export function thing(text: string, spec = 'red'): Thing {
  const [, letter = '', quote = '', resourceVersion = ''] = /^(\w)('?)(\d+)$/.exec(text) ?? [];
  const name = letter.toLowerCase();
  const namespace = letter === name ? 'ns' : 'elsewhere';
  const uid = `${letter}${quote}`;
  const times = { creationTimestamp: '2026-01-01T00:00:00Z' };
  return { metadata: { name, namespace, uid, resourceVersion, ...times }, spec };
}

/** A store, what it tells of each change, and what its news add up to. */
export function aStore() {
  const news: string[] = [];
  const told = new Map<string, Thing>();
  const store = new Store<Thing>({
    trim: (object) => object,
    indexes: { colour: ({ spec }) => spec },
    onChange: (key, now, before, origin) => {
      if (told.get(key) !== before) news.push(`${key} is not told of what it was before`);
      if (now) told.set(key, now);
      else told.delete(key);
      const { uid = '', resourceVersion = '-' } = now?.metadata ?? { uid: before?.metadata.uid };
      news.push(`${origin} ${uid}${resourceVersion}`);
    },
  });
  return { store, news, told };
}
