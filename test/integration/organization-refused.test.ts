import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Case, type Lab, ledgerOf, messageOf, openLab, told } from '../support/organization-behaviour-lab.ts';
import { endpoint, type Ledger, type Org } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `e${index + 1}`);
}

function listOf(ids: readonly string[]) {
  return ids.map((id) => endpoint(id));
}

function entryOf({ status }: Org, id: string): Ledger | undefined {
  return status.privateEndpoints?.find((entry) => entry.id === id);
}

/** The refused ones are named, and everything else is in. */
async function expectNamed(one: Case, bad: readonly string[], all: readonly string[]): Promise<Org> {
  const object = await one.until('Rejected');
  expect(told(object)).toBe('Rejected Stalled');
  expect(one.ids().toSorted()).toEqual(all.filter((id) => !bad.includes(id)).toSorted());
  for (const id of bad) {
    const entry = entryOf(object, id);
    expect(entry, id).toMatchObject({ origin: 'Found', state: 'Refused', lastError: { httpStatus: 400 } });
    const answered = one.calls().find((call) => call.requestId === entry?.lastError?.requestId);
    expect(answered?.status, 'the id is that of a call that was refused').toBe(400);
    expect(answered?.text).toContain(`"${id}"`);
    expect(entry?.lastError?.message).toContain('is not valid');
    expect(Date.parse(entry?.nextAttemptTime ?? '')).toBeGreaterThan(lab.operator().clock.now());
  }
  for (const id of bad.slice(0, 4)) expect(messageOf(object)).toContain(id);
  const good = all.filter((id) => !bad.includes(id));
  for (const id of good) expect(ledgerOf(object)[id]).toBe('Added Present');
  return object;
}

describe('a change is taken apart until the bad ones are named', () => {
  const ALL = numbered(8);
  test.each([
    { bad: ['e1'], most: 14 },
    { bad: ['e5'], most: 14 },
    { bad: ['e8'], most: 14 },
    { bad: ['e2', 'e7'], most: 22 },
    { bad: ['e3', 'e4'], most: 22 },
  ])('$bad of eight, with or without a name: at most $most calls', async ({ bad, most }) => {
    for (const name of ['Acme', undefined]) {
      for (const onError of ['all-or-nothing', 'partial'] as const) {
        const one = lab.open({ behaviour: { refusedIds: bad, onError } });
        await one.declare({ ...(name !== undefined && { name }), privateEndpoints: listOf(ALL) });
        await expectNamed(one, bad, ALL);
        expect(one.calls().length, `${name} ${onError}`).toBeLessThanOrEqual(most);
        await one.rests();
        await one.remove();
      }
    }
  });

  test('one of a hundred: at most 26 calls', async () => {
    const all = numbered(100);
    const one = lab.open({ behaviour: { refusedIds: ['e77'] } });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(all) });
    await lab.orgs.until(one.name, 'Rejected', 90_000);
    await expectNamed(one, ['e77'], all);
    expect(one.calls().length).toBeLessThanOrEqual(26);
    await one.rests();
  }, 120_000);

  test('all of them, each with words of its own: every one is named, and it comes to an end', async () => {
    const one = lab.open({ behaviour: { refusedIds: ALL } });
    await one.declare({ privateEndpoints: listOf(ALL) });
    await expectNamed(one, ALL, ALL);
    expect(one.calls().length).toBeLessThanOrEqual(4 * ALL.length);
    await one.rests();
  });

  test('one of eight in words that fit all: it is named all the same, since a half of the change is taken', async () => {
    const one = lab.open({ behaviour: { refusedIds: ['e6'], refusedText: 'generic' } });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(ALL) });
    const object = await one.until('Rejected');
    expect(one.ids()).toHaveLength(7);
    expect(entryOf(object, 'e6')).toMatchObject({ state: 'Refused', lastError: { httpStatus: 400 } });
    expect(one.calls().length).toBeLessThanOrEqual(14);
    await one.rests();
  });

  test('with different statuses: each of them stands with its own', async () => {
    const behaviour = { refusedIds: ['e2', 'e3'], refusedStatuses: { e2: 422, e3: 409 } };
    const one = lab.open({ behaviour });
    await one.declare({ privateEndpoints: listOf(numbered(4)) });
    const object = await one.until('Rejected');
    expect(entryOf(object, 'e2')?.lastError?.httpStatus).toBe(422);
    expect(entryOf(object, 'e3')?.lastError?.httpStatus).toBe(409);
    expect(one.ids().toSorted()).toEqual(['e1', 'e4']);
    await one.rests();
  });

  test('by 409 alone it is a conflict, which goes on by itself soon', async () => {
    const one = lab.open({ behaviour: { refusedIds: ['e2'], refusedStatus: 409 } });
    await one.declare({ privateEndpoints: listOf(numbered(4)) });
    const object = await one.until('Conflict');
    expect(told(object)).toBe('Conflict Reconciling');
    expect(one.ids().toSorted()).toEqual(['e1', 'e3', 'e4']);
    one.behave({ refusedIds: [] });
    await one.retry();
    expect(ledgerOf(await one.until('Applied'))['e2']).toBe('Added Present');
  });
});

