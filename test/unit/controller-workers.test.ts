import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ControllerOptions,
  type ReconcileRecord,
  runWorkers,
} from '../../src/controller/controller.ts';
import { awaitChange, goOn, goOnWithSlot, recheckAt } from '../../src/controller/outcome.ts';
import { collectionPath, keyOf } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../support/fake-clock.ts';
import { isStatusWrite } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

let engine: Engine;
let stop: AbortController;
let records: ReconcileRecord[];
let ended: Promise<void> | undefined;
let recorded: ReturnType<typeof recordingLog>;

beforeEach(async () => {
  engine = await startEngine();
  engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
  stop = new AbortController();
  records = [];
  recorded = recordingLog();
  ended = undefined;
});
afterEach(async () => {
  stop.abort();
  await ended;
  await engine.close();
});

function start(concurrency = 2): Promise<void> {
  const { queue, reconciler, clock } = engine;
  const options: ControllerOptions = {
    takeOver: () => undefined,
    kinds: new Map([[PIPE.kind, engine.kind]]),
    queue,
    reconciler,
    clock,
    log: recorded.log,
    concurrency,
    onReconcile: (pass) => void records.push(pass),
  };
  ended = runWorkers(options, stop.signal);
  return ended;
}

/** Lets time pass in steps until the condition holds; the milliseconds it took. */
async function timeUntil(holds: () => boolean, stepMs = 50): Promise<number> {
  const from = engine.clock.monotonic();
  while (!holds()) {
    if (engine.clock.monotonic() - from > 3_600_000)
      throw new Error('it does not happen within an hour');
    await engine.clock.advance(stepMs);
  }
  return engine.clock.monotonic() - from;
}

describe('a pass that throws', () => {
  test('is tried again after waits that double up to a minute, and said in the log with its place', async () => {
    engine.act = () => {
      throw new TypeError('a bug in the kind');
    };
    engine.given('ns/poison');
    void start();
    await settle();
    const waits: number[] = [];
    for (let tries = 1; tries <= 10; tries += 1) {
      waits.push(await timeUntil(() => engine.acted.length > tries));
    }
    const expected = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000];
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual((expected[index] ?? 0) * 0.8);
      expect(wait).toBeLessThanOrEqual((expected[index] ?? 0) * 1.2 + 50);
    }
    const [line = ''] = recorded.messages;
    expect(line).toMatch(/^error reconcile failed, a bug; retrying \{/);
    expect(JSON.parse(line.slice(line.indexOf('{')))).toMatchObject({
      kind: 'Pipe',
      namespace: 'ns',
      name: 'poison',
      failures: 1,
      error: 'a bug in the kind',
      errorName: 'TypeError',
      errorStack: expect.arrayContaining([expect.stringContaining('at ')]),
    });
  });

  test('stops neither its worker nor the other keys', async () => {
    engine.act = ({ metadata }) => {
      if (metadata.name === 'poison') throw new TypeError('a bug in the kind');
    };
    engine.given('ns/poison');
    for (let index = 0; index < 20; index += 1) engine.given(`ns/good-${index}`);
    void start(1);
    await settle();
    await settle();
    expect(engine.acted.filter((key) => key.startsWith('ns/good'))).toHaveLength(20);
    expect(engine.acted.filter((key) => key === 'ns/poison')).toHaveLength(1);
  });

  test('has its failures forgotten once a pass succeeds', async () => {
    let broken = true;
    engine.act = () => {
      if (broken) throw new TypeError('a bug in the kind');
    };
    engine.given('ns/sick');
    void start();
    await settle();
    await timeUntil(() => engine.acted.length > 4);
    broken = false;
    await timeUntil(() => engine.acted.length > 5);
    broken = true;
    engine.queue.add(idOf('ns/sick'), 'user');
    await settle();
    expect(recorded.messages.at(-1)).toContain('"failures":1');
  });

  test('is counted with what it was and how long it took', async () => {
    engine.act = () => {
      throw new TypeError('a bug in the kind');
    };
    engine.given('ns/poison');
    void start();
    await settle();
    expect(records).toEqual([{ kind: 'Pipe', result: 'error', durationMs: 0 }]);
  });
});

