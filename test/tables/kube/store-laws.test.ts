import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aStore, type Thing, thing } from './things.ts';

const ACTS = ['write', 'delete', 'event', 'reply', 'begin', 'complete'] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly name: string;
  readonly colour: string;
}

/** A server with one collection, and one process that follows it. */
class World {
  readonly all = aStore();
  readonly server = new Map<string, Thing>();
  /** Replies that took the store back to an older version. */
  readonly wentBack: string[] = [];
  #version = 10;
  /** Events and replies that are still to come. */
  #events: (readonly ['ADDED' | 'MODIFIED' | 'DELETED', Thing])[] = [];
  readonly #replies: Thing[] = [];
  #complete: ReturnType<World['all']['store']['beginList']> | undefined;

  constructor() {
    this.all.store.beginList()([], '10');
  }

  step({ act, name, colour }: Step): void {
    if (act === 'write') this.#write(name, colour);
    else if (act === 'delete') this.#delete(name);
    else if (act === 'event') this.#event();
    else if (act === 'reply') this.#reply();
    else if (act === 'begin') this.#complete ??= this.all.store.beginList();
    else if (this.#complete) {
      this.#complete([...this.server.values()], String(this.#version));
      this.#complete = undefined;
      this.#events = [];
    }
  }

  /** Everything that is under way arrives, replies last. */
  settle(): void {
    this.step({ act: 'complete', name: '', colour: '' });
    while (this.#events.length > 0) this.#event();
    while (this.#replies.length > 0) this.#reply();
  }

  #write(name: string, colour: string): void {
    const held = this.server.get(name);
    const uid = held?.metadata.uid ?? `uid-${this.#version}`;
    const object = this.#next(thing(`${name}0`, colour), uid);
    this.server.set(name, object);
    this.#events.push([held ? 'MODIFIED' : 'ADDED', object]);
    this.#replies.push(object);
  }

  #delete(name: string): void {
    const held = this.server.get(name);
    if (!held) return;
    this.server.delete(name);
    this.#events.push(['DELETED', this.#next(held, held.metadata.uid)]);
  }

  #event(): void {
    const event = this.#complete ? undefined : this.#events.shift();
    if (event) this.all.store.apply(...event);
  }

  #reply(): void {
    const reply = this.#replies.shift();
    if (!reply) return;
    const { store } = this.all;
    const key = `ns/${reply.metadata.name}`;
    const before = store.get(key)?.metadata;
    store.put(reply);
    const after = store.get(key)?.metadata;
    const isBack = Number(after?.resourceVersion) < Number(before?.resourceVersion);
    if (isBack && after?.uid === before?.uid) this.wentBack.push(key);
  }

  #next(object: Thing, uid: string): Thing {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
  }
}

test('whatever comes in which order, in the end it holds what the server has, and every index too', () => {
  const step = fc.record<Step>({
    act: fc.constantFrom(...ACTS),
    name: fc.constantFrom('a', 'b', 'c'),
    colour: fc.constantFrom('red', 'blue'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new World();
      for (const one of steps) world.step(one);
      world.settle();
      const { store, told, news } = world.all;
      const expected = sorted(world.server.values());
      expect(sorted(store.values())).toEqual(expected);
      expect(sorted(told.values())).toEqual(expected);
      for (const colour of ['red', 'blue'])
        expect(sorted(store.byIndex('colour', colour))).toEqual(
          expected.filter(({ spec }) => spec === colour),
        );
      expect([...world.wentBack, ...news.filter((line) => line.includes('not told'))]).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

function sorted(things: Iterable<Thing>): Thing[] {
  return [...things].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}
