import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { Fault } from '../simulator/types.ts';
import { kstatus } from '../support/kstatus.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { recordVersions, type Versions } from '../support/versions.ts';
import { ready, side } from '../support/watching.ts';

/** How a call can fail on its way, and what the user is to see when it does for the first time. */
interface Row {
  readonly name: string;
  readonly fault: Fault;
  readonly reason: string;
  readonly side: 'Reconciling' | 'Stalled';
  /** Seconds, from the least to the most. */
  readonly wait: readonly [number, number];
  readonly outcome: string;
  readonly httpStatus?: number;
  readonly says: RegExp;
}

/**
 * A time in status is a whole second: the one of the failure is rounded down, the one to come up.
 */
const about = (seconds: number): Row['wait'] => [seconds * 0.8, seconds * 1.2 + 2];
const exactly = (seconds: number): Row['wait'] => [seconds, seconds + 2];
const unknown = {
  reason: 'OutcomeUnknown',
  side: 'Reconciling',
  wait: about(1),
  outcome: 'Unknown',
} as const;
const odd = {
  reason: 'UnexpectedResponse',
  side: 'Reconciling',
  wait: about(30),
  outcome: 'Unknown',
} as const;

/**
 * One of each way in which HTTP brings an answer or none; which status and which body means what is
 * for unit tests.
 */
const ROWS: readonly Row[] = [
  {
    name: 'refused',
    fault: { status: 400, error: 'BAD_REQUEST: because' },
    reason: 'Rejected',
    side: 'Stalled',
    wait: about(600),
    outcome: 'Rejected',
    httpStatus: 400,
    says: /BAD_REQUEST: because/,
  },
  {
    name: 'limited',
    fault: { status: 429, headers: { 'x-ratelimit-reset': '14' } },
    reason: 'RateLimited',
    side: 'Reconciling',
    wait: exactly(14),
    outcome: 'RateLimited',
    httpStatus: 429,
    says: /429/,
  },
  {
    name: 'unavailable',
    fault: { status: 503, headers: { 'retry-after': '13' } },
    ...unknown,
    wait: exactly(13),
    httpStatus: 503,
    says: /503/,
  },
  {
    name: 'gateway-page',
    fault: { status: 504, body: 'html' },
    ...unknown,
    httpStatus: 504,
    says: /504/,
  },
  {
    name: 'redirect',
    fault: { status: 302 },
    ...odd,
    side: 'Stalled',
    httpStatus: 302,
    says: /never followed/,
  },
  {
    name: 'no-content',
    fault: { status: 204, body: 'empty' },
    ...odd,
    httpStatus: 204,
    says: /empty/,
  },
  { name: 'html', fault: { status: 200, body: 'html' }, ...odd, httpStatus: 200, says: /not JSON/ },
  {
    name: 'cut-off',
    fault: { transport: 'truncated' },
    ...odd,
    httpStatus: 200,
    says: /broke off/,
  },
  {
    name: 'reset-before',
    fault: { transport: 'reset-before' },
    ...unknown,
    says: /closed the connection/,
  },
  {
    name: 'reset-after',
    fault: { transport: 'reset-after' },
    ...unknown,
    says: /closed the connection/,
  },
];

let scene: Scene;
let versions: Versions;
beforeAll(async () => {
  scene = await openScene();
  versions = await recordVersions(scene.namespace);
  for (const { name, fault } of ROWS) scene.simulator.always(fault, { pathIncludes: pathOf(name) });
  await Promise.all(
    ROWS.map(async ({ name }) => {
      await scene.newKey(name);
      await scene.psets.create(name, { credentialsSecretRef: { name } });
    }),
  );
});
afterAll(async () => {
  await versions?.end();
  await scene?.end();
});

/** The first version of an object that is not Ready. */
function firstFailure(name: string): Promise<Pset> {
  const failed = () => versions.of(name).find((object) => ready(object).status === 'False');
  return waitFor(failed, { what: `${name} to fail` }) as Promise<Pset>;
}

describe('a call that fails', () => {
  test.each(ROWS)('by $name is $reason', async ({ name, reason, wait, says, ...row }) => {
    const object = await firstFailure(name);
    const { status } = object;
    expect(status.conditions.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'Ready=False',
      `${row.side}=True`,
    ]);
    expect(ready(object)).toMatchObject({ reason, message: expect.stringMatching(says) });
    expect(ready(object).message).not.toContain('\n');
    expect(kstatus(object)).toBe(row.side === 'Stalled' ? 'Failed' : 'InProgress');
    expect(status.attempts).toBe(1);
    expect(status.lastRequest).toMatchObject({
      operation: 'UpdatePipeSettings',
      outcome: row.outcome,
      message: expect.stringMatching(says),
    });
    expect(status.lastRequest?.httpStatus).toBe(row.httpStatus);
    const failedAt = Date.parse(status.lastRequest?.time ?? '');
    const seconds = (Date.parse(status.nextAttemptTime ?? '') - failedAt) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(wait[0]);
    expect(seconds).toBeLessThanOrEqual(wait[1]);
  });
});

test('all recover when asked to try now; what told of the failure is gone, and one event of each says so', async () => {
  await Promise.all(ROWS.map(({ name }) => firstFailure(name)));
  scene.simulator.clear();
  await Promise.all(ROWS.map(({ name }) => scene.psets.request(name)));
  for (const { name, reason } of ROWS) {
    const object = await scene.psets.until(name, 'Applied', 40_000);
    expect(side(object), name).toBeUndefined();
    expect(object.status.attempts, name).toBeUndefined();
    expect(object.status.nextAttemptTime, name).toBeUndefined();
    const events = await waitFor(() => scene.events(name), {
      what: `both events of ${name}`,
      until: ({ length }) => length > 1,
    });
    const told = events.map(({ type, reason: why }) => `${type} ${why}`);
    expect(told.toSorted(), name).toEqual(['Normal Applied', `Warning ${reason}`]);
  }
});

test('an API that is down makes it Unavailable: nothing was sent; it goes on when the API is back', async () => {
  const { simulator } = scene;
  await simulator.down();
  // When it answers this, it has seen its connections to the API end; what it sends over one of
  // those counts as sent.
  await scene.operator().page('livez');
  await scene.psets.create('down');
  const failed = await firstFailure('down');
  expect(ready(failed).reason).toBe('Unavailable');
  expect(side(failed)).toBe('Reconciling');
  expect(ready(failed).message).toMatch(/connection refused by 127\.0\.0\.1:\d+.*Nothing was sent/);
  expect(failed.status.lastRequest).toMatchObject({ outcome: 'Unavailable' });
  expect(failed.status.lastRequest?.httpStatus).toBeUndefined();
  await waitFor(() => versions.of('down').some(({ status }) => status.attempts === 2), {
    what: 'a second attempt',
  });
  await simulator.up();
  await scene.psets.until('down', 'Applied');
});