describe('a status that Kubernetes refuses', () => {
  test('is tried again with growing waits, with the reason in the log, and the remote call is not repeated', async () => {
    engine.server.fate = (call) =>
      isStatusWrite(call)
        ? { status: 422, reason: 'Invalid', message: 'status.settings: Too many: 13' }
        : undefined;
    engine.report = (object) => ({
      status: { of: object.metadata.uid },
      outcome: awaitChange,
      did: 'put',
    });
    engine.given('ns/odd');
    void start();
    for (let tries = 1; tries <= 4; tries += 1) {
      await eventually(() => expect(recorded.messages).toHaveLength(tries));
      await engine.clock.advance(100 * 2 ** tries);
      expect(engine.server.statusWrites).toHaveLength(tries);
      await engine.clock.advance(600 * 2 ** tries);
      await eventually(() => expect(engine.server.statusWrites).toHaveLength(tries + 1));
    }
    expect(engine.acted).toHaveLength(1);
    expect(recorded.messages[0]).toMatch(
      /^warn Kubernetes refused a request or did not answer; retrying/,
    );
    expect(recorded.messages[0]).toContain('422 Invalid: status.settings: Too many: 13');
  });

  test('is left alone for as long as the server asks', async () => {
    engine.server.fate = (call) =>
      isStatusWrite(call) ? { status: 429, reason: 'TooManyRequests', retryAfter: 30 } : undefined;
    engine.report = (object) => ({
      status: { of: object.metadata.uid },
      outcome: awaitChange,
      did: 'put',
    });
    engine.given('ns/many');
    void start();
    await eventually(() => expect(recorded.messages).toHaveLength(1));
    const { length } = engine.server.calls;
    await engine.clock.advance(29_999);
    // What is under way by then has come before this.
    await engine.client.request({ method: 'GET', path: collectionPath(PIPE) });
    expect(engine.server.calls).toHaveLength(length + 1);
    await engine.clock.advance(1);
    await eventually(() => expect(engine.server.statusWrites).toHaveLength(2));
  });
});

describe('outcomes', () => {
  test('recheck visits again at its time and not before; await-change does not', async () => {
    let visits = 0;
    engine.report = (_object, now) => {
      visits += 1;
      return { outcome: visits === 1 ? recheckAt(now + 5_000) : awaitChange, did: 'nothing' };
    };
    engine.given('ns/later');
    void start();
    await engine.clock.advance(4_999);
    expect(visits).toBe(1);
    await engine.clock.advance(1);
    expect(visits).toBe(2);
    await engine.clock.advance(3_600_000);
    expect(visits).toBe(2);
    expect(engine.clock.pending).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])(
    'recheck keeps to its time though the wall clock jumps by %i ms while the status is written',
    async (jump) => {
      engine.report = (object, now) => ({
        ...anAttempt(object, now),
        outcome: recheckAt(now + 5_000),
      });
      engine.server.fate = (call) => {
        if (isStatusWrite(call)) engine.clock.jumpWall(jump);
        return undefined;
      };
      engine.given('ns/later');
      void start();
      await eventually(() => expect(records).toHaveLength(1));
      await engine.clock.advance(4_999);
      expect(engine.acted).toHaveLength(1);
      await engine.clock.advance(1);
      expect(engine.acted).toHaveLength(2);
    },
  );

  test('back-off visits again with growing waits', async () => {
    engine.report = () => ({ outcome: { next: 'back-off' }, did: 'nothing' });
    engine.given('ns/later');
    void start();
    await settle();
    const first = await timeUntil(() => engine.acted.length > 1);
    await timeUntil(() => engine.acted.length > 3);
    expect(await timeUntil(() => engine.acted.length > 4)).toBeGreaterThan(3 * first);
  });

  test('of a gone object leaves no delay and no failures behind', async () => {
    engine.report = (_object, now) => ({ outcome: recheckAt(now + 60_000), did: 'nothing' });
    engine.given('ns/gone');
    void start();
    await settle();
    engine.server.remove(PIPE, 'ns/gone');
    engine.hear('ns/gone');
    await engine.clock.advance(600_000);
    expect(engine.acted).toHaveLength(1);
    expect(records.map(({ result }) => result)).toEqual(['nothing', 'forgot']);
  });

  test('are logged with the same message and the facts in fields; a pass that did nothing only for debugging', async () => {
    engine.report = () => ({
      outcome: awaitChange,
      did: 'put',
      facts: { reason: 'Applied', httpStatus: 200 },
    });
    engine.given('ns/a');
    void start();
    await settle();
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    engine.queue.add(idOf('ns/a'), 'user');
    await settle();
    expect(recorded.messages).toEqual([
      'info reconciled {"kind":"Pipe","namespace":"ns","name":"a","did":"put","ms":0,"reason":"Applied","httpStatus":200}',
      'debug reconciled {"kind":"Pipe","namespace":"ns","name":"a","did":"nothing","ms":0}',
    ]);
  });
});

