import { describe, expect, test } from 'vitest';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { anEvent, world } from '../support/events-world.ts';
import { settle } from '../support/fake-clock.ts';
import { forbidden, refused } from '../support/memory-kube.ts';

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
        /^warn unexpected error while sending an event, a bug .*"error":"no such field".*"errorStack":\["at .*kube-events-trouble\.test\.ts/,
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
