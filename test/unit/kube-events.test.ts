import { describe, expect, test } from 'vitest';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { EventBody, EventInput } from '../../src/kube/events/event-body.ts';
import { createEvents, type Events } from '../../src/kube/events/events.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { type Fate, forbidden, MemoryKube, refused } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

const type = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'pipesettings',
  kind: 'PipeSettings',
};

function anEvent(
  over: Partial<EventInput> & {
    readonly uid?: string;
    readonly name?: string;
    readonly namespace?: string;
  } = {},
): EventInput {
  const { uid = 'u1', name = 'orders', namespace = 'ingest', ...rest } = over;
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return {
    object: { type, metadata },
    type: 'Warning',
    reason: 'Refused',
    action: 'Apply',
    note: 'Refused 5.5',
    ...rest,
  };
}

interface World {
  readonly clock: FakeClock;
  readonly events: Events;
  readonly kube: MemoryKube;
  readonly messages: string[];
  readonly sent: () => EventBody[];
}

function world(fate: (call: RequestCall) => Fate = () => ({}), instance = 'pipewright-0'): World {
  const clock = new FakeClock();
  const kube = new MemoryKube();
  const { log, messages } = recordingLog();
  const events = createEvents({ client: kube.client({ clock, fate }), clock, log, instance });
  return {
    clock,
    kube,
    messages,
    events,
    sent: () => kube.calls.map((call) => call.body as EventBody),
  };
}

describe('an event', () => {
  test('says who, what, why and about which object, in the namespace of the object', async () => {
    const { events, kube, sent } = world();
    events.emit(anEvent());
    await events.flush();
    expect(kube.calls[0]).toMatchObject({
      method: 'POST',
      path: '/apis/events.k8s.io/v1/namespaces/ingest/events',
    });
    expect(sent()).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: {
          namespace: 'ingest',
          name: expect.stringMatching(/^orders\.[0-9a-f]{16}$/) as unknown,
        },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'pipewright.dev/pipewright',
        reportingInstance: 'pipewright-0',
        regarding: {
          apiVersion: 'pipewright.dev/v1alpha1',
          kind: 'PipeSettings',
          namespace: 'ingest',
          name: 'orders',
          uid: 'u1',
          resourceVersion: '7',
        },
        type: 'Warning',
        reason: 'Refused',
        action: 'Apply',
        note: 'Refused 5.5',
      },
    ]);
  });

  test('is cut to the bytes that the API takes, at whole characters', async () => {
    const { events, sent } = world(() => ({}), 'i'.repeat(300));
    events.emit(
      anEvent({
        note: `a${'ü🙂'.repeat(400)}`,
        reason: 'R'.repeat(200),
        action: 'A'.repeat(128),
        name: `${'n'.repeat(229)}-${'m'.repeat(20)}`,
      }),
    );
    await events.flush();
    const { note, reason, action, reportingInstance, metadata } = sent()[0] as EventBody;
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1_016);
    expect(note).toMatch(/^a(ü🙂)+ü?…$/u);
    expect([reason, reportingInstance].map((text) => Buffer.byteLength(String(text)))).toEqual([
      128, 128,
    ]);
    expect(action).toBe('A'.repeat(128));
    expect(metadata.name).toMatch(/^n{229}\.[0-9a-f]{16}$/);
  });

  test('is cut by bytes, not by characters', async () => {
    const { events, sent } = world();
    events.emit(anEvent({ note: 'ü'.repeat(600) }));
    await events.flush();
    expect(Buffer.byteLength(sent()[0]?.note ?? '')).toBe(1_023);
  });

  test('has a name of its own every time', async () => {
    const { events, sent } = world();
    for (let n = 0; n < 20; n += 1) events.emit(anEvent({ note: `${n}` }));
    await events.flush();
    expect(new Set(sent().map((event) => event.metadata.name)).size).toBe(20);
  });
});

