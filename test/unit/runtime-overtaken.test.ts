import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, PIPE, startEngine } from '../support/engine.ts';
import { isStatusWrite } from '../support/fake-kube-server.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

const KEY = 'ns/orders';
const HEIR = 'ns/orders-2';

/** A record that is confirmed, of a request at this second. */
function confirmed(second: number): object {
  return { lastRequest: { time: timeOf(second), requestId: `of-${second}` }, confirmed: true };
}

function timeOf(second: number): string {
  return new Date(engine.clock.now() + second * 1_000).toISOString().replace(/\.\d+/, '');
}

/** What is said at an object that was confirmed; whoever is not sends again by itself. */
const TOLD = { confirmed: false, told: true };
function overtaken({ status }: KubeObject): object | undefined {
  return (status as { confirmed?: boolean } | undefined)?.confirmed ? TOLD : undefined;
}

/** Passes send something that can have an effect. */
function sending(): void {
  engine.report = (object, now) => ({ ...anAttempt(object, now), overtaken });
}

/** Runs before the remote side answers. */
function meanwhile(run: () => void): void {
  engine.act = () => {
    engine.act = () => {};
    run();
  };
}

function statusOf(key: string): unknown {
  return engine.server.get(PIPE, key)?.status;
}

/** Everybody stands for the same thing. */
function asRivals(): void {
  engine.rivals = () => [...engine.store.values()];
}

function deleted(key: string): void {
  engine.server.remove(PIPE, key);
  const held = engine.store.get(key);
  if (held) engine.store.apply('DELETED', held);
}

describe('a result on top of which another stands', () => {
  test('is told there, because it may have reached the API later, and its key is visited again', async () => {
    sending();
    engine.given(KEY);
    meanwhile(() => void engine.server.edit(PIPE, KEY, { status: confirmed(9) }));
    await engine.pass(KEY);
    expect(statusOf(KEY)).toEqual(TOLD);
    expect(engine.store.get(KEY)?.status).toEqual(TOLD);
    expect(engine.queue.depth).toBe(1);
    expect(engine.told).toEqual([]);
  });

  test('is told also where the store knows of the other already', async () => {
    sending();
    engine.given(KEY);
    meanwhile(() => {
      engine.server.edit(PIPE, KEY, { status: confirmed(9) });
      engine.hear(KEY);
    });
    await engine.pass(KEY);
    expect(statusOf(KEY)).toEqual(TOLD);
  });

  test('is kept until it could be told', async () => {
    sending();
    engine.given(KEY);
    meanwhile(() => void engine.server.edit(PIPE, KEY, { status: confirmed(9) }));
    let writes = 0;
    engine.server.fate = (call) =>
      isStatusWrite(call) && ++writes === 2 ? { status: 500, reason: 'InternalError' } : undefined;
    await expect(engine.pass(KEY)).rejects.toThrow('InternalError');
    expect(statusOf(KEY)).toEqual(confirmed(9));
    engine.act = () => expect(statusOf(KEY), 'before anything is sent again').toEqual(TOLD);
    await engine.pass(KEY);
    expect(engine.acted).toEqual([KEY, KEY]);
  });

  test('is nobody else’s business where nothing was sent that can have had an effect', async () => {
    engine.given(KEY);
    meanwhile(() => void engine.server.edit(PIPE, KEY, { status: confirmed(9) }));
    await engine.pass(KEY);
    expect(statusOf(KEY)).toEqual(confirmed(9));
  });
});

describe('a result whose object is gone', () => {
  test('is told whoever stands for the same thing', async () => {
    sending();
    asRivals();
    engine.given(KEY);
    engine.given(HEIR, { status: confirmed(0) });
    meanwhile(() => deleted(KEY));
    await engine.pass(KEY);
    expect(statusOf(HEIR)).toEqual(TOLD);
    expect(engine.acted).toEqual([KEY]);
  });

  test('is told whoever comes later, before anything else, and once', async () => {
    sending();
    asRivals();
    engine.given(KEY);
    meanwhile(() => deleted(KEY));
    await engine.pass(KEY);
    engine.given(HEIR, { status: confirmed(0) });
    expect(await engine.pass(HEIR)).toMatchObject({ did: 'overtaken', outcome: { next: 'go-on' } });
    expect(statusOf(HEIR)).toEqual(TOLD);
    expect(engine.acted).toEqual([KEY]);
    engine.server.edit(PIPE, HEIR, { status: confirmed(0) });
    engine.hear(HEIR);
    expect(await engine.pass(HEIR)).toMatchObject({ did: 'put' });
  });

  test('is told whoever has taken its very name', async () => {
    sending();
    asRivals();
    engine.given(KEY);
    meanwhile(() => {
      engine.server.remove(PIPE, KEY);
      engine.server.create(PIPE, KEY, { status: confirmed(0) });
    });
    await engine.pass(KEY);
    engine.hear(KEY);
    await engine.pass(KEY);
    expect(statusOf(KEY)).toEqual(TOLD);
  });

  test('is not spent on one that is gone as well', async () => {
    sending();
    asRivals();
    engine.given(KEY, { status: confirmed(-9) });
    meanwhile(() => engine.server.remove(PIPE, KEY));
    await engine.pass(KEY);
    expect(engine.server.calls.map(({ method }) => method)).toEqual(['PUT', 'GET']);
    expect(await engine.pass(KEY)).toMatchObject({ did: 'forgot' });
    engine.given(HEIR, { status: confirmed(0) });
    engine.server.remove(PIPE, HEIR);
    expect(await engine.pass(HEIR)).toMatchObject({ did: 'forgot' });
    engine.given('ns/third', { status: confirmed(0) });
    expect(await engine.pass('ns/third')).toMatchObject({ did: 'overtaken' });
  });

  test('is over where the other has sent since', async () => {
    sending();
    asRivals();
    engine.given(KEY);
    engine.given(HEIR, { status: confirmed(1) });
    meanwhile(() => deleted(KEY));
    await engine.pass(KEY);
    expect(statusOf(HEIR)).toEqual(confirmed(1));
  });

  test('is over where this process has sent for the other since, within the same second too', async () => {
    sending();
    asRivals();
    engine.given(KEY);
    meanwhile(() => deleted(KEY));
    await engine.pass(KEY);
    engine.given(HEIR);
    engine.report = (object, now) => ({ ...anAttempt(object, now), status: confirmed(0), overtaken });
    await engine.clock.advance(10);
    await engine.pass(HEIR);
    expect(await engine.pass(HEIR)).toMatchObject({ did: 'put' });
    expect(statusOf(HEIR)).toEqual(confirmed(0));
  });

  test('waits for one that is confirmed, and concerns none that stands for something else', async () => {
    sending();
    engine.given(KEY);
    meanwhile(() => deleted(KEY));
    await engine.pass(KEY);
    engine.given(HEIR, { status: confirmed(0) });
    expect(await engine.pass(HEIR)).toMatchObject({ did: 'put' });
    asRivals();
    engine.given('ns/waits', { status: { confirmed: false } });
    expect(await engine.pass('ns/waits')).toMatchObject({ did: 'put' });
    engine.given('ns/third', { status: confirmed(0) });
    expect(await engine.pass('ns/third')).toMatchObject({ did: 'overtaken' });
  });
});
