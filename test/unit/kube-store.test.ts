import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareVersions, type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { anObject } from '../support/kube-server.ts';

type Type = 'ADDED' | 'MODIFIED' | 'DELETED';

function aStore() {
  const changes: string[] = [];
  /** What the changes add up to. */
  const told = new Map<string, KubeObject>();
  const store = new Store<KubeObject>({
    trim: (object) => object,
    indexes: { colour: ({ spec }) => spec as string | undefined },
    onChange: (key, now, before, origin) => {
      expect(told.get(key)).toBe(before);
      if (now) told.set(key, now);
      else told.delete(key);
      const version = now ? ` @${now.metadata.resourceVersion}` : ' gone';
      changes.push(`${origin} ${key.split('/')[1]}${version}`);
    },
  });
  return { store, changes, told };
}

function listed(...objects: KubeObject[]) {
  const all = aStore();
  all.store.beginList()(objects, '10');
  all.changes.length = 0;
  return all;
}

describe('a reply', () => {
  test.each([
    ['newer than what is held', anObject('a', '12'), true],
    ['of more digits', anObject('a', '100'), true],
    ['as old', anObject('a', '5'), false],
    ['older', anObject('a', '4'), false],
    ['of another object of that name', anObject('a', '12', { uid: 'other' }), false],
    ['of an object that is not held', anObject('b', '12'), false],
  ])('%s is taken: %#', (_, reply, isTaken) => {
    const { store, changes } = listed(anObject('a', '5'));
    store.put(reply);
    const { resourceVersion } = reply.metadata;
    expect(changes).toEqual(isTaken ? [`event a @${resourceVersion}`] : []);
  });

  test('does not bring back what was deleted while it was on its way', () => {
    const { store } = listed(anObject('a', '5'));
    store.apply('DELETED', anObject('a', '12'));
    store.put(anObject('a', '11'));
    expect([...store.values()]).toEqual([]);
  });

  test('that is newer leaves nothing for the event of the same write to tell', () => {
    const { store, changes } = listed(anObject('a', '5'));
    store.put(anObject('a', '11'));
    store.apply('MODIFIED', anObject('a', '11'));
    expect(changes).toEqual(['event a @11']);
  });
});

describe('a list', () => {
  test('replaces all, also what is newer than it, as after a restored backup', () => {
    const { store, changes } = listed(anObject('a', '900'), anObject('b', '5'), anObject('c', '6'));
    store.beginList()([anObject('a', '7'), anObject('d', '8')], '20');
    expect(changes).toEqual(['list a @7', 'list d @8', 'list b gone', 'list c gone']);
  });

  test('leaves what a reply has brought since it was begun, if that is newer than the list', () => {
    const { store } = listed(anObject('a', '5'), anObject('b', '5'), anObject('c', '5'));
    const complete = store.beginList();
    store.put(anObject('a', '21'));
    store.put(anObject('b', '22'));
    store.put(anObject('c', '19'));
    complete([anObject('a', '5')], '20');
    expect([...store.values()].map(({ metadata }) => metadata.resourceVersion)).toEqual([
      '21',
      '22',
    ]);
    // What came before the next list was begun does not count there.
    store.beginList()([], '20');
    expect([...store.values()]).toEqual([]);
  });

  test('of one namespace says nothing of others', () => {
    const { store } = listed(anObject('a', '5'), anObject('b', '5', { namespace: 'elsewhere' }));
    store.beginList('ns')([], '20');
    expect([...store.values()].map(keyOf)).toEqual(['elsewhere/b']);
  });
});

test('another object under the same name takes its place', () => {
  const { store, changes } = listed(anObject('a', '5'));
  store.apply('ADDED', anObject('a', '3', { uid: 'other' }));
  expect(changes).toEqual(['event a @3']);
});

interface Step {
  readonly act: 'write' | 'delete' | 'event' | 'reply' | 'begin' | 'complete';
  readonly name: string;
  readonly colour: string;
}

/** An API server with one collection, and one process that follows it. */
class World {
  readonly all = aStore();
  readonly server = new Map<string, KubeObject>();
  #version = 10;
  #uids = 0;
  /** Events that are still to come. */
  #events: { type: Type; object: KubeObject }[] = [];
  #replies: KubeObject[] = [];
  #list: { complete: ReturnType<Store<KubeObject>['beginList']> } | undefined;

  constructor() {
    this.all.store.beginList()([], '10');
  }

  step({ act, name, colour }: Step): void {
    const { store } = this.all;
    const held = this.server.get(name);
    if (act === 'write') {
      const uid = held?.metadata.uid ?? `uid-${(this.#uids += 1)}`;
      const object = anObject(name, this.#next(), { uid, spec: colour });
      this.server.set(name, object);
      this.#events.push({ type: held ? 'MODIFIED' : 'ADDED', object });
      this.#replies.push(object);
    } else if (act === 'delete' && held) {
      this.server.delete(name);
      const metadata = { ...held.metadata, resourceVersion: this.#next() };
      this.#events.push({ type: 'DELETED', object: { ...held, metadata } });
    } else if (act === 'event' && !this.#list) {
      const event = this.#events.shift();
      if (event) store.apply(event.type, event.object);
    } else if (act === 'reply') {
      const reply = this.#replies.shift();
      if (reply) this.#takes(reply);
    } else if (act === 'begin') {
      this.#list ??= { complete: store.beginList() };
    } else if (act === 'complete' && this.#list) {
      this.#list.complete([...this.server.values()], String(this.#version));
      this.#list = undefined;
      this.#events = [];
    }
  }

  /** Everything that is under way arrives, replies last. */
  settle(): void {
    for (const act of ['complete', ...this.#events.map(() => 'event')] as const)
      this.step({ act: act as Step['act'], name: '', colour: '' });
    while (this.#replies.length > 0) this.step({ act: 'reply', name: '', colour: '' });
  }

  #takes(reply: KubeObject): void {
    const { store } = this.all;
    const before = store.get(keyOf(reply))?.metadata;
    store.put(reply);
    const { uid, resourceVersion = '' } = store.get(keyOf(reply))?.metadata ?? {};
    if (before?.uid === uid && compareVersions(resourceVersion, before?.resourceVersion ?? '') < 0)
      throw new Error(`a reply takes ${before?.name} back to ${resourceVersion}`);
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

test('whatever comes in which order, in the end it holds what the server has, and every index too', () => {
  const step = fc.record<Step>({
    act: fc.constantFrom('write', 'delete', 'event', 'reply', 'begin', 'complete'),
    name: fc.constantFrom('a', 'b', 'c'),
    colour: fc.constantFrom('red', 'blue'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new World();
      for (const one of steps) world.step(one);
      world.settle();
      const { store, told } = world.all;
      const sorted = (objects: Iterable<KubeObject>) =>
        [...objects].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      expect(sorted(store.values())).toEqual(sorted(world.server.values()));
      expect(sorted(told.values())).toEqual(sorted(store.values()));
      for (const colour of ['red', 'blue'])
        expect(sorted(store.byIndex('colour', colour))).toEqual(
          sorted(world.server.values()).filter(({ spec }) => spec === colour),
        );
    }),
    { numRuns: 400 },
  );
});