describe('few events', () => {
  test('says the same of the same object again after ten minutes, not before', async () => {
    const { events, clock, sent } = world();
    events.emit(anEvent());
    await clock.advance(599_999);
    events.emit(anEvent());
    events.emit(anEvent({ uid: 'u2' }));
    events.emit(anEvent({ note: 'Refused 6.5' }));
    await settle();
    expect(sent()).toHaveLength(3);
    await clock.advance(1);
    events.emit(anEvent());
    await settle();
    expect(sent()).toHaveLength(4);
  });

  test('sends what stands nowhere else, however often it is said and whatever came before', async () => {
    const { events, sent } = world();
    for (let n = 0; n < 25; n += 1) events.emit(anEvent({ note: `${n}` }));
    for (let n = 0; n < 2; n += 1) events.emit(anEvent({ note: 'left at the API', always: true }));
    await settle();
    expect(sent().filter(({ note }) => note === 'left at the API')).toHaveLength(2);
  });

  test('lets each object say 25 things at once, then one in five minutes', async () => {
    const { events, clock, sent } = world();
    const burst = (from: number): void => {
      for (let n = from; n < from + 100; n += 1) events.emit(anEvent({ note: `${n}` }));
    };
    burst(0);
    await settle();
    expect(sent()).toHaveLength(25);
    await clock.advance(299_999);
    burst(100);
    await settle();
    expect(sent()).toHaveLength(25);
    await clock.advance(1);
    burst(200);
    await settle();
    expect(sent()).toHaveLength(26);
    events.emit(anEvent({ uid: 'other' }));
    await settle();
    expect(sent()).toHaveLength(27);
    await clock.advance(86_400_000);
    burst(300);
    await settle();
    expect(sent()).toHaveLength(52);
  });

  test('of another namespace wait for one of a namespace that has many, not for all', async () => {
    const { events, clock, sent } = world(() => ({ back: 10 }));
    for (let n = 0; n < 1_500; n += 1) events.emit(anEvent({ namespace: 'many', uid: `m${n}` }));
    for (let n = 0; n < 3; n += 1) events.emit(anEvent({ uid: `${n}` }));
    await clock.advance(20_000);
    const order = sent().map(({ metadata }) => metadata.namespace);
    // The first one was under way when the others came.
    const turns = ['many', 'many', 'ingest', 'many', 'ingest', 'many', 'ingest', 'many', 'many'];
    expect(order.slice(0, 9)).toEqual(turns);
    expect(order).toHaveLength(1_001 + 3);
  });

  test('are sent whenever they come, also as the one before is done', async () => {
    for (let steps = 0; steps < 30; steps += 1) {
      const { events, sent } = world();
      events.emit(anEvent());
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      events.emit(anEvent({ uid: 'u2' }));
      await settle();
      expect(sent()).toHaveLength(2);
    }
  });

  test('keeps at most a thousand waiting, and sends them in order', async () => {
    const { events, clock, sent } = world(() => ({ back: 1_000 }));
    for (let n = 0; n < 5_000; n += 1) events.emit(anEvent({ uid: `u${n}`, note: `${n}` }));
    await clock.advance(2_000_000);
    expect(sent().map((event) => event.note)).toEqual(
      Array.from({ length: 1_001 }, (_, n) => `${n}`),
    );
  });

  test('has room for ten thousand that tell what stands nowhere else, and logs what does not fit', async () => {
    const { events, clock, sent, messages } = world(() => ({ back: 1_000 }));
    for (let n = 0; n < 1_001; n += 1) events.emit(anEvent({ uid: `u${n}` }));
    for (let n = 0; n < 9_000; n += 1) events.emit(anEvent({ note: `${n}`, always: true }));
    expect(messages).toEqual([]);
    events.emit(anEvent({ note: 'gone', always: true }));
    expect(messages).toEqual([
      'warn event lost that stands nowhere else: too many wait to be sent {"namespace":"ingest","name":"orders","reason":"Refused","note":"gone","waiting":10000}',
    ]);
    await clock.advance(20_000_000);
    expect(sent()).toHaveLength(10_001);
  });

  test('of one namespace take no more places than they leave, and those that tell more none of others', async () => {
    const { events, clock, sent } = world(() => ({ back: 1_000 }));
    const say = (namespace: string, always?: true): void => {
      for (let n = 0; n < 20_000; n += 1)
        events.emit(anEvent({ namespace, uid: `${namespace}${n}`, ...(always && { always }) }));
    };
    say('a', true);
    for (const namespace of ['a', 'b', 'c']) say(namespace);
    await clock.advance(20_000_000);
    const of = (one: string): number =>
      sent().filter(({ metadata }) => metadata.namespace === one).length;
    // The first one was under way when the others came.
    expect([of('a'), of('b'), of('c')]).toEqual([1 + 10_000 + 1_000, 500, 250]);
  });

  test('remembers no more than a bounded number of objects and contents', async () => {
    const { events, sent } = world();
    events.emit(anEvent());
    for (let n = 0; n < 10; n += 1) {
      for (let m = 0; m < 500; m += 1) events.emit(anEvent({ uid: `u${n}-${m}` }));
      await events.flush();
    }
    events.emit(anEvent());
    await events.flush();
    expect(sent()).toHaveLength(5_002);
  });
});

