import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../controlplane/client.ts';
import { openStage } from '../stage.ts';
import { createView, EXPIRED } from './views.ts';
import { type Act, castOf, dealtWith, perform } from './views-acts.ts';
import { listsOf, liveThrough, markersThrough } from './views-past.ts';
import { SORTS, type Sort } from './views-subjects.ts';

export interface AgainCase {
  readonly name: string;
  readonly sort: Sort;
  readonly lived: readonly Act[];
}

const LIVED: readonly (readonly Act[])[] = [
  [],
  ['change 3'],
  ['change 3', 'change 1'],
  ['remove'],
  ['remove', 'make 1'],
  ['remove', 'make 3'],
  ['heir 3', 'remove'],
];

export const AGAIN: readonly AgainCase[] = SORTS.flatMap((sort, i) =>
  LIVED.map((lived, j) => ({ name: `s${i}-a${j}`, sort, lived })),
);

export interface AgainResult {
  /** Calls and writes while it was shown again what it had seen. */
  readonly replayed: readonly unknown[];
  /** Calls and writes while lists came from the past and users went on. */
  readonly past: readonly unknown[];
  /** Bodies of the calls for what users did then. */
  readonly atTruth: readonly string[];
}

const QUIET_MS = 1_000;

/**
 * One operator lives through everything, is shown all of it a second time, and then lists from
 * before; users change what is left meanwhile.
 */
export async function runAgain(
  cases: readonly AgainCase[] = AGAIN,
): Promise<ReadonlyMap<string, AgainResult>> {
  const view = createView();
  const stage = await openStage({ kube: view.handlers });
  const casts = cases.map((one) => ({ ...one, cast: castOf(stage, one.sort, one.name) }));
  const doneSince = (calls: readonly number[], writes: number): unknown[][] =>
    casts.map(({ name, cast }, index) => [
      ...cast.subject.calls().slice(calls[index]),
      ...view.writes.slice(writes).filter((write) => write.name.startsWith(name)),
    ]);
  const callsNow = (): number[] => casts.map(({ cast }) => cast.subject.calls().length);
  try {
    await stage.start();
    await Promise.all(casts.map(({ cast }) => liveThrough(cast, ['make 1'], [])));
    const lists = await listsOf(stage.namespace);
    await Promise.all(casts.map(({ cast, lived }) => liveThrough(cast, lived, ['make 1'])));
    await pause(QUIET_MS);

    const [calls, writes, lines] = [callsNow(), view.writes.length, [...view.lines]];
    for (const watch of stage.kube.watches) {
      for (const { text, plural } of lines)
        if (watch.path.includes(`/${plural}?`)) watch.send(text);
    }
    await markersThrough(stage);
    await pause(QUIET_MS);
    const replayed = doneSince(calls, writes);

    const answered = view.answerLists(lists);
    for (const watch of stage.kube.watches)
      if (!watch.path.includes('/secrets?')) watch.send(EXPIRED);
    await waitFor(() => answered.count() >= lists.size, { what: 'lists to be asked for again' });
    const left = casts.filter(({ lived }) => lived.at(-1) !== 'remove');
    await Promise.all(left.map(({ cast }) => perform(cast, 'change 4')));
    await pause(QUIET_MS);
    const past = doneSince(calls, writes).map((done, index) => done.slice(replayed[index]?.length));

    const callsBefore = callsNow();
    answered.end();
    await Promise.all(
      left.map(({ cast, lived }) => dealtWith(cast, ['make 1', ...lived, 'change 4'])),
    );
    await pause(QUIET_MS);
    const results = casts.map(({ name, cast }, index) => {
      const atTruth = cast.subject
        .calls()
        .slice(callsBefore[index])
        .map((body) => JSON.stringify(body));
      return [name, { replayed: replayed[index] ?? [], past: past[index] ?? [], atTruth }] as const;
    });
    return new Map(results);
  } finally {
    await stage.end();
  }
}
