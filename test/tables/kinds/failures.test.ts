import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../../crds/event-reasons.ts';
import { LOG_MESSAGES } from '../../../crds/log-messages.ts';
import { at, HOUR, KINDS, type KindName, MINUTE, SECOND } from './objects.ts';
import { answer, bad, ok, type Reply } from './process.ts';
import { isAbout, ms, rows } from './rows.ts';
import { staged } from './stage.ts';

/** The failure table of the contract. Of a call that only reads nothing is unknown. */
const TABLE = rows<'reply' | 'reason' | 'reads' | 'side' | 'first' | 'cap' | 'outcome'>(`
  reply  | reason             | reads       | side        | first | cap | outcome
  400    | Rejected           |             | Stalled     | 10m   | 6h  | Rejected
  422    | Rejected           |             | Stalled     | 10m   | 6h  | Rejected
  451    | Rejected           |             | Stalled     | 10m   | 6h  | Rejected
  401    | Unauthorized       |             | Stalled     | 30s   | 30m | Rejected
  403    | Forbidden          |             | Stalled     | 1m    | 1h  | Rejected
  404    | NotFound           |             | Stalled     | 1m    | 1h  | Rejected
  410    | NotFound           |             | Stalled     | 1m    | 1h  | Rejected
  409    | Conflict           |             | Reconciling | 2s    | 2m  | Busy
  423    | Conflict           |             | Reconciling | 2s    | 2m  | Busy
  425    | Conflict           |             | Reconciling | 2s    | 2m  | Busy
  424    | DependencyNotReady |             | Reconciling | 30s   | 10m | Busy
  429    | RateLimited        |             | Reconciling | 10s   | 5m  | RateLimited
  408    | OutcomeUnknown     | Unavailable | Reconciling | 1s    | 5m  | Unknown
  503    | OutcomeUnknown     | Unavailable | Reconciling | 1s    | 5m  | Unknown
  lost   | OutcomeUnknown     | Unavailable | Reconciling | 1s    | 5m  | Unknown
  unsent | Unavailable        |             | Reconciling | 1s    | 5m  | Unavailable
  204    | UnexpectedResponse |             | Reconciling | 30s   | 30m | Unknown
  200    | UnexpectedResponse |             | Reconciling | 30s   | 30m | Unknown
  302    | UnexpectedResponse |             | Stalled     | 30s   | 30m | Unknown
`);
/** Without a name an Organization has one way to observe. */
const NAMELESS = { name: undefined, privateEndpoints: [] };
const failing = (kind: KindName, reply: Reply) =>
  staged(kind, kind === 'Organization' ? { spec: NAMELESS } : {}, { api: () => reply });

describe.each(KINDS)('%s', (kind) => {
  /** A record may be late: it has waits of its own. */
  const table = TABLE.filter(({ reason }) => kind !== 'Activity' || reason !== 'NotFound');
  test.each(table)('$reply is $reason, $side, after $first up to $cap', async (row) => {
    const { reply, reads, reason, side, first, cap } = row;
    const { run } = failing(kind, answer(reply));
    const seen = await run();
    const isRead = kind !== 'PipeSettings';
    const outcome = isRead && row.outcome === 'Unknown' ? 'Unavailable' : row.outcome;
    expect([seen.ready, seen.side]).toEqual([`False ${(isRead && reads) || reason}`, side]);
    expect(seen.status).toMatchObject({ attempts: 1, lastRequest: { outcome } });
    expect(seen.events, 'a warning').toHaveLength(1);
    const waits = [seen.wait];
    for (let round = 0; round < 15; round += 1) {
      const again = await run(waits.at(-1));
      waits.push(again.wait);
      expect(again.events, 'one warning, not one each time').toEqual([]);
    }
    expect([isAbout(waits[0], ms(first)), isAbout(waits[1], 2 * ms(first))]).toEqual([true, true]);
    expect(isAbout(waits.at(-1), ms(cap)), String(waits)).toBe(true);
  });
});

const SAYS = rows<'kind' | 'reply' | 'message'>(`
  kind         | reply  | message
  PipeSettings | 400    | The API refused the request (HTTP 400): no 400 (request req-1). \
                          Nothing was stored. Change spec.settings
  PipeSettings | 403    | Give the API key a role that may change pipes, or add the operator’s \
                          address to the key’s allow-list
  PipeSettings | 404    | Check organizationId, serviceId and pipeId, that the key
  PipeSettings | 503    | not known whether the settings were applied; sending them again is safe
  PipeSettings | lost   | No response from the API, so the outcome of the request is not known: c
  PipeSettings | 302    | are never followed, because the request carries the key; check --api-url
  Organization | 401    | Put a valid, enabled API key in the Secret
  Organization | lost   | No response from the API: connection reset. This request changed nothing
  Activity     | 400    | they cannot be changed, so create another object
`);

