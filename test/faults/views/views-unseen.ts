import { waitFor } from '../../controlplane/client.ts';
import type { Stage } from '../stage.ts';
import { hide, type View } from './views.ts';
import { type Act, castOf, dealtWith, perform } from './views-acts.ts';
import type { Outcome, Sort } from './views-subjects.ts';

/**
 * Acts of which the operator is not told one. Each is told of by one event, and the last is told of
 * always.
 */
export interface Unseen {
  readonly name: string;
  readonly sort: Sort;
  readonly acts: readonly Act[];
  /** How many events come before the one that is kept from it. */
  readonly after: number;
  readonly pace: 'at once' | 'one by one';
}

const SEQUENCES: Readonly<Record<Sort, readonly (readonly Act[])[]>> = {
  PipeSettings: [
    ['make 1', 'remove', 'make 2', 'touch'],
    ['make 1', 'change 2', 'change 3', 'touch'],
    ['make 1', 'change 2', 'change 1', 'touch'],
    ['make 1', 'suspend 2', 'change 2', 'touch'],
    ['make 1', 'change 2', 'remove', 'make 1', 'touch'],
  ],
  Organization: [
    ['make 1', 'remove', 'make 1', 'touch'],
    ['make 1', 'change 2', 'change 3', 'touch'],
    ['make 1', 'change 2', 'change 1', 'touch'],
  ],
  'held Organization': [
    ['make 1', 'remove', 'touch', 'make 2', 'touch'],
    ['make 1', 'change 2', 'change 3', 'touch'],
  ],
};

/** With a shard of its own for the operator: `label b` takes an object out of it. */
const IN_AND_OUT: Readonly<Record<Sort, readonly (readonly Act[])[]>> = {
  PipeSettings: [
    ['make 1', 'label b', 'change 2', 'label a', 'touch'],
    ['make 1', 'label b', 'remove', 'make 2', 'touch'],
    ['make 1', 'label b', 'label a', 'change 2', 'touch'],
  ],
  Organization: [['make 1', 'label b', 'change 2', 'label a', 'touch']],
  'held Organization': [['make 1', 'label b', 'change 2', 'label a', 'touch']],
};

export const UNSEEN = casesOf(SEQUENCES, 'u');
export const UNSEEN_SHARD = casesOf(IN_AND_OUT, 'v');

function casesOf(sequences: typeof SEQUENCES, prefix: string): readonly Unseen[] {
  const cases: Unseen[] = [];
  for (const [sort, all] of Object.entries(sequences) as [Sort, readonly (readonly Act[])[]][]) {
    for (const acts of all) {
      for (const pace of ['at once', 'one by one'] as const) {
        // A DELETE that is in the API server while the finalizer is being put on deletes all the
        // same.
        if (sort === 'held Organization' && acts.includes('remove') && pace === 'at once') continue;
        const events = acts.filter((_, index) => isTold(acts, index)).length - 1;
        for (let after = 0; after < events; after += 1) {
          cases.push({ name: `${prefix}${cases.length}`, sort, acts, after, pace });
        }
      }
    }
  }
  return cases;
}

/** What happens outside of the shard, or to an object that may be gone, need not be told. */
function isTold(acts: readonly Act[], index: number): boolean {
  const act = acts[index] ?? '';
  if (act === 'touch' && index < acts.length - 1) return false;
  return !isOutside(acts.slice(0, index)) || act === 'label a' || act.startsWith('make');
}

function isOutside(acts: readonly Act[]): boolean {
  return acts.findLast((act) => act.startsWith('label') || act.startsWith('make')) === 'label b';
}

export interface Seen {
  readonly hidden: number;
  readonly outcome: Outcome;
  readonly calls: readonly unknown[];
}

export async function runUnseen(stage: Stage, view: View, one: Unseen): Promise<Seen> {
  const { name, sort, acts, after, pace } = one;
  const cast = castOf(stage, sort, name);
  let news = 0;
  const { hidden } = hide(view, (shown) => {
    if (shown.object.metadata.name !== name || !shown.isNews) return false;
    news += 1;
    return news === after + 1;
  });
  let told = -1;
  for (const [index, act] of acts.entries()) {
    await perform(cast, act);
    if (isTold(acts, index)) told += 1;
    const done = acts.slice(0, index + 1);
    if (pace === 'at once' || isOutside(done)) continue;
    if (told === after)
      await waitFor(() => hidden() === 1, {
        what: `${act} of ${name} to be kept from the operator`,
      });
    else await dealtWith(cast, done);
  }
  await dealtWith(cast, acts);
  return { hidden: hidden(), outcome: await cast.subject.outcome(), calls: cast.subject.calls() };
}
