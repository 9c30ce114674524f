import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../src/kube/events/event-body.ts';
import { anEvent, world } from '../support/events-world.ts';
import { settle } from '../support/fake-clock.ts';

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
