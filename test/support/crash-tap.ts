import { setTimeout as pause } from 'node:timers/promises';
import type { Passing } from './crash-proxy.ts';
import type { Org } from './organization-scene.ts';
import { ORGANIZATION } from './scene.ts';

/** When the operator dies, seen from one of its calls; what each means stands at `take`. */
export const MOMENTS = ['lost', 'late', 'done', 'replied'] as const;
export type Moment = (typeof MOMENTS)[number];

/** What the operator can do to one of the two APIs: put the finalizer on or off, write the status, ask, change endpoints. */
export type Label = 'finalizer' | 'intent' | 'result' | 'read' | 'change';

export interface Point {
  /** Counted from 1, from the moment the point is set. */
  readonly at: number;
  readonly moment: Moment;
}

/** One call of the operator that arrived at either proxy, for the object that the test is about. */
export interface Taken {
  readonly label: Label;
  readonly body: unknown;
  readonly arrivedAt: number;
  /** Which process sent it, counted from 1. */
  readonly life: number;
  /** For a change: the object at its arrival. */
  readonly onRecord?: Org | undefined;
}

export interface CrashTap {
  /** All calls so far, in order. */
  readonly taken: readonly Taken[];
  /** For both proxies. */
  take(passing: Passing): Promise<void>;
  /** Counts calls from here on, and kills at that point; resolves when the process is dead. */
  killAt(point: Point): Promise<void>;
  /** The process to come is another one. */
  revive(): void;
  /** Resolves when nothing is left that is done late. */
  settled(): Promise<void>;
}

/** How long after its reply a process that makes no further call dies. */
const LAST_MS = 25;

/** Counts the operator's writes to one object and its PATCHes, over both APIs, and ends the process at one of them. */
export function createTap(options: {
  /** Path of the object at the API server. */
  readonly objectPath: string;
  readonly kill: () => Promise<void>;
  readonly present: () => Promise<Org | undefined>;
  /** The longest time that the management API is at work on a request whose caller has gone. */
  readonly apiTimeoutMs: number;
}): CrashTap {
  const { objectPath, kill, present, apiTimeoutMs } = options;
  const taken: Taken[] = [];
  let life = 1;
  let isDead = false;
  let isLast = false;
  let armed:
    | (Point & { readonly after: number; readonly died: () => void; readonly failed: (why: unknown) => void })
    | undefined;
  const lates = new Set<{ readonly label: Label; readonly finish: () => Promise<void> }>();

  function labelOf({ path, body }: Passing): Label | undefined {
    if (path.endsWith(`/organizations/${ORGANIZATION}`)) return changes(body) ? 'change' : 'read';
    if (path === `${objectPath}/status`) return pendingIn(body) ? 'intent' : 'result';
    return path === objectPath ? 'finalizer' : undefined;
  }

  function die(): void {
    const told = armed;
    armed = undefined;
    isDead = true;
    kill().then(
      () => told?.died(),
      (why: unknown) => told?.failed(why),
    );
  }

  function keepForLater(passing: Passing, label: Label): void {
    let work: Promise<void> | undefined;
    const finish = (): Promise<void> => {
      clearTimeout(timer);
      work ??= passing.forward().finally(() => lates.delete(late));
      return work;
    };
    const late = { label, finish };
    const timer = isRemote(label) ? setTimeout(() => void finish(), apiTimeoutMs) : undefined;
    lates.add(late);
  }

  /** What processes that are dead have sent lands: a write before the first call of the next one, a change after its first reply. */
  async function pass(passing: Passing, label: Label): Promise<void> {
    const unseen = [...lates];
    for (const late of unseen) if (!isRemote(late.label)) await late.finish();
    await passing.forward();
    await passing.reply();
    if (isRemote(label)) for (const late of unseen) await late.finish();
  }

  /**
   * `lost`: sent, and the work is never done. `late`: sent, and done when the next process is at work. `done`: done, and no
   * reply. `replied`: the reply is there; the process dies at its next call, which goes nowhere, or a moment after.
   */
  async function take(passing: Passing): Promise<void> {
    const label = labelOf(passing);
    if (!label) {
      if (isDead) return;
      await passing.forward();
      await passing.reply();
      return;
    }
    if (isLast && !isDead) die();
    if (isDead) return;
    const { body, arrivedAt } = passing;
    const onRecord = label === 'change' ? { onRecord: await present() } : {};
    taken.push({ label, body, arrivedAt, life, ...onRecord });
    if (armed === undefined || taken.length !== armed.after + armed.at) return pass(passing, label);
    switch (armed.moment) {
      case 'lost':
        return die();
      case 'late':
        keepForLater(passing, label);
        return die();
      case 'done':
        await passing.forward();
        return die();
      case 'replied': {
        const told = armed;
        isLast = true;
        await pass(passing, label);
        await pause(LAST_MS);
        if (armed === told) die();
      }
    }
  }

  return {
    taken,
    take,
    killAt: (point) =>
      new Promise((died, failed) => {
        armed = { ...point, after: taken.length, died, failed };
      }),
    revive() {
      life += 1;
      isDead = false;
      isLast = false;
    },
    async settled() {
      await Promise.all([...lates].map(({ finish }) => finish()));
    },
  };
}

function isRemote(label: Label): boolean {
  return label === 'read' || label === 'change';
}

function changes(body: unknown): boolean {
  const { add = [], remove = [] } = (body as { privateEndpoints?: { add?: []; remove?: [] } }).privateEndpoints ?? {};
  return add.length + remove.length > 0;
}

function pendingIn(body: unknown): boolean {
  return (body as { status?: { pendingChange?: unknown } }).status?.pendingChange !== undefined;
}
