import { describe, expect, test } from 'vitest';
import { at, HOUR, MINUTE, SECOND, type Status } from './objects.ts';
import { bad } from './process.ts';
import { ms, rows } from './rows.ts';
import { type Seen, staged } from './stage.ts';

/** An object that was applied, whose status then says something else. */
async function applied(reason: string, more: Status = {}, spec: object = {}) {
  const one = staged('PipeSettings', { spec });
  const { status } = await one.run();
  one.stage.log.length = 0;
  const [ready] = status.conditions ?? [];
  const is = reason === 'Applied' ? 'True' : 'False';
  const conditions = ready && [{ ...ready, reason, status: is }];
  const forged = { ...status, ...(conditions && { conditions }), ...more };
  one.stage.put({ ...one.stage.get(one.id), status: forged });
  return one;
}

/** `sent`, or for how long nothing is: `60 s`, `on change`. */
function said({ wait }: Seen, log: readonly string[]): string {
  if (log.length > 0) return 'sent';
  return wait === undefined ? 'on change' : `${wait / SECOND} s`;
}

const TIMES = rows<'reason' | 'next' | 'then'>(`
  reason         | next | then
  Applied        |      | on change
  Planned        |      | sent
  Suspended      |      | sent
  TargetConflict | 1m   | sent
  Unavailable    | 1m   | 60 s
  Unavailable    | 48h  | 900 s
  Unauthorized   | 1m   | sent
  Rejected       | 1m   | 60 s
`);

test.each(TIMES)('what is $reason with a next attempt in "$next" is: $then', async (row) => {
  const { reason, next, then } = row;
  const { stage, run } = await applied(reason, next ? { nextAttemptTime: at(ms(next)) } : {});
  expect(said(await run(), stage.log)).toBe(then);
});

const SECRETS = rows<'reason' | 'secret' | 'then'>(`
  reason          | secret    | then
  NotFound        | same      | 60 s
  Rejected        | new       | sent
  Unavailable     | new       | sent
  Conflict        | new       | sent
  SecretNotFound  | new       | sent
  SecretNotFound  | absent    | 60 s
  SecretForbidden | forbidden | 60 s
  SecretInvalid   | new       | sent
  Rejected        | started   | sent
  Unavailable     | started   | 60 s
  NotFound        | unread    | 60 s
`);

test.each(SECRETS)('$reason, and its Secret is $secret: $then', async (row) => {
  const { reason, secret, then } = row;
  const before = await applied(reason, { nextAttemptTime: at(MINUTE) });
  const { status = {} } = before.stage.get(before.id);
  const isAfterStart = secret === 'started' || secret === 'unread';
  const { stage, run } = isAfterStart ? staged('PipeSettings', { status }) : before;
  if (secret === 'new') stage.secrets.set('api', { keyId: 'new', keySecret: 'another' });
  if (secret === 'absent') stage.secrets.set('api', undefined);
  if (secret === 'forbidden') stage.secrets.set('api', 'It may not be read');
  if (secret !== 'unread') await stage.secrets.read('ingest/api');
  expect(said(await run(), stage.log)).toBe(then);
});

describe('the annotation', () => {
  test('asks for one attempt, whatever its next time is, and is answered once', async () => {
    const { stage, id, run } = await applied('Rejected', { nextAttemptTime: at(HOUR) });
    stage.ask(id, 'now');
    expect((await run()).status.lastHandledReconcileAt).toBe('now');
    expect((await run()).result).toEqual({ next: 'on-change', did: 'nothing' });
    expect(stage.log).toEqual(['PUT']);
  });

  test('asks for nothing with an empty value', async () => {
    const { stage, id, run } = await applied('Rejected', { nextAttemptTime: at(HOUR) });
    stage.ask(id, '');
    expect((await run()).status.lastHandledReconcileAt).toBeUndefined();
    expect(stage.log).toEqual([]);
  });

  test.each([{ suspend: true }, { mode: 'Plan' }])('does not override %j', async (spec) => {
    const { stage, id, run } = staged('PipeSettings', { spec });
    stage.ask(id, 'now');
    expect((await run()).status.lastHandledReconcileAt).toBe('now');
    expect(stage.log).toEqual([]);
  });
});

test('the re-assertion comes after its interval, up to a tenth later, unchanged', async () => {
  const { stage, run } = staged('PipeSettings', { spec: { reassertInterval: '1h' } });
  const { wait = 0, status } = await run();
  expect([wait >= HOUR, wait <= 1.1 * HOUR + SECOND]).toEqual([true, true]);
  expect(status.nextAttemptTime).toBe(at(wait));
  expect((await run(wait - SECOND)).result.did).toBe('nothing');
  await run(SECOND);
  expect(stage.log).toEqual(['PUT', 'PUT']);
  expect(stage.bodies[1]).toBe(stage.bodies[0]);
});

test('a new generation is sent once more, also where it changes no setting', async () => {
  const { stage, id, run } = await applied('Applied');
  stage.edit(id);
  await run();
  await run();
  expect(stage.log).toEqual(['PUT']);
});

test('an edit that only has another order, or another Secret, has the same request', async () => {
  const settings = { engine_max_threads: 8, engine_max_insert_threads: 2 };
  const { stage, id, run } = staged('PipeSettings', { spec: { settings } });
  const before = (await run()).status.applied?.requestHash;
  const other = { engine_max_insert_threads: 2, engine_max_threads: 8 };
  stage.edit(id, { settings: other, credentialsSecretRef: { name: 'other' } });
  expect((await run()).status.applied?.requestHash).toBe(before);
  const body = '{"engine_max_insert_threads":2,"engine_max_threads":8}';
  expect(stage.bodies).toEqual([body, body]);
});

test.each([
  [400, 'ingest/api'],
  [401, 'ingest/api'],
  [404, 'ingest/api'],
  [503, undefined],
])('after HTTP %i the Secret that is watched for a change is %s', async (code, secret) => {
  const { stage, id, run } = staged('PipeSettings', {}, { api: () => bad(code) });
  await run();
  expect(stage.secrets.awaited.get(id)).toBe(secret);
  stage.edit(id, { suspend: true });
  await run();
  expect(stage.secrets.awaited.size).toBe(0);
});