test.each(SAYS)('$kind, $reply: what is wrong, and what to do: $message', async (row) => {
  const { kind, reply, message } = row;
  const seen = await failing(kind as KindName, answer(reply)).run();
  expect(seen.message).toContain(message);
});

test('a message is cut at its 1,024 characters, and no character is split by it', async () => {
  const { stage, run } = staged('PipeSettings');
  stage.secrets.set('api', 'x🙂'.repeat(600));
  const cut = (await run()).message;
  expect(cut).toBe(`${'x🙂'.repeat(600).slice(0, 1_534)}…`);
});

describe('the wait after a failure', () => {
  test.each([429, 503])('with %i and Retry-After is that long', async (code) => {
    const { run } = failing('PipeSettings', bad(code, { retryAfterMs: 60_000 }));
    expect((await run()).wait).toBe(60_000);
  });

  test('is promised for a whole second, and not for one too early', async () => {
    const { stage, run } = failing('PipeSettings', bad(503));
    await stage.clock.advance(500);
    const { status, wait = 0 } = await run();
    expect(Date.parse(status.nextAttemptTime ?? '')).toBe(stage.now + wait);
    expect(wait).toBeGreaterThanOrEqual(0.8 * SECOND);
    expect((stage.now + wait) % SECOND).toBe(0);
  });

  test('begins anew after an edit, and where the cause is another one', async () => {
    const { stage, id, run } = failing('PipeSettings', bad(403));
    for (let round = 0; round < 3; round += 1) await run(HOUR);
    stage.edit(id);
    expect((await run()).status.attempts).toBe(1);
    expect((await run(HOUR)).status.attempts).toBe(2);
    stage.options = { api: () => bad(404) };
    expect((await run(HOUR)).status.attempts).toBe(1);
  });
});

test('the last request stays on record until there is another one', async () => {
  const { stage, id, run } = failing('PipeSettings', bad(400));
  const { lastRequest } = (await run()).status;
  stage.edit(id, { suspend: true });
  const { status } = await run();
  expect(status.lastRequest).toEqual(lastRequest);
  expect(status).not.toHaveProperty('attempts');
  expect(status).not.toHaveProperty('nextAttemptTime');
});

test('what was applied stays on record, and an event says that it works again', async () => {
  const { stage, id, run } = staged('PipeSettings');
  const { applied } = (await run()).status;
  stage.ask(id, 'now');
  stage.options = { api: () => bad(503) };
  expect((await run()).status.applied).toEqual(applied);
  stage.options = {};
  expect((await run(MINUTE)).events).toEqual([
    'Applied: Applied the declared state after OutcomeUnknown (request req-1)',
  ]);
});

test('Ready moves its time only where it moves itself', async () => {
  const { stage, id, run } = failing('PipeSettings', bad(503));
  const since = async (afterMs: number) =>
    (await run(afterMs)).status.conditions?.map((one) => `${one.type} ${one.lastTransitionTime}`);
  await since(0);
  expect(await since(MINUTE)).toEqual([`Ready ${at(0)}`, `Reconciling ${at(0)}`]);
  stage.options = { api: () => ok({ engine_max_threads: 8 }) };
  stage.ask(id, 'now');
  expect(await since(MINUTE)).toEqual([`Ready ${at(2 * MINUTE)}`]);
});

test('every log line of level warn and above has a row with its level, and no other', () => {
  const paths = globSync('src/**/*.ts').filter((path) => !path.endsWith('logger.ts'));
  const pattern = /\blog\.(warn|error|fatal)\(\s*[^']*?'((?:[^'\\]|\\.)+)'/g;
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(pattern)]);
  const logged = new Set(found.map(([, level, message]) => `${level} ${message}`));
  const listed = Object.entries(LOG_MESSAGES).map(([message, { level }]) => `${level} ${message}`);
  expect([...logged].toSorted()).toEqual(listed.toSorted());
});

test('every reason of an event that is not one of a failure has a row, and no other', () => {
  const texts = globSync('src/kinds/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const plain = texts.flatMap((text) => [...text.matchAll(/\breason: '(\w+)', note\b/g)]);
  const words = readFileSync('src/kinds/organization/events.ts', 'utf8');
  const worded = words.matchAll(/\[\s*'([A-Z]\w+)',\s*[`'t]/g);
  const reasons = new Set([...plain, ...worded].map(([, reason = '']) => reason));
  expect([...reasons].toSorted()).toEqual(Object.keys(EVENTS).toSorted());
});
