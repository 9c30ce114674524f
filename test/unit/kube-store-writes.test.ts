import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Store } from '../../src/kube/cache/store.ts';
import type { WatchEvent } from '../../src/kube/cache/watch-event.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anObject } from '../support/kube-server.ts';

const KEY = 'ns/a';

const STEPS = ['edit', 'delete', 'create', 'deliver', 'list', 'write', 'answer'] as const;
type Step = (typeof STEPS)[number];

/** One object on a server, a watch that may be late, and a client that writes what it holds. */
class World {
  #version = 5;
  #made = 1;
  #object: KubeObject | undefined = anObject('a', '5', { uid: 'uid-1', spec: 0 });
  readonly #undelivered: { readonly event: WatchEvent; readonly object: KubeObject }[] = [];
  /** By uid, the newest version that the watch or a reply has told of. */
  readonly #told = new Map<string, string>([['uid-1', '5']]);
  /** Those that ended as something older than was told of them. */
  readonly endedAsOlder: string[] = [];
  /** Specs that somebody was told of who is to look. */
  readonly seen = new Set<unknown>();
  #answer: (() => void) | undefined;
  #written: Promise<void> = Promise.resolve();
  readonly #store = new Store<KubeObject>({
    onChange: (_key, now, before, origin) => {
      if (origin !== 'own-write') this.seen.add(now?.spec);
      if (now || !before) return;
      const { uid, resourceVersion } = before.metadata;
      if (this.#told.get(uid) !== resourceVersion) this.endedAsOlder.push(uid);
    },
  });
  readonly #watch = this.#store.sink();

  constructor() {
    this.#watch.replace(this.#object ? [this.#object] : [], '5', false);
  }

  get stored(): KubeObject | undefined {
    return this.#object;
  }

  get held(): KubeObject | undefined {
    return this.#store.get(KEY);
  }

  async step(step: Step): Promise<void> {
    const now = this.#object;
    if (step === 'edit' && now) this.#set('MODIFIED', { ...now, spec: this.#version });
    if (step === 'delete' && now) this.#set('DELETED', now);
    if (step === 'create' && !now) {
      this.#made += 1;
      this.#set('ADDED', anObject('a', '0', { uid: `uid-${this.#made}`, spec: this.#version }));
    }
    if (step === 'deliver') this.#deliver();
    if (step === 'list') this.#list();
    if (step === 'write' && !this.#answer) this.#write();
    if (step === 'answer') await this.#end();
  }

  async settle(): Promise<void> {
    await this.#end();
    while (this.#undelivered.length > 0) this.#deliver();
  }

  #set(event: WatchEvent, object: KubeObject): void {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    const next = { ...object, metadata: { ...object.metadata, resourceVersion } };
    this.#object = event === 'DELETED' ? undefined : next;
    this.#undelivered.push({ event, object: next });
  }

  #deliver(): void {
    const told = this.#undelivered.shift();
    if (!told) return;
    if (told.event !== 'DELETED') this.#hears(told.object);
    this.#watch.apply(told.event, told.object);
  }

  /** The watch broke, and what it had yet to tell is in a list now. */
  #list(): void {
    this.#undelivered.length = 0;
    const objects = this.#object ? [this.#object] : [];
    this.#watch.replace(objects, String(this.#version), false);
    objects.forEach((object) => this.#hears(object));
  }

  #hears({ metadata: { uid, resourceVersion } }: KubeObject): void {
    const before = this.#told.get(uid);
    if (before === undefined || Number(before) < Number(resourceVersion))
      this.#told.set(uid, resourceVersion);
  }

  /** Carried out at once, with the held version as precondition; answered later. */
  #write(): void {
    const { held } = this;
    if (!held) return;
    const { uid, resourceVersion } = held.metadata;
    const now = this.#object;
    const isCurrent = now?.metadata.uid === uid && now.metadata.resourceVersion === resourceVersion;
    if (isCurrent) this.#set('MODIFIED', now);
    const reply = isCurrent ? this.#object : undefined;
    const answered = new Promise<void>((resolve) => {
      this.#answer = resolve;
    });
    this.#written = answered.then(() => {
      if (!reply) return;
      this.#hears(reply);
      this.#store.put(reply, held, {});
    });
  }

  async #end(): Promise<void> {
    this.#answer?.();
    this.#answer = undefined;
    await this.#written;
  }
}

test('whatever others do between any two steps of a write, the store ends with what the server has, and somebody was told of the last spec', async () => {
  const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const world = new World();
      for (const step of all) await world.step(step);
      await world.settle();
      expect(world.held).toEqual(world.stored);
      expect([...world.seen]).toContain(world.stored?.spec);
      expect(world.endedAsOlder, 'rivals are judged by the last status of what is gone').toEqual(
        [],
      );
    }),
    { numRuns: 2_000 },
  );
});
