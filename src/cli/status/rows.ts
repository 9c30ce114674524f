import { type Found, type Scope, shortNameOf } from '../cluster/objects.ts';
import { type Next, type Standing, type State, standingOf } from '../standing.ts';
import { ago, table, until } from '../words.ts';

/** One object of the table. */
export interface Row {
  readonly found: Found;
  readonly standing: Standing;
}

export function rowOf(found: Found): Row {
  return { found, standing: standingOf(found) };
}

const RANKS: Readonly<Record<State, number>> = {
  Stalled: 0,
  'Not ready': 1,
  Deleting: 1,
  Waiting: 2,
  Suspended: 3,
  Planned: 3,
  Ready: 4,
};

/** What needs a person first; those that stand alike by namespace, kind and name. */
export function inOrder(rows: readonly Row[]): Row[] {
  return rows.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      compare(a.found.object.metadata.namespace, b.found.object.metadata.namespace) ||
      compare(a.found.definition.shortName, b.found.definition.shortName) ||
      compare(a.found.object.metadata.name, b.found.object.metadata.name),
  );
}

function rankOf({ standing: { state, stalled } }: Row): number {
  return stalled ? RANKS.Stalled : RANKS[state];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The table with its heading; the rows are in the order of `rows`. */
export function tableOf(
  rows: readonly Row[],
  options: { readonly now: number; readonly namespaces: boolean },
): string[] {
  const namespace = options.namespaces ? ['NAMESPACE'] : [];
  return table([
    [...namespace, 'NAME', 'STATE', 'KNOWN', 'NEXT', 'WHY'],
    ...rows.map((row) => cellsOf(row, options)),
  ]);
}

export function cellsOf(
  { found, standing }: Row,
  { now, namespaces }: { readonly now: number; readonly namespaces: boolean },
): string[] {
  return [
    ...(namespaces ? [found.object.metadata.namespace] : []),
    shortNameOf(found),
    stateCell(standing),
    knownCell(standing, now),
    nextCell(standing.next, now),
    standing.message,
  ];
}

/** Only of what is not ready the reason tells more than the state. */
function stateCell({ state, stalled, reason, ready }: Standing): string {
  const word = state === 'Deleting' && stalled ? 'Deleting, stalled' : state;
  const saysMore = !ready && reason !== state && state !== 'Waiting';
  return saysMore ? `${word}: ${reason}` : word;
}

function knownCell(standing: Standing, now: number): string {
  const { confirmed, generation, ready, state } = standing;
  if (!confirmed) return 'nothing yet';
  const when = confirmed.time === undefined ? '' : ` ${ago(confirmed.time, now)}`;
  if (confirmed.generation === undefined) return `fetched${when}`;
  // Ready says that it is what is declared, also where only suspend or mode has been changed since;
  // a deletion makes a generation that nobody is to confirm.
  const isDeclared = ready || state === 'Deleting' || confirmed.generation === generation;
  if (isDeclared) return `confirmed${when}`;
  return `generation ${confirmed.generation} confirmed${when}, ${generation} is declared`;
}

function nextCell(next: Next, now: number): string {
  switch (next.waitsFor) {
    case 'time':
      return until(next.time, now);
    case 'operator':
      return 'waits for the operator';
    case 'person':
      return 'waits for a person';
    case 'change':
      return 'on change';
    case 'finalizers':
      return 'waits for a finalizer';
  }
}

/** The same for scripts. */
export function itemOf({ found, standing }: Row): object {
  const { next, confirmed } = standing;
  const { namespace, name } = found.object.metadata;
  return {
    kind: found.definition.type.kind,
    namespace,
    name,
    state: standing.state,
    reason: standing.reason,
    ready: standing.ready,
    stalled: standing.stalled,
    observedGeneration: standing.observedGeneration,
    generation: standing.generation,
    ...(confirmed?.time !== undefined && { confirmedAt: confirmed.time }),
    ...(next.waitsFor === 'time' && { nextAttemptTime: next.time }),
    message: standing.message,
  };
}

/** As kubectl says it. */
export function noneIn({ namespace, selector }: Scope): string {
  const where =
    namespace === undefined ? 'in any namespace' : `in namespace ${JSON.stringify(namespace)}`;
  const labels = selector === undefined ? '' : ` with the labels ${JSON.stringify(selector)}`;
  return `No objects of Pipewright found ${where}${labels}.`;
}