describe('trouble', () => {
  test('never throws and returns before anything was answered', async () => {
    const { events } = world(() => ({ lost: 'request' }));
    expect(() => events.emit(anEvent())).not.toThrow();
  });

  test('tries again what may pass, every two seconds for two minutes', async () => {
    let fail = 45;
    // No answer, too many requests, a server's own fault.
    const statuses = [0, 429, 500] as const;
    const { events, clock, sent } = world((call) =>
      fail-- > 0 ? { fail: refused(call, statuses[fail % 3] ?? 500, 'Passing') } : {},
    );
    events.emit(anEvent());
    await clock.advance(90_000);
    expect(sent()).toHaveLength(46);
    fail = 1_000;
    events.emit(anEvent({ note: 'second' }));
    await clock.advance(119_999);
    expect(sent()).toHaveLength(46 + 60);
    await clock.advance(60_000);
    expect(sent()).toHaveLength(46 + 61);
  });

  test('has no more patience with many than with one, and tries them in turn', async () => {
    const { events, clock, sent } = world((call) => ({
      fail: refused(call, 500, 'InternalError'),
    }));
    for (let n = 0; n < 20; n += 1) events.emit(anEvent({ note: `${n}` }));
    await clock.advance(120_000);
    expect(sent().map((event) => event.note)).toEqual(
      Array.from({ length: 80 }, (_, n) => `${n % 20}`),
    );
    await clock.advance(120_000);
    expect(sent()).toHaveLength(80);
  });

  test('of one namespace holds up no other for longer than until the next try', async () => {
    const isSpoiled = ({ path }: RequestCall): boolean => path.includes('/spoiled/');
    const { events, clock, kube } = world((call) =>
      isSpoiled(call) ? { fail: refused(call, 500, 'InternalError') } : {},
    );
    events.emit(anEvent({ namespace: 'spoiled' }));
    events.emit(anEvent({ uid: 'u2' }));
    await clock.advance(2_000);
    expect(kube.calls.filter((call) => !isSpoiled(call))).toHaveLength(1);
  });

  test('that one namespace may say no more holds up no other', async () => {
    const isFull = ({ path }: RequestCall): boolean => path.includes('/full/');
    const { events, clock, kube, messages } = world((call) =>
      isFull(call) ? { fail: refused(call, 429, 'TooManyRequests') } : {},
    );
    for (let n = 0; n < 60; n += 1) events.emit(anEvent({ namespace: 'full', uid: `${n}` }));
    await clock.advance(500);
    for (let n = 0; n < 3; n += 1) events.emit(anEvent({ note: `${n}` }));
    await settle();
    expect(kube.calls.map(isFull)).toEqual([true, false, false, false]);
    await clock.advance(1_499);
    expect(kube.calls).toHaveLength(4);
    await clock.advance(1);
    expect(kube.calls.map(isFull)).toEqual([true, false, false, false, true]);
    events.emit(anEvent({ note: 'again' }));
    await settle();
    expect(kube.calls.filter((call) => !isFull(call))).toHaveLength(4);
    // It is said once, though others were taken in between.
    expect(messages).toHaveLength(1);
  });

  test('that one namespace may say no more is heeded also once its events are over', async () => {
    const { events, clock, sent } = world((call) => ({
      fail: refused(call, 429, 'TooManyRequests'),
    }));
    for (let n = 0; n < 900; n += 1) events.emit(anEvent({ uid: `${n}` }));
    await clock.advance(120_000);
    const before = sent().length;
    await clock.advance(60_000);
    expect(sent().length - before).toBe(30);
    await clock.advance(1_800_000);
    const uids = sent().map(({ regarding }) => (regarding as { readonly uid: string }).uid);
    expect(new Set(uids).size).toBe(900);
  });

  test('of a namespace ends for it when the server takes its events again', async () => {
    let isFull = true;
    const { events, clock, sent } = world((call) =>
      isFull ? { fail: refused(call, 429, 'TooManyRequests') } : {},
    );
    for (let n = 0; n < 60; n += 1) events.emit(anEvent({ note: `${n}`, uid: `${n}` }));
    await clock.advance(3_000);
    expect(sent()).toHaveLength(2);
    isFull = false;
    await clock.advance(1_000);
    expect(new Set(sent().map(({ note }) => note)).size).toBe(60);
  });

  test('waits as long as the server asks', async () => {
    let first = true;
    const busy = new KubeError({
      call: 'POST',
      status: 429,
      reason: 'TooManyRequests',
      body: '',
      retryAfterMs: 9_000,
    });
    const { events, clock, sent } = world(() => (first ? { fail: busy } : {}));
    events.emit(anEvent());
    await clock.advance(8_999);
    first = false;
    expect(sent()).toHaveLength(1);
    await clock.advance(1);
    expect(sent()).toHaveLength(2);
  });

  test('takes a conflict for an earlier try that came through', async () => {
    const { events, messages, sent } = world((call) => ({
      fail: refused(call, 409, 'AlreadyExists'),
    }));
    events.emit(anEvent());
    await events.flush();
    expect([sent().length, messages]).toEqual([1, []]);
  });

  test('names the missing rule once per namespace, and again when it is missing again', async () => {
    let may = false;
    const { events, messages } = world((call) =>
      may || !call.path.includes('/ingest/')
        ? {}
        : { fail: forbidden('create', 'events', 'ingest', 'events.k8s.io') },
    );
    const burst = async (note: string): Promise<void> => {
      for (let n = 0; n < 5; n += 1) {
        events.emit(anEvent({ note: `${note}${n}` }));
        events.emit(anEvent({ note: `${note}${n}`, uid: 'u2', namespace: 'free' }));
      }
      await events.flush();
    };
    await burst('a');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(
      'system:serviceaccount:pw:pw may not create events in namespace "ingest"; add to a Role in namespace "ingest" bound to system:serviceaccount:pw:pw the rule {apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"]}',
    );
    may = true;
    await burst('b');
    may = false;
    await burst('c');
    expect(messages).toHaveLength(2);
  });

  test('says nothing above debug of a namespace that is going or gone', async () => {
    const body =
      'events.events.k8s.io "x" is forbidden: unable to create new content in namespace ingest because it is being terminated';
    const { events, messages, sent } = world((call) => ({
      fail: call.path.includes('/gone/')
        ? refused(call, 404, 'NotFound')
        : new KubeError({ call: 'POST', status: 403, reason: 'Forbidden', body }),
    }));
    events.emit(anEvent());
    events.emit(anEvent({ namespace: 'gone', uid: 'u2' }));
    await events.flush();
    expect(sent()).toHaveLength(2);
    expect(messages.map((message) => message.split(' ')[0])).toEqual(['debug', 'debug']);
  });

  test('of our own making costs one event, and says where it was thrown', async () => {
    let isBroken = true;
    const { events, sent, messages } = world(() => {
      if (isBroken) throw new TypeError('no such field');
      return {};
    });
    events.emit(anEvent({ note: 'lost' }));
    await events.flush();
    isBroken = false;
    events.emit(anEvent({ note: 'sent' }));
    await events.flush();
    expect(messages).toEqual([
      expect.stringMatching(
        /^warn unexpected error while sending an event, a bug .*"error":"no such field".*"errorStack":\["at .*kube-events\.test\.ts/,
      ),
    ]);
    expect(sent().map(({ note }) => note)).toEqual(['sent']);
  });

  test('flushes for five seconds at most, and says how many are left', async () => {
    const { events, clock, messages } = world(() => ({ back: 60_000 }));
    events.emit(anEvent());
    events.emit(anEvent({ uid: 'u2' }));
    let flushed = false;
    const flush = events.flush().then(() => {
      flushed = true;
    });
    await clock.advance(4_999);
    expect(flushed).toBe(false);
    await clock.advance(1);
    await flush;
    expect(messages).toEqual([
      expect.stringMatching(/^warn stopping with unsent events .*"events":2/),
    ]);
  });
});
