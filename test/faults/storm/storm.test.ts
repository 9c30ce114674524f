import { expect, test } from 'vitest';
import { excesses } from './storm-bounds.ts';
import { runStorm, type Seen, type Storm } from './storm-run.ts';
import type { Weather } from './storm-weather.ts';

const CONFLICTS = { updates: 0.7, patches: 0.5 };
const CLOSES = { closes: 0.4 };
const THROTTLING = { throttled: 0.3 };
const RESETS = [
  { transport: 'reset-before' },
  { transport: 'reset-after' },
  { transport: 'truncated' },
  { transport: 'no-answer' },
  { transport: 'no-answer', applied: true },
] as const;
const SERVER_ERRORS = [
  { status: 500 },
  { status: 502, body: 'html' },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 504, applied: true },
  { status: 408, applied: true },
] as const;
const BUSY = [{ status: 409 }, { status: 423 }, { status: 425 }] as const;
const LIMITED = [{ status: 429, headers: { 'retry-after': '1' } }] as const;

/**
 * Waits double, so after twelve seconds none of a pass is longer than 32 s and a fifth, and none of
 * a call longer than 20 s (a limited key: 10 s at first) and a fifth; that of a watch is 30 s and a
 * fifth at most. Then come a few steps.
 */
const BOUND_MS = 90_000;
/**
 * By the operator's time, which is moved on where only long waits are left: an endpoint that was
 * refused waits 10 min and a fifth.
 */
const CONVERGED_MS = 15 * 60_000;
const few = { pipes: 10, organizations: 4 };
const SHARE = 0.4;

const STORMS: Readonly<Record<string, Omit<Storm, 'seed'>>> = {
  'R6, R10: 70 % of updates and 50 % of patches are conflicts': {
    weather: { kube: CONFLICTS },
    ...few,
  },
  'R6, R10: 40 % of watches are closed': { weather: { kube: CLOSES }, ...few },
  'R6, R10: 30 % of requests are throttled': { weather: { kube: THROTTLING }, ...few },
  'R6, R10: every update and patch is a conflict': {
    weather: { kube: { updates: 1, patches: 1 } },
    ...few,
  },
  'R6, R10: every request is throttled': { weather: { kube: { throttled: 1 } }, ...few },
  'R6, R10: calls are reset, broken off or never answered': api(RESETS),
  'R6, R10: calls meet errors of the server': api(SERVER_ERRORS),
  'R6, R10: calls find their target busy': api(BUSY),
  'R6, R10: calls are too many': api(LIMITED, 0.1),
  'R6, R10: every call meets an error of the server': api([{ status: 503 }], 1),
  'R6, R10: all of it at once': {
    weather: {
      kube: { ...CONFLICTS, ...CLOSES, ...THROTTLING },
      api: { share: SHARE, faults: [...RESETS, ...SERVER_ERRORS, ...BUSY] },
    },
    pipes: 40,
    organizations: 10,
  },
};

function api(faults: NonNullable<Weather['api']>['faults'], share = SHARE) {
  return { weather: { api: { share, faults } }, ...few };
}

/** All at once: what takes time is the quiet minute. */
let running: Map<string, Promise<{ seen: Seen } | { error: unknown }>> | undefined;
async function seenOf(name: string): Promise<Seen> {
  running ??= new Map(
    Object.entries(STORMS).map(([storm, options], index) => [
      storm,
      runStorm({ ...options, seed: 100 * index }, BOUND_MS).then(
        (seen) => ({ seen }),
        (error: unknown) => ({ error }),
      ),
    ]),
  );
  const end = await running.get(name);
  if (!end) throw new Error(`there is no storm "${name}"`);
  if ('error' in end) throw end.error;
  return end.seen;
}

test.each(Object.entries(STORMS))(
  '%s: converges, never in a hot loop, and then nothing moves for a minute',
  async (name, { weather }) => {
    const seen = await seenOf(name);
    expect(excesses(seen, weather)).toEqual([]);
    expect(seen.convergedMs).toBeLessThan(CONVERGED_MS);
    expect(seen.after).toEqual({ arrivals: [], calls: [] });
    expect(seen.versions[1]).toEqual(seen.versions[0]);
  },
  300_000,
);
