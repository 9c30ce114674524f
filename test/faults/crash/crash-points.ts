import { setTimeout as pause } from 'node:timers/promises';
import type { Passing } from '../proxy.ts';
import { isAside, isHarmless, isRemote, type Label } from './crash-calls.ts';
import type { Place, Tap } from './crash-tap.ts';

/**
 * When a call meets its fate. `lost`: sent, and the work is never done. `late`: sent, and done when
 * its sender has gone on without it. `latest`: done right before the next process makes the same.
 * `done`: done, and no reply. `replied`: the reply is there.
 */
export type Moment = 'lost' | 'late' | 'latest' | 'done' | 'replied';

export interface Point extends Place {
  readonly moment: Moment;
}

/**
 * Every moment of every one of these calls; of what changes nothing when it is lost, only those
 * that differ.
 */
export function pointsOf(
  calls: readonly Label[],
  moments: (label: Label) => readonly Moment[] = momentsOf,
): Point[] {
  return calls.flatMap((label, index) => {
    const nth = calls.slice(0, index + 1).filter((one) => one === label).length;
    return moments(label).map((moment) => ({ label, nth, moment }));
  });
}

function momentsOf(label: Label): readonly Moment[] {
  if (isHarmless(label)) return ['lost', 'replied'];
  if (label === 'intent') return ['lost', 'late', 'latest', 'done', 'replied'];
  return isAside(label) ? ['lost', 'done', 'replied'] : ['lost', 'late', 'done', 'replied'];
}

/** The moments at which a connection can break while the process lives on. */
export function brokenMoments(label: Label): readonly Moment[] {
  if (isHarmless(label)) return ['lost'];
  return isRemote(label) ? ['lost', 'late', 'done'] : ['lost', 'done'];
}

/** How long after its reply a process that makes no further call dies. */
const LAST_MS = 25;

/** Kills the process at that point; resolves when it is dead. */
export function killAt(tap: Tap, { moment, ...place }: Point): Promise<void> {
  return new Promise((died, failed) => {
    const die = (): Promise<void> => tap.die().then(died, failed);
    tap.meetAt(place, async (passing) => {
      switch (moment) {
        case 'lost':
          return die();
        case 'late':
        case 'latest':
          tap.keepForLater(passing, moment === 'late' ? undefined : place.label);
          return die();
        case 'done':
          await passing.forward();
          return die();
        case 'replied':
          tap.dieAtNext();
          await tap.pass(passing);
          await pause(LAST_MS);
          return die();
      }
    });
  });
}

/**
 * What becomes of the connection of a call that gets no answer: closed, or left open in silence
 * until the operator gives up.
 */
export type Silence = 'severed' | 'silent';

/**
 * Takes the answer of that call away from a process that lives on; resolves when that has happened.
 */
export function breakAt(tap: Tap, { moment, ...place }: Point, silence: Silence): Promise<void> {
  return new Promise((broken, failed) => {
    const take = async (passing: Passing): Promise<void> => {
      if (moment === 'late') tap.keepForLater(passing);
      if (moment === 'done') await passing.forward();
      if (silence === 'severed') passing.sever();
    };
    tap.meetAt(place, (passing) => take(passing).then(broken, failed));
  });
}

/**
 * Has something happen while that call is under way, which goes on afterwards: `lost` is before its
 * work here, `done` before its reply.
 */
export function meanwhileAt(
  tap: Tap,
  { moment, ...place }: Point,
  happen: () => Promise<void>,
): Promise<void> {
  return new Promise((happened, failed) => {
    const now = (): Promise<void> => happen().then(happened, failed);
    tap.meetAt(place, async (passing) => {
      if (moment === 'done') await passing.forward();
      if (moment !== 'replied') await now();
      if (moment === 'done') await passing.reply();
      else await tap.pass(passing);
      if (moment === 'replied') await now();
    });
  });
}
