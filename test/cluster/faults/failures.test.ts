import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Fault } from '../../simulator/types.ts';
import { leaks, spellings } from '../../support/canary.ts';
import { kstatus } from '../../support/kstatus.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { Pset } from '../../support/scene-objects.ts';
import { ready, side } from '../../support/watching.ts';

/** What a user sees when a call fails for the first time. */
interface Row {
  readonly fault: Fault;
  readonly reason: string;
  readonly side: 'Reconciling' | 'Stalled';
  /** Seconds until the next attempt, from the least to the most. */
  readonly wait: readonly [number, number];
  readonly outcome: string;
  readonly httpStatus?: number;
  readonly says: string;
}

/** A time in status is a whole second: of the failure the one before, of what comes the one after. */
const about = (seconds: number): Row['wait'] => [seconds * 0.8, seconds * 1.2 + 2];
const exactly = (seconds: number): Row['wait'] => [seconds, seconds + 2];
const LOST = { reason: 'OutcomeUnknown', side: 'Reconciling', outcome: 'Unknown' } as const;
const ODD = { ...LOST, reason: 'UnexpectedResponse', wait: about(30) } as const;
const REFUSED = { side: 'Stalled', outcome: 'Rejected' } as const;

/** One of each way in which HTTP brings an answer or none; the verdicts themselves are in tables. */
const ROWS: Readonly<Record<string, Row>> = {
  refused: {
    fault: { status: 400, error: 'BAD_REQUEST: because' },
    ...REFUSED,
    reason: 'Rejected',
    wait: about(600),
    httpStatus: 400,
    says: 'BAD_REQUEST: because',
  },
  unauthorized: {
    fault: { status: 401 },
    ...REFUSED,
    reason: 'Unauthorized',
    wait: about(30),
    httpStatus: 401,
    says: '401',
  },
  limited: {
    fault: { status: 429, headers: { 'x-ratelimit-reset': '14' } },
    reason: 'RateLimited',
    side: 'Reconciling',
    outcome: 'RateLimited',
    wait: exactly(14),
    httpStatus: 429,
    says: '429',
  },
  unavailable: {
    fault: { status: 503, headers: { 'retry-after': '13' } },
    ...LOST,
    wait: exactly(13),
    httpStatus: 503,
    says: '503',
  },
  gateway: {
    fault: { status: 504, body: 'html' },
    ...LOST,
    wait: about(1),
    httpStatus: 504,
    says: '504',
  },
  redirect: {
    fault: { status: 302 },
    ...ODD,
    side: 'Stalled',
    httpStatus: 302,
    says: 'never followed',
  },
  empty: { fault: { status: 204, body: 'empty' }, ...ODD, httpStatus: 204, says: 'empty' },
  html: { fault: { status: 200, body: 'html' }, ...ODD, httpStatus: 200, says: 'not JSON' },
  reset: {
    fault: { transport: 'reset-before' },
    ...LOST,
    wait: about(1),
    says: 'closed the connection',
  },
  unanswered: {
    fault: { transport: 'reset-after' },
    ...LOST,
    wait: about(1),
    says: 'closed the connection',
  },
};
const NAMES = Object.keys(ROWS);

let scene: Scene;
const keys: { readonly id: string; readonly secret: string }[] = [];
/** Every version of every object, as the operator's watch had it. */
const versions: Pset[] = [];
beforeAll(async () => {
  scene = await openScene({
    kube: {
      line(line) {
        const { object } = JSON.parse(line) as { object: Pset };
        versions.push(object);
        return [line];
      },
    },
  });
  keys.push(scene.key);
  for (const name of NAMES) {
    const fault = ROWS[name]?.fault;
    if (fault) scene.simulator.always(fault, { pathIncludes: pathOf(name) });
    keys.push(await scene.newKey(name));
    await scene.psets.create(name, { credentialsSecretRef: { name } });
  }
});
afterAll(() => scene.end());

/** The first version of an object that is not Ready: the next ones are retries. */
function firstFailure(name: string): Promise<Pset> {
  const failed = () =>
    versions.find((one) => one.metadata.name === name && ready(one).status === 'False');
  return waitFor(failed, { what: `${name} to fail` }) as Promise<Pset>;
}

