import type { Passing } from '../proxy.ts';
import { isRemote, type Label, labelOf } from './crash-calls.ts';

/** One call of the operator that arrived at either proxy, for the object that the test is about. */
export interface Taken {
  readonly label: Label;
  readonly body: unknown;
  /** By the operator's clock. */
  readonly arrivedAt: number;
  /** Which process sent it, counted from 1. */
  readonly life: number;
  /** For a change of endpoints: the object at its arrival. */
  readonly onRecord?: unknown;
}

/**
 * One call to come: of all with this label the nth, counted from 1 from the moment the tap is told.
 */
export interface Place {
  readonly label: Label;
  readonly nth: number;
}

/** Between the operator and both its APIs. */
export interface Tap {
  /** All calls so far, in order. */
  readonly taken: readonly Taken[];
  /** For both proxies. */
  take(passing: Passing): Promise<void>;
  /** Gives the call at that place to `meet`, in place of letting it pass. */
  meetAt(place: Place, meet: (passing: Passing) => Promise<void>): void;
  /** Lets a call pass: its work is done and its answer leaves. */
  pass(passing: Passing): Promise<void>;
  /**
   * Has the work of a call done when its sender has given it up and gone on; that of a write to
   * Kubernetes right before the next call with this label, if one is given.
   */
  keepForLater(passing: Passing, before?: Label): void;
  /** Ends the process; nothing that it has sent and that has not passed gets any further. */
  die(): Promise<void>;
  /** Ends the process when it makes its next call, which gets nowhere. */
  dieAtNext(): void;
  /** The process to come is another one. */
  revive(): void;
  /** Resolves when nothing is left that is done late. */
  settled(): Promise<void>;
}

interface Late {
  readonly label: Label | undefined;
  readonly before: Label | undefined;
  readonly finish: () => Promise<void>;
}

/** Counts the operator's calls for one object over both APIs. */
export function createTap(options: {
  readonly kill: () => Promise<void>;
  /** The object as it stands. */
  readonly present: () => Promise<unknown>;
  /** The operator's wall clock, epoch ms. */
  readonly now: () => number;
  /** The longest time that the management API is at work on a request whose caller has gone. */
  readonly apiTimeoutMs: number;
}): Tap {
  const { kill, present, now, apiTimeoutMs } = options;
  const taken: Taken[] = [];
  const lates = new Set<Late>();
  let life = 1;
  let death: Promise<void> | undefined;
  let isLast = false;
  let awaited:
    | (Place & { seen: number; readonly meet: (passing: Passing) => Promise<void> })
    | undefined;

  function meetingAt(label: Label): ((passing: Passing) => Promise<void>) | undefined {
    if (awaited?.label !== label) return undefined;
    awaited.seen += 1;
    if (awaited.seen < awaited.nth) return undefined;
    const { meet } = awaited;
    awaited = undefined;
    return meet;
  }

  const tap: Tap = {
    taken,
    async take(passing) {
      const label = labelOf(passing);
      if (label && isLast) void tap.die();
      if (death) return;
      if (!label) return tap.pass(passing);
      const { body } = passing;
      const arrivedAt = now();
      const onRecord = label === 'change' ? { onRecord: await present() } : {};
      taken.push({ label, body, arrivedAt, life, ...onRecord });
      await (meetingAt(label) ?? tap.pass)(passing);
    },
    meetAt(place, meet) {
      awaited = { ...place, seen: 0, meet };
    },
    /**
     * What was given up lands: a write to Kubernetes before the next call, a change at the API
     * after the next reply.
     */
    async pass(passing) {
      const label = labelOf(passing);
      const unseen = label ? [...lates] : [];
      for (const late of unseen) if (isBefore(label, late)) await late.finish();
      await passing.forward();
      await passing.reply();
      if (label && isRemote(label))
        for (const late of unseen) if (isToRemote(late)) await late.finish();
    },
    keepForLater(passing, before) {
      const label = labelOf(passing);
      let work: Promise<unknown> | undefined;
      const finish = async (): Promise<void> => {
        clearTimeout(timer);
        work ??= passing.forward().finally(() => lates.delete(late));
        await work;
      };
      const late = { label, before, finish };
      const timer =
        label && isRemote(label) ? setTimeout(() => void finish(), apiTimeoutMs) : undefined;
      lates.add(late);
    },
    die() {
      isLast = false;
      death ??= kill();
      return death;
    },
    dieAtNext() {
      isLast = true;
    },
    revive() {
      life += 1;
      death = undefined;
      isLast = false;
    },
    async settled() {
      await Promise.all([...lates].map(({ finish }) => finish()));
    },
  };
  return tap;
}

function isToRemote({ label }: Late): boolean {
  return label !== undefined && isRemote(label);
}

function isBefore(next: Label | undefined, late: Late): boolean {
  return !isToRemote(late) && (late.before === undefined || late.before === next);
}
