import { expect } from 'vitest';
import type { Call, Rate } from '../../simulator/types.ts';
import { carriesEdit, nameIn, type Queue } from './rate-limit-backlog.ts';

export type Limit = Pick<Rate, 'calls' | 'perMs'>;

/**
 * Calls of a credential that may be under way when one of them is refused: the default of
 * `--api-in-flight`.
 */
const IN_FLIGHT = 4;
/** The shortest own back-off after a 429, 10 s less 20 %. */
const SHORTEST_PAUSE_MS = 8_000;
/** What was under way when a 429 came, and what a busy machine does to all times. */
const SLACK_MS = 2_000;
/**
 * Of a line: being noticed takes a while on a busy machine, and passes run side by side. Who waits
 * longer was passed over.
 */
const SOME_OF_THE_LINE = 0.5;

/**
 * No more calls, refused ones included, than 1.05 times what the API would have taken in that time.
 */
export function keepsToTheLimit({ style, calls }: Queue, limit: Limit): void {
  const all = calls();
  const took = (all.at(-1)?.receivedAt ?? 0) - (all[0]?.receivedAt ?? 0);
  const allowed = limit.calls * (took / limit.perMs + 1);
  expect(all.length, style).toBeLessThanOrEqual(1.05 * allowed);
}

/**
 * After a 429 nothing is sent with that key for as long as the shortest pause takes, but for what
 * was under way.
 */
export function pausesAfterRefusals({ style, calls }: Queue): void {
  const all = calls();
  const refused = all.filter(isRefused);
  for (const { answeredAt = 0 } of refused) {
    const sent = all.filter(
      ({ receivedAt }) =>
        receivedAt > answeredAt + SLACK_MS &&
        receivedAt < answeredAt + SHORTEST_PAUSE_MS - SLACK_MS,
    );
    expect(sent.map(nameIn), `${style}: sent in a pause`).toEqual([]);
  }
  const took = (all.at(-1)?.receivedAt ?? 0) - (all[0]?.receivedAt ?? 0);
  const pauses = 1 + took / SHORTEST_PAUSE_MS;
  expect(refused.length, `${style}: refused`).toBeLessThanOrEqual(IN_FLIGHT * pauses);
}

/**
 * Everybody's first call comes about in the order in which they stand in line, edited ones left
 * out.
 */
export function starvesNobody({ style, line, calls }: Queue, edited: readonly string[]): void {
  const isLeft = (name: string): boolean => !edited.includes(name);
  const first = [...new Set(calls().map(nameIn))].filter(isLeft);
  const waiting = line().filter(isLeft);
  const late = first.filter(
    (name, place) => place - waiting.indexOf(name) > waiting.length * SOME_OF_THE_LINE,
  );
  expect(late, `${style}: called later than their place in line`).toEqual([]);
  expect(first, `${style}: called at all`).toHaveLength(waiting.length);
}

/**
 * The PUT of an edit arrives before the backlog does; maybe before we are told that Kubernetes has
 * the edit.
 */
export function servesEditFirst({ names, calls }: Queue, name: string, editedAt: number): void {
  const all = calls();
  const put = all.findIndex(
    (call) => nameIn(call) === name && carriesEdit(call) && !isRefused(call),
  );
  expect(put, `${name}: the PUT of its edit; -1 is none`).toBeGreaterThanOrEqual(0);
  const between = all.slice(0, put).filter(({ receivedAt }) => receivedAt >= editedAt);
  expect(between.length, `${name}: calls between its edit and its PUT`).toBeLessThanOrEqual(
    names.length * SOME_OF_THE_LINE,
  );
}

/** Nobody is asked the same twice. */
export function repeatsNothing({ style, calls }: Queue): void {
  const asked = calls().map((call) => `${nameIn(call)} ${call.text}`);
  expect(asked.toSorted(), `${style}: sent once each`).toEqual([...new Set(asked)].toSorted());
}

export function isRefused({ status }: Call): boolean {
  return status === 429;
}
