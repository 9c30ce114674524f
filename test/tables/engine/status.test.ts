import { beforeEach, describe, expect, test } from 'vitest';
import type { Fate } from '../kube/api.ts';
import { applied, Engine, NOTHING, OTHERS, OURS } from './engine.ts';

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
  engine.reconcile = () => (engine.began.length === 1 ? applied() : NOTHING);
});

type Change = (on: Engine) => void;
const edit: Change = (on) => on.edit();
const annotate: Change = (on) => on.annotate();
const others: Change = (on) => on.writeStatus(OTHERS);
const alike: Change = (on) => on.writeStatus(OURS);
const remade: Change = (on) => {
  on.delete();
  on.create();
};

/** The status of a new object. */
const PENDING = { observedGeneration: -1 };

/** `heard`: the watch brings the change while the reconcile runs. `unheard`: it brings nothing. */
type Row = [string, { readonly heard?: Change; readonly unheard?: Change }, string, string, object];

// What changes meanwhile, the calls, what the reconciles did, and the status that stands then.
test.each<Row>([
  ['goes out once', {}, 'PUT', 'put', OURS],
  ['is not written where it stands', { heard: alike }, '', 'put', OURS],
  ['goes on top of an edit not heard of', { unheard: edit }, 'PUT GET PUT', 'put nothing', OURS],
  ['goes at once on top of an edit heard of', { heard: edit }, 'PUT', 'put nothing', OURS],
  ['goes on top of an annotation', { unheard: annotate }, 'PUT GET PUT', 'put', OURS],
  ['yields to the status of another', { heard: others }, '', 'dropped nothing', OTHERS],
  ['yields to one not heard of', { unheard: others }, 'PUT GET', 'dropped nothing', OTHERS],
  ['goes to no object made anew', { unheard: remade }, 'PUT GET', 'put', PENDING],
])('a result %s', async (_what, { heard, unheard }, calls, did, stands) => {
  engine.given('orders');
  if (unheard) engine.beforeWrite(unheard);
  engine.reconcile = () => {
    if (engine.began.length > 1) return NOTHING;
    heard?.(engine);
    engine.hear();
    return applied({ status: { ...OURS, plan: undefined } });
  };
  await engine.start();
  expect([engine.methods, engine.did.join(' ')]).toEqual([calls, did]);
  expect(engine.at().status).toMatchObject(stands);
  expect(engine.events).toEqual(did.includes('dropped') ? [] : ['orders: Applied it']);
});

describe('while Kubernetes is away', () => {
  test.each<[string, Fate, number, number]>([
    ['errors of its own', { refused: { status: 500 } }, 3, 4],
    ['conflicts that never end', { refused: { status: 409 } }, 8, 9],
    ['no answer', { lost: 'call' }, 3, 1],
    ['an answer that is lost', { lost: 'answer' }, 1, 2],
  ])('by %s: a result waits, none is made twice', async (_what, fate, times, writes) => {
    engine.spoilWrites(fate, times);
    await engine.start('orders');
    await engine.clock.advance(1_000);
    expect([engine.events, engine.did]).toEqual([[], []]);
    await engine.clock.advance(120_000);
    expect([engine.events, engine.did]).toEqual([['orders: Applied it'], ['put']]);
    expect(engine.at().status).toMatchObject(OURS);
    const arrived = engine.api.calls.filter(({ method }) => method === 'PUT');
    expect(arrived).toHaveLength(writes);
    expect(engine.messages[0]).toMatch(/^warn Kubernetes refused a request or did not answer/);
  });

  test('a result waits as long as the server asks', async () => {
    engine.spoilWrites({ refused: { status: 429, retryAfter: 10 } });
    await engine.start('orders');
    await engine.clock.advance(9_999);
    expect(engine.methods).toBe('PUT');
    await engine.clock.advance(1);
    expect(engine.methods).toBe('PUT PUT');
  });
});
