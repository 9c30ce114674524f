import type { Arrival } from '../faults/leader/leader-record.ts';
import type { LeaderStage } from '../faults/leader/leader-stage.ts';
import type { Patch } from '../support/organizations.ts';
import { pathOf } from '../support/pipe-settings.ts';
import type { Version } from './before.ts';
import { BAD, type Fleet, KEY, NAMES, REFUSED, STILL, STILL_PIPES, UNLUCKY } from './fleet.ts';

/** So long after `--api-timeout` a change of unknown outcome may still be at work. */
const MAY_BE_AT_WORK_MS = { before: 5_000, now: 60_000 };
/** Taken from the process of the tests, which has other things to do. */
const LATE_STAMP_MS = 2_000;
/**
 * A change of unknown outcome, its looks and those that were lost on the way, and the change that
 * brings it to its end.
 */
const UNLUCKY_CALLS = 14;

/** Calls that were not to be made, as sentences, among those since `mark`. */
export function tooMuch(stage: LeaderStage, fleet: Fleet, mark: number): string[] {
  const calls = stage.record.calls.slice(mark);
  return [
    ...atRest(calls, fleet),
    ...repeatedPuts(calls),
    ...unlucky(calls, fleet),
    ...endpoints(stage, fleet),
  ];
}

/** A pipe at rest costs nothing, an organization one look at most. */
function atRest(calls: readonly Arrival[], fleet: Fleet): string[] {
  const pipes = STILL_PIPES.flatMap((name) =>
    calls
      .filter(({ path }) => path.includes(pathOf(name)))
      .map(({ by }) => `${by} sent ${name}, which was at rest`),
  );
  const organizations = STILL.flatMap((name) => {
    const own = callsFor(calls, fleet, name);
    const changing = own.filter((call) => !isLook(call, NAMES[name]));
    return [
      ...changing.map(
        ({ by, body }) => `${by} sent ${name}, which was at rest: ${JSON.stringify(body)}`,
      ),
      ...(own.length > 1 ? [`${name}, which was at rest, was looked at ${own.length} times`] : []),
    ];
  });
  return [...pipes, ...organizations];
}

/** A setting is written twice only where the first answer was lost. */
function repeatedPuts(calls: readonly Arrival[]): string[] {
  const times = new Map<string, number>();
  for (const { method, path, body } of calls) {
    const text = `${path} ${JSON.stringify(body)}`;
    if (method === 'PUT' && !path.includes(pathOf('lost')))
      times.set(text, (times.get(text) ?? 0) + 1);
  }
  return [...times]
    .filter(([, count]) => count > 1)
    .map(([text, count]) => `${count} times: ${text}`);
}

function unlucky(calls: readonly Arrival[], fleet: Fleet): string[] {
  return UNLUCKY.flatMap((name) => {
    const { length } = callsFor(calls, fleet, name);
    return length > UNLUCKY_CALLS ? [`${length} calls for ${name}`] : [];
  });
}

/** Every endpoint of ours goes in once and out once; those of others are never asked for. */
function endpoints({ simulator }: LeaderStage, fleet: Fleet): string[] {
  return [...STILL, ...UNLUCKY, REFUSED, 'busy', 'vanish'].flatMap((name) =>
    Object.entries(simulator.endpointCounts(fleet.idOf(name))).flatMap(
      ([key, { add, added, remove, removed }]) => {
        const most = mostOf(name, key, fleet);
        const isFine =
          add <= most.add && added <= most.added && remove <= most.remove && removed <= most.remove;
        return isFine
          ? []
          : [
              `${name}: ${key} was added ${add} (${added}) and removed ${remove} (${removed}) times`,
            ];
      },
    ),
  );
}

function mostOf(name: string, key: string, fleet: Fleet) {
  if (key === KEY('theirs') || key === KEY('found')) return { add: 0, added: 0, remove: 0 };
  const times = fleet.takenAway() + 1;
  if (key === KEY('vanish')) return { add: times, added: times, remove: 0 };
  // A change is refused as a whole; then the bad one is tried by itself, and so is what was refused
  // with it.
  if (name === REFUSED && key === KEY(BAD))
    return { add: 2 * fleet.refusals(), added: 0, remove: 0 };
  return { add: name === REFUSED ? 2 : 1, added: 1, remove: 1 };
}

/**
 * What was sent again since `mark`, while the change that was lost might still have been at work by
 * the rule of the version that sent it again.
 */
export function tooSoon(
  { record }: LeaderStage,
  fleet: Fleet,
  mark: number,
  apiTimeoutMs: number,
): string[] {
  const sent = new Map<string, Arrival>();
  const recent = new Set(record.calls.slice(mark));
  const calls = UNLUCKY.flatMap((name) => callsFor(record.calls, fleet, name));
  return calls.flatMap((call) =>
    changesIn(call).flatMap((change) => {
      const before = sent.get(change);
      sent.set(change, call);
      if (!before || !recent.has(call)) return [];
      const gap = call.at - before.at;
      const least = apiTimeoutMs + MAY_BE_AT_WORK_MS[versionOf(call)] - LATE_STAMP_MS;
      return gap < least
        ? [`${call.by} sent ${change} ${Math.round(gap)} ms after ${before.by} had`]
        : [];
    }),
  );
}

function changesIn({ method, path, body }: Arrival): string[] {
  if (method !== 'PATCH') return [];
  const { add = [], remove = [] } = (body as Patch).privateEndpoints ?? {};
  return [
    ...add.map(({ id }) => `add ${id} ${path}`),
    ...remove.map(({ id }) => `remove ${id} ${path}`),
  ];
}

function callsFor(calls: readonly Arrival[], fleet: Fleet, name: string): Arrival[] {
  return calls.filter(({ path }) => path.endsWith(`/organizations/${fleet.idOf(name)}`));
}

/** The version before looked with the declared name where there was one. */
function isLook(call: Arrival, declaredName: string | undefined): boolean {
  const { name, privateEndpoints: { add = [], remove = [] } = {} } = call.body as Patch;
  if (add.length + remove.length > 0) return false;
  return name === undefined || (versionOf(call) === 'before' && name === declaredName);
}

function versionOf({ by }: Arrival): Version {
  return by.startsWith('before') ? 'before' : 'now';
}
