import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../controlplane/client.ts';
import { asAdmin } from '../../support/cluster.ts';
import type { Org } from '../../support/organizations.ts';
import { openStage, type Stage } from '../stage.ts';
import { createView, EXPIRED, holdUp } from './views.ts';
import { type Act, type Cast, castOf, dealtWith, perform } from './views-acts.ts';
import { type Outcome, SORTS, type Sort, subjectOf } from './views-subjects.ts';

/** When the lists were made that a later operator gets. */
export type Snapshot =
  | 'before anything was applied'
  | 'when all was applied'
  | 'before a change was acted on';

/** How the truth comes to an operator that looks at the past. */
export type Arrival = 'the watch catches up' | 'the watch is refused with 410';

/** What happens between that moment and the truth, each acted on before the next. */
const MEANWHILE: readonly (readonly Act[])[] = [
  [],
  ['change 3'],
  ['change 3', 'change 1'],
  ['suspend 3'],
  ['remove'],
  ['remove', 'make 1'],
  ['remove', 'make 3'],
  ['heir 3', 'remove'],
];

export interface PastCase {
  readonly sort: Sort;
  readonly meanwhile: readonly Act[];
  readonly name: string;
}

export const CASES: readonly PastCase[] = SORTS.flatMap((sort, i) =>
  MEANWHILE.map((meanwhile, j) => ({ sort, meanwhile, name: `s${i}-m${j}` })),
);

/** What came of one case. */
export interface PastResult {
  /**
   * Where it stood before the operator looked at the past, and once the truth had come; the heir's
   * beside it.
   */
  readonly before: readonly Outcome[];
  readonly after: readonly Outcome[];
  /** What was sent while it looked at the past, and afterwards. */
  readonly calls: readonly unknown[];
  readonly callsThen: readonly unknown[];
  /** Statuses that were taken while it looked at the past. */
  readonly said: readonly Org['status'][];
}

const KINDS = ['pipesettings', 'organizations'] as const;
/** Long enough for calls that should not come. */
const QUIET_MS = 1_000;

/** The lists of both kinds as they are now, by plural. */
export async function listsOf(namespace: string): Promise<ReadonlyMap<string, string>> {
  const lists = KINDS.map(async (plural) => {
    const list = await asAdmin(
      'GET',
      `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}`,
    );
    return [plural, JSON.stringify(list)] as const;
  });
  return new Map(await Promise.all(lists));
}

/**
 * One operator lives through everything; another starts with lists from before, and learns the
 * truth.
 */
export async function runPast(
  snapshot: Snapshot,
  arrival: Arrival,
  cases: readonly PastCase[] = CASES,
): Promise<ReadonlyMap<string, PastResult>> {
  const view = createView();
  const stage = await openStage({ kube: view.handlers });
  const casts = cases.map((one) => ({ ...one, cast: castOf(stage, one.sort, one.name) }));
  try {
    const lists = await live(stage, casts, snapshot);
    await pause(QUIET_MS);
    const before = await Promise.all(casts.map(({ cast }) => outcomesOf(cast)));
    const callsBefore = casts.map(({ cast }) => cast.subject.calls().length);
    const writesBefore = view.writes.length;

    const past = view.answerLists(lists);
    const letGo = holdUp(view);
    const done = (): number => stage.simulator.callCount() + view.writes.length;
    await stage.start();
    await untilQuiet(done);
    const calls = casts.map(({ cast }, index) => cast.subject.calls().slice(callsBefore[index]));
    const writes = view.writes.slice(writesBefore).filter(({ code }) => code < 300);
    past.end();
    if (arrival === 'the watch is refused with 410')
      for (const watch of stage.kube.watches) watch.send(EXPIRED);
    letGo();
    await markersThrough(stage);
    await untilAtRest(stage.namespace);
    await untilQuiet(done);
    const results = casts.map(async ({ name, cast }, index) => {
      const inPast = calls[index] ?? [];
      const result: PastResult = {
        before: before[index] ?? [],
        after: await outcomesOf(cast),
        calls: inPast,
        callsThen: cast.subject.calls().slice((callsBefore[index] ?? 0) + inPast.length),
        said: writes.filter((write) => write.name === name).map(({ body }) => (body as Org).status),
      };
      return [name, result] as const;
    });
    return new Map(await Promise.all(results));
  } finally {
    await stage.end();
  }
}

/**
 * All that happens before the look at the past, with an operator that sees it; gives the lists of
 * that moment.
 */
async function live(
  stage: Stage,
  casts: readonly (PastCase & { readonly cast: Cast })[],
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, string>> {
  const each = (visit: (one: (typeof casts)[number]) => Promise<void>): Promise<unknown> =>
    Promise.all(casts.map(visit));
  const start: Act[] = ['make 1'];
  await each(({ cast }) => perform(cast, 'make 1'));
  let lists = await listsOf(stage.namespace);
  let operator = await stage.start();
  await each(({ cast }) => dealtWith(cast, start));
  if (snapshot === 'when all was applied') lists = await listsOf(stage.namespace);
  if (snapshot === 'before a change was acted on') {
    await operator.kill();
    start.push('change 2');
    await each(({ cast }) => perform(cast, 'change 2'));
    lists = await listsOf(stage.namespace);
    operator = await stage.start();
    await each(({ cast }) => dealtWith(cast, start));
  }
  await each(({ cast, meanwhile }) => liveThrough(cast, meanwhile, start));
  await operator.kill();
  return lists;
}

/** Does one thing after the other, each dealt with before the next. */
export async function liveThrough(
  cast: Cast,
  acts: readonly Act[],
  former: readonly Act[],
): Promise<void> {
  for (const [index, act] of acts.entries()) {
    await perform(cast, act);
    await dealtWith(cast, [...former, ...acts.slice(0, index + 1)]);
  }
}

/** Resolves when this has stayed the same for a second. */
async function untilQuiet(done: () => number): Promise<void> {
  for (let before = -1; before !== done(); await pause(QUIET_MS)) before = done();
}

/** Resolves when no object says that the operator works on it or waits. */
async function untilAtRest(namespace: string): Promise<void> {
  const conditions = async (): Promise<unknown[]> => {
    const lists = [...(await listsOf(namespace)).values()].map(
      (text) => JSON.parse(text) as { items: Org[] },
    );
    return lists.flatMap(({ items }) => items.flatMap(({ status }) => status.conditions));
  };
  await waitFor(conditions, {
    what: 'nothing to be Reconciling',
    until: (all) => all.every((one) => (one as { type: string }).type !== 'Reconciling'),
  });
}

/** Resolves when objects of both kinds that are made now have gone all the way. */
export async function markersThrough(stage: Stage): Promise<void> {
  const markers = (['PipeSettings', 'Organization'] as const).map(async (sort) => {
    const marker = subjectOf(stage, sort, `marker-${sort.toLowerCase()}-${randomUUID()}`);
    await marker.make(9);
    await marker.untilWish(9);
  });
  await Promise.all(markers);
}

async function outcomesOf({ subject, heir }: Cast): Promise<readonly Outcome[]> {
  return Promise.all([subject.outcome(), heir.outcome()]);
}