describe('stopping', () => {
  test('lets running passes end, takes no new key, and ends after the last of them', async () => {
    const gates = new Map<string, () => void>();
    engine.act = ({ metadata }) =>
      new Promise<void>((resolve) => void gates.set(metadata.name, resolve));
    for (const name of ['a', 'b', 'c']) engine.given(`ns/${name}`);
    let over = false;
    void start(2).then(() => (over = true));
    await settle();
    stop.abort();
    gates.get('a')?.();
    await settle();
    expect([engine.acted, over, records.length]).toEqual([['ns/a', 'ns/b'], false, 1]);
    gates.get('b')?.();
    await settle();
    expect([engine.acted.length, over, engine.queue.depth]).toEqual([2, true, 1]);
  });

  test('can be followed by working on with the same queue, as after a regained Lease', async () => {
    void start();
    await settle();
    stop.abort();
    await ended;
    engine.given('ns/meanwhile');
    await settle();
    expect(engine.acted).toEqual([]);
    stop = new AbortController();
    void start();
    await settle();
    expect(engine.acted).toEqual(['ns/meanwhile']);
  });

  test('never has more passes at once than it was told', async () => {
    let running = 0;
    let most = 0;
    engine.act = async () => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
    };
    for (let index = 0; index < 12; index += 1) engine.given(`ns/${index}`);
    void start(3);
    await eventually(() => expect(engine.acted).toHaveLength(12));
    expect(most).toBe(3);
  });
});

test('what only the next step would have told is written when there will be none, also where that step was waiting', async () => {
  const lastWord = { status: { lastRequest: { requestId: 'of-a-step' } } };
  engine.report = () => ({ outcome: goOn, did: 'step', lastWord });
  const pass = Promise.withResolvers<void>();
  engine.given('ns/quick');
  engine.given('ns/slow');
  engine.act = async (object) => {
    if (keyOf(object) === 'ns/slow') await pass.promise;
    else stop.abort();
  };
  const ending = start();
  await eventually(() => expect(engine.acted).toEqual(['ns/quick', 'ns/slow']));
  expect(engine.server.statusWrites).toEqual([]);
  pass.resolve();
  await ending;
  for (const key of ['ns/quick', 'ns/slow'])
    expect(engine.server.get(PIPE, key)?.status).toEqual(lastWord.status);
});

test.each([
  { outcome: goOnWithSlot, name: 'that holds its slot goes ahead', acted: ['a', 'a', 'b', 'c'] },
  { outcome: goOn, name: 'without a slot goes behind', acted: ['a', 'b', 'c', 'a'] },
])('a next step $name of what waits in its namespace', async ({ outcome, acted }) => {
  engine.report = () => ({
    outcome: engine.acted.length === 1 ? outcome : awaitChange,
    did: 'step',
  });
  for (const name of ['a', 'b', 'c']) engine.given(`ns/${name}`);
  void start(1);
  await eventually(() => expect(engine.acted).toEqual(acted.map((name) => `ns/${name}`)));
});

test('what the next step has told is not written once more', async () => {
  engine.given('ns/orders');
  engine.report = () => ({
    outcome: goOn,
    did: 'step',
    lastWord: { status: { lastRequest: { requestId: 'of-a-step' } } },
  });
  engine.act = () => {
    if (engine.acted.length < 2) return;
    engine.report = () => ({
      status: { lastRequest: { requestId: 'of-the-end' } },
      outcome: awaitChange,
      did: 'end',
    });
    stop.abort();
  };
  await start();
  expect(engine.server.statusWrites.map(({ status }) => status)).toEqual([
    { lastRequest: { requestId: 'of-the-end' } },
  ]);
});

test('what holds while the next step is not made is written on top of what the last one wrote', async () => {
  engine.given('ns/orders');
  const about = { lastRequest: { requestId: 'about-to-send' } };
  const unsent = { lastRequest: { requestId: 'not-sent' } };
  engine.report = () => ({
    status: about,
    outcome: goOn,
    did: 'step',
    lastWord: { status: unsent, isOnTop: ({ status }) => status !== undefined },
  });
  engine.act = () => stop.abort();
  await start();
  expect(engine.server.statusWrites.map(({ status }) => status)).toEqual([about, unsent]);
});
