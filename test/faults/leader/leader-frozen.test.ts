import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { endpoint, type Organizations, type Patch } from '../../support/organizations.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { gateFor } from '../passing-gate.ts';
import type { Passing } from '../proxy.ts';
import { expectClean } from './leader-end.ts';
import {
  type LeaderStage,
  openLeaderStage,
  pass,
  type Replica,
  untilSaid,
} from './leader-stage.ts';

/** All on one key, which may make one call at a time: the others wait behind the first. */
const LINE = ['line-0', 'line-1', 'line-2', 'line-3'];
const OTHERS = ['edited', 'reading', 'unwritten', 'failing'];
const PSC = endpoint('psc-1');
/** --api-timeout of the other, and a minute: so long it cannot know what became of the intent. */
const UNSETTLED_MS = 65_000;

const isStatusOf = ({ method, path }: Passing, name: string): boolean =>
  method === 'PUT' && path.endsWith(`/${name}/status`);
const isIntent = (passing: Passing): boolean =>
  isStatusOf(passing, 'org') &&
  (passing.body as { status: { pendingChange?: object } }).status.pendingChange !== undefined;

/** What the leader is about when it is frozen, each held at the last moment before its call. */
const kube = gateFor((passing) => {
  if (passing.path.includes('/secrets/key-reading')) return 'answer';
  if (isIntent(passing)) return 'answer';
  return isStatusOf(passing, 'unwritten') ? 'request' : undefined;
});
const api = gateFor(({ path }) => (path.includes(pathOf('line-0')) ? 'answer' : undefined));

let stage: LeaderStage;
let orgs: Organizations;
let wokenAt = 0;

function callsOf(by: string, pipe: string): unknown[] {
  return stage
    .puts(pipe, by)
    .map(({ body }) => (body as { engine_max_threads: number }).engine_max_threads);
}

async function prepare(leader: Replica): Promise<void> {
  leader.onKube({ take: kube.take });
  leader.onApi((passing) =>
    passing.path.includes(pathOf('failing'))
      ? passing.reply({ status: 503, text: '{}' })
      : api.take(passing),
  );
  await Promise.all(['key-line', 'key-reading'].map((name) => stage.newKey(name)));
  await stage.psets.create('edited');
  await stage.psets.until('edited', 'Applied', 60_000);
  await stage.psets.create('unwritten');
  for (const name of LINE)
    await stage.psets.create(name, { credentialsSecretRef: { name: 'key-line' } });
  // Objects are taken in their order: when it has made a call, those before it are in line.
  await stage.psets.create('failing');
  await stage.psets.create('reading', { credentialsSecretRef: { name: 'key-reading' } });
  await waitFor(() => kube.held() >= 2 && api.held() === 1 && callsOf('a', 'failing').length >= 2, {
    what: 'a status, a call and a Secret to be held, and two attempts to have failed',
    timeoutMs: 60_000,
  });
  // Last: who waits long for the answer takes the intent back.
  await orgs.create('org', { privateEndpoints: [PSC] });
  await orgs.untilIt(
    'org',
    'the intent stored',
    ({ status }) => status.pendingChange !== undefined,
  );
}

beforeAll(async () => {
  stage = await openLeaderStage();
  orgs = stage.orgs;
  // The leader waits for its calls for as long as it is frozen; the other soon knows what became of
  // an add.
  const a = await stage.replica('a', {
    until: 'working',
    flags: ['--api-in-flight', '1', '--api-timeout', '5m'],
  });
  const b = await stage.replica('b', { until: 'standing by', flags: ['--api-timeout', '5s'] });
  await prepare(a);
  a.operator.process.kill('SIGSTOP');
  await stage.psets.create('edited', { settings: { engine_max_threads: 16 } });
  await waitFor(() => stage.record.takeoverBy(b.name), {
    what: 'the other to take over',
    timeoutMs: 90_000,
  });
  for (const name of [...OTHERS, ...LINE]) await stage.psets.until(name, 'Applied', 60_000);
  await stage.psets.create('unwritten', { settings: { engine_max_threads: 17 } });
  await stage.psets.until('unwritten', 'Applied', 60_000);
  await orgs.untilIt(
    'org',
    'the add given up',
    ({ status }) => status.privateEndpoints !== undefined && !status.pendingChange,
    UNSETTLED_MS + 60_000,
  );
  // The answers are there before it wakes, so that it reads them before it looks at its clock.
  await Promise.all([kube.open(), api.open()]);
  wokenAt = performance.now();
  a.operator.process.kill('SIGCONT');
  a.onApi(pass);
  await untilSaid(a, 'lost the leadership');
  await pause(3_000);
}, 300_000);
afterAll(() => stage.end());

describe('R11: a leader that was frozen past its Lease, on waking', () => {
  test('makes no call, whatever it had prepared', () => {
    expect(stage.record.calls.filter(({ by, at }) => by === 'a' && at > wokenAt)).toEqual([]);
    expect(stage.record.breaches()).toEqual([]);
  });

  test('drops what users changed meanwhile: it was acted on once', async () => {
    expect([callsOf('a', 'edited'), callsOf('b', 'edited')]).toEqual([[8], [16]]);
    expectClean(await stage.psets.get('edited'));
  });

  test('drops a call whose key was being read', async () => {
    expect([callsOf('a', 'reading'), callsOf('b', 'reading')]).toEqual([[], [8]]);
    expectClean(await stage.psets.get('reading'));
  });

  test('drops the calls that stood in line behind one that was answered meanwhile', async () => {
    expect(LINE.map((name) => callsOf('a', name))).toEqual([[8], [], [], []]);
    expect(LINE.map((name) => callsOf('b', name))).toEqual([[8], [8], [8], [8]]);
    for (const name of LINE) expectClean(await stage.psets.get(name));
  });

  test('drops an attempt whose time came meanwhile', async () => {
    expect(callsOf('b', 'failing')).toEqual([8]);
    expectClean(await stage.psets.get('failing'));
  });

  test('drops a result that it could not write down before: a newer one stands', async () => {
    expect(callsOf('a', 'unwritten')).toEqual([8]);
    // It may say that its own call might have been the last to arrive: then the newer state is sent
    // once more.
    expect([
      [8, 17],
      [8, 17, 17],
    ]).toContainEqual(callsOf('b', 'unwritten'));
    expectClean(await stage.psets.get('unwritten'));
  });

  test('drops an add whose intent was being put on record: the other waits until it could be settled', async () => {
    const patches = stage.record.calls.filter(({ path }) =>
      path.endsWith(`/organizations/${ORGANIZATION}`),
    );
    const adding = patches.filter(
      ({ body }) => ((body as Patch).privateEndpoints?.add ?? []).length > 0,
    );
    expect(adding).toEqual([]);
    const { status } = await orgs.get('org');
    expect(status.pendingChange).toBeUndefined();
    // It is sent again ten minutes later.
    expect(status.privateEndpoints).toEqual([
      expect.objectContaining({ id: PSC.id, origin: 'Added', state: 'Unconfirmed', attempts: 1 }),
    ]);
  });
});
