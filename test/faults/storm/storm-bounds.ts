import type { Call } from '../../simulator/types.ts';
import type { Seen } from './storm-run.ts';
import type { Weather } from './storm-weather.ts';

const MINUTE = 60_000;
/** Waits are shortened by a fifth at most; what is less than this after a failure is no wait. */
const FIRST_CALL_WAIT_MS = 1_000;
const FIRST_PASS_WAIT_MS = 500;
const JITTER = 0.8;
const SLACK_MS = 50;
/** A status is written on top of what others have written meanwhile, so often in one pass. */
const WRITES_A_PASS = 6;

/** Everything in which the operator went faster than its waits allow; empty where it never did. */
export function excesses({ fleet, during, openings }: Seen, { api, kube }: Weather): string[] {
  const { arrivals, calls } = during;
  const { edits } = fleet;
  return [
    ...fleet.members.flatMap(({ name, kind, path }) => {
      const own = calls.filter((call) => call.path.includes(path));
      const isPipe = kind === 'pipesettings';
      // Each edit is acted on at once and begins a row of attempts. An organization is looked at,
      // named and changed.
      const row = (api ? attemptsWithin(MINUTE, FIRST_CALL_WAIT_MS) : 1) * (isPipe ? 1 : 3);
      // A result that cannot be written is kept and written by later passes; a change is on record
      // before it leaves.
      const results = edits + own.length * (isPipe ? 1 : 2);
      const mostWrites = WRITES_A_PASS * (attemptsWithin(MINUTE, FIRST_PASS_WAIT_MS) + results);
      const writes = arrivals.filter(
        ({ method, path: to }) =>
          ['PUT', 'PATCH'].includes(method) &&
          to.replace(/\/status$/, '').endsWith(`/${kind}/${name}`),
      );
      // Where a pending change or a finalizer is not taken, the organization is looked at anew.
      const refused = writes.filter(
        ({ fate }) => fate === 'conflict' || fate === 'throttled',
      ).length;
      const mostCalls = edits * row + (isPipe ? 0 : 2 + refused);
      return [
        ...over(`calls for ${name} in a minute`, busiest(timesOf(own), MINUTE), mostCalls),
        ...over(
          `writes of ${name} in a minute`,
          busiest(
            writes.map(({ at }) => at),
            MINUTE,
          ),
          mostWrites,
        ),
        ...(isPipe ? over(`calls for ${name} right after a failure`, hastyCalls(own), edits) : []),
      ];
    }),
    // A Secret is read for whoever needs it, by each pass anew while it cannot be.
    ...[...byPath(arrivals.filter(({ path }) => path.includes('/pipewright.dev/')))].flatMap(
      ([path, of]) => {
        // A user's edit does not wait for the end of a wait.
        const hasty = of.filter(
          ({ at, fate }, index) =>
            fate === 'throttled' && (of[index + 1]?.at ?? Infinity) < at + 1_000 - SLACK_MS,
        );
        return over(
          `requests that did not wait the second they were asked to, ${path}`,
          hasty.length,
          kube?.throttled ? edits : 0,
        );
      },
    ),
    ...[...byPath(openings)].flatMap(([path, of]) =>
      over(
        `watches opened in ten seconds, ${path}`,
        busiest(
          of.map(({ at }) => at),
          10_000,
        ),
        10_000 / (FIRST_PASS_WAIT_MS * JITTER) + 2,
      ),
    ),
  ];
}

/** How many attempts fit into a stretch where the waits between them double. */
function attemptsWithin(stretchMs: number, firstMs: number): number {
  return 1 + Math.floor(Math.log2(stretchMs / (firstMs * JITTER) + 1));
}

function hastyCalls(calls: readonly Call[]): number {
  return calls.filter((call, index) => {
    const next = calls[index + 1];
    const isFailure = call.status !== 200 || call.fate !== undefined;
    return (
      isFailure &&
      next &&
      next.receivedAt - call.receivedAt < FIRST_CALL_WAIT_MS * JITTER - SLACK_MS
    );
  }).length;
}

function timesOf(calls: readonly Call[]): number[] {
  return calls.map(({ receivedAt }) => receivedAt);
}

/** Most of these moments in any stretch of this length. */
function busiest(times: readonly number[], perMs: number): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length),
  );
}

function byPath<T extends { readonly path: string; readonly method?: string }>(
  all: readonly T[],
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = `${one.method ?? 'WATCH'} ${one.path}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

function over(what: string, seen: number, most: number): string[] {
  return seen > most ? [`${what}: ${seen}, at most ${most}`] : [];
}
