import { definitions } from '../../../src/kinds/definitions.ts';
import { waitFor } from '../../controlplane/client.ts';
import { asAdmin } from '../../support/cluster.ts';
import { metric } from '../../support/exposition.ts';
import type { Passing, Watch } from '../proxy.ts';
import { openStage } from '../stage.ts';
import { createView, EXPIRED, hide, pluralOf } from './views.ts';
import { type Act, type Cast, castOf, dealtWith, perform } from './views-acts.ts';
import { markersThrough, type Outcome, SORTS, type Sort } from './views-subjects.ts';

/** How the operator learns that it has missed something. */
export type Notice =
  | 'the watch says 410'
  | 'the watch is cut, and the next one says 410'
  | 'a page of the list is refused with 410';

export interface Gap {
  readonly name: string;
  readonly sort: Sort;
  readonly before: readonly Act[];
  readonly meanwhile: readonly Act[];
}

const BEFORE: readonly Act[] = ['make 1'];
const MEANWHILE: readonly Omit<Gap, 'name' | 'sort'>[] = [
  { before: BEFORE, meanwhile: [] },
  { before: [], meanwhile: ['make 1'] },
  { before: BEFORE, meanwhile: ['change 3'] },
  { before: BEFORE, meanwhile: ['change 3', 'change 1'] },
  { before: BEFORE, meanwhile: ['remove'] },
  { before: BEFORE, meanwhile: ['remove', 'make 1'] },
  { before: BEFORE, meanwhile: ['change 3', 'remove', 'make 3'] },
  { before: ['make 1', 'heir 3'], meanwhile: ['remove'] },
  { before: BEFORE, meanwhile: ['heir 3', 'remove'] },
];

/** An object with a finalizer cannot be gone before the operator has noticed. */
export const GAPS: readonly Gap[] = SORTS.flatMap((sort, i) =>
  MEANWHILE.map((gap, j) => ({ ...gap, sort, name: `s${i}-g${j}` })).filter(
    ({ meanwhile }) =>
      sort !== 'held Organization' ||
      meanwhile.at(-1) === 'remove' ||
      !meanwhile.includes('remove'),
  ),
);

export interface AfterGap {
  readonly outcome: Outcome;
  /**
   * What the heir's ledger says of its endpoints; absent where there is no heir, or it has none.
   */
  readonly heirLedger?: readonly string[];
}

/**
 * Everything comes to pass while the operator sees nothing; then it is told that it has missed
 * something.
 */
export async function runGaps(notice: Notice): Promise<ReadonlyMap<string, AfterGap>> {
  const view = createView();
  const stage = await openStage({ kube: view.handlers, flags: ['--api-timeout', '2s'] });
  const casts = GAPS.map((gap) => ({ gap, cast: castOf(stage, gap.sort, gap.name) }));
  const each = (acts: (gap: Gap) => readonly Act[], wait: boolean): Promise<unknown> =>
    Promise.all(casts.map(({ gap, cast }) => live(cast, acts(gap), wait)));
  try {
    const operator = await stage.start();
    await each(({ before }) => before, true);
    const end = hide(view, () => true, Number.POSITIVE_INFINITY).end;
    if (notice === 'a page of the list is refused with 410') {
      view.take(inPages(stage.namespace, () => each(({ meanwhile }) => meanwhile, false)));
    } else {
      await each(({ meanwhile }) => meanwhile, false);
    }
    if (notice === 'the watch is cut, and the next one says 410') {
      const former = new Set(stage.kube.watches);
      for (const watch of former) watch.sever();
      await waitFor(() => isEveryOneNew(stage.kube.watches, former), {
        what: 'the watches to be opened again',
      });
    }
    end();
    for (const watch of stage.kube.watches) watch.send(EXPIRED);
    await Promise.all(
      casts.map(({ gap, cast }) => dealtWith(cast, [...gap.before, ...gap.meanwhile])),
    );
    // The operator has heard the answers to its last writes when what came after them has gone all
    // the way.
    await markersThrough(stage);
    const counted = metric(await operator.page('metrics'), 'pipewright_resources');
    const present = await objectsIn(stage.namespace);
    if (counted !== present)
      throw new Error(`the operator counts ${counted} objects, and there are ${present}`);
    const results = await Promise.all(
      casts.map(async ({ gap: { name }, cast }) => {
        const ledger = (await cast.heir.get())?.status.privateEndpoints;
        const heirLedger = ledger?.map(({ id, origin }) => `${id} ${origin}`).toSorted();
        const outcome = await cast.subject.outcome();
        return [name, { outcome, ...(heirLedger && { heirLedger }) }] as const;
      }),
    );
    return new Map(results);
  } finally {
    await stage.end();
  }
}

async function objectsIn(namespace: string): Promise<number> {
  const lists = await Promise.all(
    definitions.map(({ type: { plural } }) =>
      asAdmin<{ items: unknown[] }>(
        'GET',
        `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}`,
      ),
    ),
  );
  return lists.flatMap(({ items }) => items).length;
}

async function live(cast: Cast, acts: readonly Act[], wait: boolean): Promise<void> {
  for (const [index, act] of acts.entries()) {
    await perform(cast, act);
    if (wait) await dealtWith(cast, acts.slice(0, index + 1));
  }
}

function isEveryOneNew(watches: ReadonlySet<Watch>, former: ReadonlySet<Watch>): boolean {
  return watches.size === former.size && [...watches].every((watch) => !former.has(watch));
}

const PAGE = 5;

/**
 * The lists of both kinds in small pages. The first time that a second page is asked for it is
 * refused, after `meanwhile`.
 */
function inPages(
  namespace: string,
  meanwhile: () => Promise<unknown>,
): (passing: Passing) => Promise<boolean> {
  const refused = new Set<string>();
  let past: Promise<unknown> | undefined;
  return async (passing) => {
    const { searchParams } = new URL(passing.path, 'http://proxy');
    const plural = pluralOf(passing.path);
    if (passing.method !== 'GET' || !searchParams.has('limit') || plural === 'secrets')
      return false;
    const next = searchParams.get('continue');
    if (next && !refused.has(plural)) {
      refused.add(plural);
      await (past ??= meanwhile());
      const { object } = JSON.parse(EXPIRED) as { object: unknown };
      await passing.reply({ status: 410, text: JSON.stringify(object) });
      return true;
    }
    const query = new URLSearchParams({ limit: String(PAGE), ...(next && { continue: next }) });
    const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}?${query.toString()}`;
    await passing.reply({ status: 200, text: JSON.stringify(await asAdmin('GET', path)) });
    return true;
  };
}