describe('it is no endpoint’s fault', () => {
  test.each([
    { count: 8, most: 9 },
    { count: 100, most: 9 },
  ])('where both halves are refused alike: $count endpoints cost at most $most calls', async ({ count, most }) => {
    const one = lab.open({ behaviour: { add: 'refused', refusedText: 'generic', refusedStatus: 422 } });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(numbered(count)) });
    const object = await one.until('Rejected');
    expect(told(object)).toBe('Rejected Stalled');
    expect(messageOf(object)).toMatch(/HTTP 422/);
    expect(messageOf(object)).toMatch(/no single endpoint's fault/);
    expect(Object.values(ledgerOf(object))).toEqual([]);
    expect(one.calls().length).toBeLessThanOrEqual(most);
    await one.rests();
  });

  test.each([
    { free: 0, most: 9 },
    { free: 30, most: 14 },
  ])('but a quota with room for $free of 100: at most $most calls, and what fits is in', async ({ free, most }) => {
    const others = [endpoint('theirs-1'), endpoint('theirs-2')];
    const one = lab.open({ behaviour: { maxEndpoints: others.length + free }, others });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(numbered(100)) });
    const object = await one.until('Rejected');
    expect(messageOf(object)).toContain('at most');
    expect(one.calls().length).toBeLessThanOrEqual(most);
    expect(one.ids().length).toBeLessThanOrEqual(others.length + free);
    await one.rests();
    one.behave({ maxEndpoints: 1_000 });
    await one.retry();
    await one.until('Applied');
    expect(one.ids()).toHaveLength(102);
    const counts = lab.scene.simulator.endpointCounts(one.id);
    expect(Object.values(counts).every(({ added }) => added <= 1)).toBe(true);
  });
});

describe('a name that is refused on its own', () => {
  test.each(['bad-request', 'too long'])('(%s) is named, and endpoints get in without it', async (how) => {
    const one = lab.open({ behaviour: how === 'bad-request' ? { name: 'bad-request' } : { longestName: 3 } });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(['a', 'b']) });
    const object = await one.until('Rejected');
    expect(told(object)).toBe('Rejected Stalled');
    expect(messageOf(object)).toMatch(/refused the name/);
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.said()).toEqual(['name', 'list', '+a+b']);
    await one.rests();
    one.behave({ name: 'kept', longestName: 100 });
    await one.retry();
    await one.until('Applied');
    expect(lab.orgs.held(one.id).name).toBe('Acme');
    expect(one.calls().length).toBeLessThanOrEqual(5);
  });

  test('together with a bad endpoint: both are named, the rest is in', async () => {
    const one = lab.open({ behaviour: { name: 'bad-request', refusedIds: ['b'] } });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(['a', 'b', 'c']) });
    const object = await one.until('Rejected');
    expect(messageOf(object)).toMatch(/the name and b/);
    expect(one.ids()).toEqual(['a', 'c']);
    expect(one.calls().length).toBeLessThanOrEqual(10);
    await one.rests();
  });
});

describe('removes that are refused', () => {
  test('are named, stay ours, and what is not refused is done', async () => {
    const one = lab.open();
    await one.declare({ privateEndpoints: listOf(numbered(4)) });
    await one.until('Applied');
    one.behave({ refuseRemoves: ['e2'] });
    await one.declare({ privateEndpoints: listOf(['new']) });
    const object = await one.until('Rejected');
    expect(told(object)).toBe('Rejected Stalled');
    expect(entryOf(object, 'e2')).toMatchObject({ origin: 'Added', lastError: { httpStatus: 400 } });
    expect(messageOf(object)).toMatch(/refused e2: .*is attached to a service/);
    expect(one.ids().toSorted()).toEqual(['e2', 'new']);
    expect(one.calls().length).toBeLessThanOrEqual(13);
    await one.rests();
    one.behave({ refuseRemoves: [] });
    await one.retry();
    expect(ledgerOf(await one.until('Applied'))).toEqual({ new: 'Added Present' });
    expect(one.ids()).toEqual(['new']);
  });
});