describe('a call that fails', () => {
  test.each(NAMES)('by %s says so', async (name) => {
    const row = ROWS[name] as Row;
    const object = await firstFailure(name);
    const { conditions, attempts, lastRequest, nextAttemptTime } = object.status;
    const shown = conditions.map(({ type, status }) => `${type}=${status}`);
    expect(shown).toEqual(['Ready=False', `${row.side}=True`]);
    expect(ready(object).reason).toBe(row.reason);
    expect(ready(object).message).toContain(row.says);
    expect(ready(object).message).not.toContain('\n');
    expect(kstatus(object)).toBe(row.side === 'Stalled' ? 'Failed' : 'InProgress');
    expect(attempts).toBe(1);
    expect(lastRequest).toMatchObject({ operation: 'UpdatePipeSettings', outcome: row.outcome });
    expect(lastRequest?.httpStatus).toBe(row.httpStatus);
    const failedAt = Date.parse(lastRequest?.time ?? '');
    const seconds = (Date.parse(nextAttemptTime ?? '') - failedAt) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(row.wait[0]);
    expect(seconds).toBeLessThanOrEqual(row.wait[1]);
  });
});

test('all recover when asked to try now; what told of the failure is gone, and one event of each says so', async () => {
  await Promise.all(NAMES.map(firstFailure));
  scene.simulator.clear();
  await Promise.all(NAMES.map((name) => scene.psets.request(name)));
  for (const name of NAMES) {
    const object = await scene.psets.until(name, 'Applied', 60_000);
    const { attempts, nextAttemptTime } = object.status;
    expect([side(object), attempts, nextAttemptTime], name).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const events = await waitFor(() => scene.events(name), {
      what: `both events of ${name}`,
      until: ({ length }) => length > 1,
    });
    const told = events.map(({ type, reason }) => `${type} ${reason}`);
    expect(told.toSorted(), name).toEqual(['Normal Applied', `Warning ${ROWS[name]?.reason}`]);
  }
});

test('an API that is down makes it Unavailable: nothing was sent; it goes on when the API is back', async () => {
  await scene.simulator.down();
  // When it answers this, it has seen its connections to the API end.
  await scene.operator().page('livez');
  await scene.psets.create('down');
  const failed = await firstFailure('down');
  expect([ready(failed).reason, side(failed)]).toEqual(['Unavailable', 'Reconciling']);
  expect(ready(failed).message).toMatch(/connection refused by 127\.0\.0\.1:\d+.*Nothing was sent/);
  expect(failed.status.lastRequest).toMatchObject({ outcome: 'Unavailable' });
  await scene.simulator.up();
  await scene.psets.until('down', 'Applied');
});

test('no key stands in a log, status, event or metric, however it is spelled and however a call fails', async () => {
  const echoes = keys.map(
    ({ id, secret }) => `you sent ${id}:${secret}, ${btoa(`${id}:${secret}`)}`,
  );
  for (const [nth, error] of echoes.entries()) {
    const name = ['management-api', ...NAMES][nth] as string;
    scene.simulator.always({ status: 400, error }, { pathIncludes: pathOf(`echo-${nth}`) });
    await scene.psets.create(`echo-${nth}`, { credentialsSecretRef: { name } });
  }
  // A key that is a value in the Secret of another form, and one that no header can carry.
  const odd = { id: 'odd-canary-id', secret: 'odd"canary\nsecret' };
  await scene.secret('odd', { keyId: odd.id, keySecret: odd.secret });
  await scene.psets.create('odd', { credentialsSecretRef: { name: 'odd' } });
  await scene.psets.until('odd', 'SecretInvalid');
  await Promise.all(echoes.map((_, nth) => scene.psets.until(`echo-${nth}`, 'Rejected')));
  await waitFor(() => scene.events(`echo-${echoes.length - 1}`), {
    what: 'the last event',
    until: ({ length }) => length > 0,
  });
  const all = await scene.psets.list();
  const events = await Promise.all(all.map(({ metadata }) => scene.events(metadata.name)));
  const texts = {
    log: scene.operator().output(),
    statuses: JSON.stringify([...versions, ...all].map(({ status }) => status)),
    events: JSON.stringify(events),
    metrics: await scene.operator().page('metrics'),
  };
  expect(texts.statuses).toContain('you sent');
  const forms = [...keys, odd].flatMap(({ id, secret }) => spellings(id, secret));
  expect(leaks(texts, forms)).toEqual([]);
});
