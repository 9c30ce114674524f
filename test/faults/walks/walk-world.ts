import { randomUUID } from 'node:crypto';
import { waitFor } from '../../controlplane/client.ts';
import type { Behaviour, Simulator } from '../../simulator/types.ts';
import { type InnerOperator, startInner } from '../../support/inner-operator.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { type KindName, type Maker, makersOf } from '../../support/states.ts';
import type { Drawing, Key, Spec } from './walk-draw.ts';

/** One kind on walks, on an API with rules of its own. */
export interface Walker {
  readonly kind: KindName;
  readonly api: Behaviour;
  readonly drawing: Drawing;
  /** Whether an object made anew goes on where the one before stopped. */
  readonly mayRecreate: boolean;
  /** What the API has before the object comes. */
  begin(world: World, name: string): void;
  theirs(world: World, name: string, value: number): void;
  /** All that the API holds for an object. */
  held(world: World, name: string): unknown;
  /**
   * Gives another object's API what this one's holds, but for what its spec will set; absent: all
   * of it.
   */
  give(world: World, name: string, held: unknown, changedBy?: Spec): void;
  /** What is held where the spec is confirmed: what it declares, and all else as it was. */
  wants(held: unknown, spec: Spec): unknown;
  /** What the API makes of a spec that it does not take as it is. */
  refusal(spec: Spec): 'Rejected' | 'NotConfirmed' | undefined;
  /** Whether it takes the rest of a spec that it refuses. */
  readonly isPartlyTaken: boolean;
}

/** An operator with an API of its own, for all walks of one kind. */
export interface World {
  readonly scene: Scene;
  readonly simulator: Simulator;
  readonly make: Maker;
  /** Lets the object's Secret be so. */
  setKey(name: string, key: Key): Promise<void>;
  /**
   * Ends the operator and starts another. One of this process ends between two attempts: of a
   * change that was about to be sent then, and that other walks' waits make old, nobody could tell
   * any more whose it is.
   */
  restart(): Promise<void>;
  /**
   * Lets time pass, where it can be made to, once no call is under way, which would be out of time.
   */
  wait(minutes: number): Promise<void>;
  end(): Promise<void>;
}

/** Many walks keep it busy. */
const IDLE_MS = 60_000;

/**
 * `bundle`: a process that is killed to restart; `inner`: in this process, with a clock to turn.
 */
export async function openWorld({ kind, api }: Walker, as: 'bundle' | 'inner'): Promise<World> {
  const scene = await openScene({ start: false, flags: ['--api-timeout', '2s'], logLevel: 'info' });
  const { simulator } = scene;
  simulator.play(api);
  let inner: InnerOperator | undefined;
  const start = async (): Promise<void> => {
    if (as === 'bundle') await scene.start();
    else inner = await startInner(scene, inner && { clock: inner.clock });
  };
  await start();
  const make = makersOf(scene)[kind];
  const pairs = new Map<
    string,
    { readonly key: Key; readonly id: string; readonly secret: string }
  >();
  let restarted = Promise.resolve();

  return {
    scene,
    simulator,
    make,
    async setKey(name, key) {
      const secretName = make.keyOf(name);
      const former = pairs.get(name);
      const pair =
        former?.key === key ? former : { key, id: `key-${randomUUID()}`, secret: randomUUID() };
      pairs.set(name, pair);
      // Nobody tells in what order: the operator may hear of an edit before it hears of the key,
      // and must not get on with the former one.
      if (former && former !== pair) simulator.setKey(former.id, undefined);
      if (key === 'good') simulator.setKey(pair.id, pair.secret);
      const data = {
        good: { keyId: pair.id, keySecret: pair.secret },
        wrong: { keyId: pair.id, keySecret: 'wrong' },
        empty: { nothing: 'here' },
      };
      // One that is not there is deleted by being there first.
      await scene.secret(secretName, key === 'absent' ? data.empty : data[key]);
      if (key === 'absent') await scene.removeSecret(secretName);
    },
    restart() {
      restarted = restarted.then(async () => {
        await (inner ? stopIdle(inner) : scene.operator().kill());
        await start();
      });
      return restarted;
    },
    async wait(minutes) {
      const pass = (): boolean => {
        if (inner && !inner.isIdle()) return false;
        inner?.clock.advance(minutes * 60_000);
        return true;
      };
      await waitFor(pass, { what: 'the operator to be idle', timeoutMs: IDLE_MS });
    },
    async end() {
      await inner?.stop();
      await scene.end();
    },
  };
}

/** Looks and stops in one go: nothing begins between the two. */
async function stopIdle(inner: InnerOperator): Promise<void> {
  const stop = (): { readonly stopped: Promise<void> } | undefined =>
    inner.isIdle() ? { stopped: inner.stop() } : undefined;
  const stopping = await waitFor(stop, { what: 'the operator to be idle', timeoutMs: IDLE_MS });
  await stopping?.stopped;
}
