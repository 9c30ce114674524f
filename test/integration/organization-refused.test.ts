import { beforeEach, describe, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import {
  endpoint,
  ledgerOf,
  list,
  type Org,
  type Organizations,
  through,
} from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { ready, settled, side } from '../support/watching.ts';

const MINUTE = 60_000;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    clock: slowClock(),
    holds: { add: [endpoint('theirs')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

function play(organization: Partial<OrganizationBehaviour>): void {
  scene.simulator.play({ organization });
}

async function rejected(spec: Readonly<Record<string, unknown>>): Promise<Org> {
  await orgs.create('acme', spec);
  const object = await orgs.until('acme', 'Rejected');
  expect(side(object)).toBe('Stalled');
  return object;
}

/** How often the operator has asked to add it. */
function adds(id: string): number {
  return (
    scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id })[
      `gcp/ap-northeast-1/${id}`
    ]?.add ?? 0
  );
}

const EIGHT = Array.from({ length: 8 }, (_, index) => `e${index + 1}`);

describe('an API that names the ids it does not take', () => {
  test.each([
    { onError: 'all-or-nothing', refusedStatus: 400 },
    { onError: 'partial', refusedStatus: 400 },
    { onError: 'all-or-nothing', refusedStatus: 409 },
    { onError: 'all-or-nothing', refusedStatus: 422 },
  ] as const)(
    'costs four calls for one of eight: $onError, $refusedStatus',
    async ({ onError, refusedStatus }) => {
      play({ refusedIds: ['e5'], onError, refusedStatus });
      const object = await rejected(list(...EIGHT));
      expect(orgs.ids().toSorted()).toEqual([...EIGHT.filter((id) => id !== 'e5'), 'theirs']);
      const entry = object.status.privateEndpoints?.find(({ id }) => id === 'e5');
      expect(entry).toMatchObject({ state: 'Refused', lastError: { httpStatus: refusedStatus } });
      expect(entry).not.toHaveProperty('origin');
      expect(ready(object).message).toMatch(/^Refused: e5\. .*All other changes were applied/);
      expect(orgs.said().slice(0, 3)).toEqual(['look', `+${EIGHT.join('+')}`, 'look']);
      expect(orgs.said()).toHaveLength(4);
    },
  );

  test('an id that is part of another one blames nobody for it', async () => {
    play({ refusedIds: ['e1'], refusedText: 'longer-id' });
    const object = await rejected(list('e1', 'e2', 'e3'));
    expect(ledgerOf(object)).toEqual(['e1 – Refused', 'e2 Added Present', 'e3 Added Present']);
  });
});

describe('an API that says no without saying to what', () => {
  test('gets removals as one change, then one add after another', async () => {
    await orgs.create('acme', list('old-1', 'old-2'));
    await orgs.until('acme', 'Applied');
    const before = orgs.said().length;
    play({ refusedIds: ['b'], refusedText: 'generic' });
    const object = await rejected(list('a', 'b', 'c'));
    expect(orgs.said().slice(before)).toEqual([
      'look',
      '+a+b+c-old-1-old-2',
      'look',
      '-old-1-old-2',
      '+a',
      '+b',
      'look',
      '+c',
    ]);
    expect(ledgerOf(object)).toEqual(['a Added Present', 'b – Refused', 'c Added Present']);
  });

  test('is let alone after three refusals in a row, and goes on with the untried a minute later', async () => {
    play({ refusedIds: EIGHT.slice(0, 5), refusedText: 'generic' });
    const first = await rejected(list(...EIGHT));
    expect(ledgerOf(first)).toEqual(['e1 – Refused', 'e2 – Refused', 'e3 – Refused']);
    expect(ready(first).message).toMatch(/^Refused: e1, e2, e3\. .*follow in a minute/);
    const calls = orgs.said().length;
    const last = await through(orgs, operator, 'acme', () => orgs.ids().length === 4);
    expect(orgs.said()[calls]).toBe('look');
    expect(orgs.said()[calls + 1], 'begins with the untried').toMatch(/\+e4/);
    expect(ledgerOf(last).filter((one) => one.endsWith('Refused'))).toHaveLength(5);
    expect(Math.max(...EIGHT.slice(0, 3).map(adds)), 'in the change, and by itself').toBe(2);
  });

  test('a quota lets in what fits, and the rest as soon as there is room', async () => {
    play({ maxEndpoints: 3 });
    const object = await rejected(list(...EIGHT));
    expect(ready(object).message).toContain('at most');
    expect(orgs.ids()).toEqual(['theirs', 'e1', 'e2']);
    play({ maxEndpoints: 100 });
    await orgs.request('acme');
    const whole = await through(orgs, operator, 'acme', (one) => ready(one).reason === 'Applied');
    expect(ledgerOf(whole)).toEqual(EIGHT.map((id) => `${id} Added Present`));
  });
});

describe('a refused endpoint', () => {
  test('is tried again by itself at its own time, never together with others, and each wait is longer', async () => {
    play({ refusedIds: ['bad'] });
    const first = await rejected(list('a', 'bad'));
    const sent = adds('bad');
    operator.clock.advance(7 * MINUTE);
    await settled(scene, operator);
    expect(adds('bad')).toBe(sent);
    const timeOf = ({ status }: Org): number =>
      Date.parse(status.privateEndpoints?.find(({ id }) => id === 'bad')?.nextAttemptTime ?? '');
    const second = await through(orgs, operator, 'acme', (one) => timeOf(one) > timeOf(first));
    expect(orgs.said().slice(-3, -1)).toEqual(['look', '+bad']);
    const third = await through(orgs, operator, 'acme', (one) => timeOf(one) > timeOf(second));
    expect((timeOf(third) - timeOf(second)) / (timeOf(second) - timeOf(first))).toBeGreaterThan(
      1.2,
    );
    play({ refusedIds: [] });
    await through(orgs, operator, 'acme', (one) => ready(one).reason === 'Applied');
    expect(adds('bad')).toBe(sent + 3);
  });

  test('does not keep an edit back, and is tried with it, apart', async () => {
    play({ refusedIds: ['bad'] });
    await rejected(list('a', 'bad'));
    const before = orgs.said().length;
    await rejected(list('a', 'bad', 'c'));
    await orgs.untilIt(
      'acme',
      'tried',
      ({ status }) => status.observedGeneration === 2 && orgs.ids().includes('c'),
    );
    await operator.idle();
    expect(orgs.said().slice(before)).toEqual(['look', '+c', '+bad', 'look']);
  });
});

describe('a removal that is refused', () => {
  test('stays ours with its error, and what is not refused is done', async () => {
    await orgs.create('acme', list('e1', 'e2', 'e3'));
    await orgs.until('acme', 'Applied');
    play({ refuseRemoves: ['e2'] });
    const object = await rejected(list('new'));
    expect(orgs.ids().toSorted()).toEqual(['e2', 'new', 'theirs']);
    expect(ledgerOf(object)).toEqual(['e2 Added Present', 'new Added Present']);
    expect(
      object.status.privateEndpoints?.find(({ id }) => id === 'e2')?.lastError?.httpStatus,
    ).toBe(400);
    expect(ready(object).message).toMatch(/^Refused: e2\. .*is attached to a service/);
    play({ refuseRemoves: [] });
    await through(orgs, operator, 'acme', (one) => ready(one).reason === 'Applied');
    expect(orgs.ids()).toEqual(['theirs', 'new']);
  });
});

describe('a name that is refused', () => {
  test('is named, and the endpoints go on', async () => {
    play({ name: 'bad-request' });
    const object = await rejected({ name: 'Acme', ...list('a') });
    expect(ready(object).message).toMatch(/^Refused: the name\. .*not allowed/);
    expect(ledgerOf(object)).toEqual(['a Added Present']);
    expect(orgs.said()).toEqual(['look', 'name', '+a']);
    play({ name: 'kept' });
    await through(orgs, operator, 'acme', (one) => ready(one).reason === 'Applied');
    expect(orgs.held().name).toBe('Acme');
  });

  test('and an endpoint with it are both named', async () => {
    play({ name: 'bad-request', refusedIds: ['b'] });
    const object = await rejected({ name: 'Acme', ...list('a', 'b') });
    expect(ready(object).message).toMatch(/^Refused: the name and b\. /);
    expect(orgs.ids()).toEqual(['theirs', 'a']);
  });
});
