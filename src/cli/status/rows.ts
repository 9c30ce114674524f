import { printable } from '../../text.ts';
import { type Found, fetchedField, shortNameOf } from '../objects.ts';
import { type ObjectState, STATES, stateOf } from '../state.ts';
import { ago, counted, table, until } from '../words.ts';
import type { AnyStatus } from './story.ts';

interface Shown {
  readonly now: number;
  readonly columns: number | undefined;
  readonly allNamespaces?: boolean;
}

/** What needs a person first, then what goes on by itself, then what is ready. */
export function rows(found: readonly Found[], shown: Shown): readonly string[] {
  const isWide = shown.allNamespaces === true;
  const place = isWide ? '' : ' in this namespace; -A shows all namespaces';
  if (found.length === 0) return [`No object of Pipewright was found${place}.`];
  const entries = found
    .map((one) => ({ one, state: stateOf(one.object) }))
    .toSorted((a, b) => rank(a.state) - rank(b.state) || nameOrder(a.one, b.one));
  const lines = table([
    [...(isWide ? ['NAMESPACE'] : []), ...HEADINGS],
    ...entries.map(({ one, state }) => [
      ...(isWide ? [one.object.metadata.namespace] : []),
      ...cellsOf(one, state, shown.now),
    ]),
  ]);
  const sums = STATES.flatMap((name) => {
    const count = entries.filter(({ state }) => state.state === name).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  const sum = `${counted(entries.length, 'object')}: ${sums.join(', ')}`;
  return [...lines.map((line) => fit(line, shown.columns)), sum];
}

const HEADINGS = ['OBJECT', 'STATE', 'REASON', 'CONFIRMED', 'NEXT', 'MESSAGE'] as const;

const rank = ({ state }: ObjectState): number => STATES.indexOf(state);

function nameOrder(a: Found, b: Found): number {
  const [left, right] = [a, b].map((one) => `${one.object.metadata.namespace}/${shortNameOf(one)}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

function cellsOf(one: Found, state: ObjectState, now: number): readonly string[] {
  const { applied, lastRequest }: AnyStatus = one.object.status ?? {};
  const isFetched = fetchedField(one) && lastRequest?.outcome === 'Succeeded';
  const confirmed = applied ?? (isFetched ? lastRequest : undefined);
  return [
    shortNameOf(one),
    state.state,
    state.reason,
    confirmed === undefined ? '-' : ago(confirmed.time, now),
    nextText(state.next, now),
    state.ready && state.state === 'Ready' ? '' : printable(state.message),
  ];
}

function nextText(next: ObjectState['next'], now: number): string {
  if (typeof next === 'object') return until(next.time, now);
  return next === 'change' ? '-' : next;
}

function fit(line: string, columns: number | undefined): string {
  return columns !== undefined && line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
}
