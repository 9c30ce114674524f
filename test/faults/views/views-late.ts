import { setTimeout as pause } from 'node:timers/promises';
import type { Org } from '../../support/organizations.ts';
import { openStage } from '../stage.ts';
import { createView, delay, nameOf, type View, type Write } from './views.ts';
import { type Act, castOf, dealtWith, perform } from './views-acts.ts';
import { type Outcome, SORTS, type Sort, type Subject } from './views-subjects.ts';

/** Acts, each as soon as what comes of the one before stands in the API server. */
export interface Late {
  readonly name: string;
  readonly sort: Sort;
  readonly acts: readonly Act[];
  /** The answer to the first write of a result never comes back. */
  readonly isLost: boolean;
}

const ACTS: readonly Pick<Late, 'acts' | 'isLost'>[] = [
  { isLost: false, acts: ['make 1', 'change 2', 'change 3'] },
  { isLost: false, acts: ['make 1', 'change 2', 'change 1'] },
  { isLost: false, acts: ['make 1', 'suspend 2', 'change 2'] },
  { isLost: false, acts: ['make 1', 'remove', 'make 1'] },
  { isLost: false, acts: ['make 1', 'remove', 'make 2'] },
  { isLost: false, acts: ['make 1', 'heir 3', 'remove'] },
  { isLost: true, acts: ['make 1', 'change 2'] },
];

export const LATE: readonly Late[] = SORTS.flatMap((sort, i) =>
  ACTS.map((acts, j) => ({ ...acts, sort, name: `s${i}-l${j}` })),
);

export interface Told {
  readonly outcome: Outcome;
  readonly calls: readonly unknown[];
  /** What each write that was taken said, in order. */
  readonly said: readonly string[];
  readonly heirSaid: readonly string[];
}

/** Long enough for what should not come once the last line has. */
const QUIET_MS = 1_000;

/** How watches tell what happens. */
export type Telling = 'as it happens' | '5 s late' | 'twice';

const LAG_MS = 5_000;

/** All cases at once before one operator whose watches tell it so. */
export async function runLate(telling: Telling): Promise<ReadonlyMap<string, Told>> {
  const cases = LATE;
  const lagMs = telling === '5 s late' ? LAG_MS : 0;
  const view = createView();
  const stage = await openStage({ kube: view.handlers });
  const stop = begin(telling, view);
  const toLose = new Set(cases.filter(({ isLost }) => isLost).map(({ name }) => name));
  view.take(async (passing) => {
    const name = nameOf(passing.path);
    if (
      !passing.path.endsWith('/status') ||
      !saysOf(passing.body).startsWith('True') ||
      !toLose.delete(name)
    )
      return false;
    await passing.forward();
    passing.sever();
    return true;
  });
  try {
    await stage.start();
    const casts = cases.map((one) => ({ ...one, cast: castOf(stage, one.sort, one.name) }));
    await Promise.all(
      casts.map(async ({ cast, acts }) => {
        for (const [index, act] of acts.entries()) {
          await perform(cast, act);
          await dealtWith(cast, acts.slice(0, index + 1));
        }
      }),
    );
    await pause(lagMs + QUIET_MS);
    const saidOf = ({ name, plural }: Subject): readonly string[] =>
      redated(
        view.writes
          .filter((one) => one.name === name && one.plural === plural && one.code < 300)
          .map(said),
      );
    const results = casts.map(async ({ name, cast: { subject, heir } }) => {
      const outcome = await subject.outcome();
      return [
        name,
        { outcome, calls: subject.calls(), said: saidOf(subject), heirSaid: saidOf(heir) },
      ] as const;
    });
    return new Map(await Promise.all(results));
  } finally {
    stop();
    await stage.end();
  }
}

/** The function returned ends it. */
function begin(telling: Telling, view: View): () => void {
  switch (telling) {
    case 'as it happens':
      return () => undefined;
    case '5 s late':
      return delay(view, LAG_MS);
    case 'twice':
      return view.wear(({ text }) => [text, text]);
  }
}

/**
 * An intent that has become old before it could leave, on a slow machine, is written down once more
 * with its new time.
 */
function redated(all: readonly string[]): readonly string[] {
  return all.filter((one, index) => !one.startsWith('Unknown Pending') || one !== all[index + 1]);
}

function said({ body }: Write): string {
  const { metadata } = body as { metadata?: { finalizers?: unknown } };
  return metadata && 'finalizers' in metadata
    ? `finalizers ${JSON.stringify(metadata.finalizers)}`
    : saysOf(body);
}

/** What a status says of itself in short. */
function saysOf(body: unknown): string {
  const { status } = body as Partial<Pick<Org, 'status'>>;
  const ready = status?.conditions.find(({ type }) => type === 'Ready');
  const pending = status?.pendingChange;
  const change = pending ? ` +${pending.add.length} -${pending.remove.length}` : '';
  return `${ready?.status} ${ready?.reason} of generation ${ready?.observedGeneration}${change}`;
}
