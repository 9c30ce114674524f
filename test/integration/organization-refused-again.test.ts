import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Case, type Lab, ledgerOf, messageOf, openLab, told } from '../support/organization-behaviour-lab.ts';
import { endpoint, type Ledger, type Org } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

function listOf(ids: readonly string[]) {
  return ids.map((id) => endpoint(id));
}

function entryOf({ status }: Org, id: string): Ledger | undefined {
  return status.privateEndpoints?.find((entry) => entry.id === id);
}

describe('a refused endpoint is not sent again', () => {
  async function refused(): Promise<{ one: Case; sent: () => number }> {
    const one = lab.open({ behaviour: { refusedIds: ['bad'] } });
    await one.declare({ privateEndpoints: listOf(['a', 'bad']) });
    await one.until('Rejected');
    await one.rests();
    const sent = (): number => lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/bad']?.add ?? 0;
    return { one, sent };
  }

  test('before its time, and is at its time', async () => {
    const { one, sent } = await refused();
    const before = sent();
    one.behave({ refusedIds: [] });
    await one.retry();
    await one.until('Applied');
    expect(sent()).toBe(before + 1);
    await one.rests();
  });

  test('each time that is later: the waits double', async () => {
    const { one, sent } = await refused();
    const before = sent();
    const [first, second] = [await one.retry(), await one.retry()].map(({ status }) => {
      return Date.parse(status.nextAttemptTime ?? '') - Date.parse(status.lastRequest?.time ?? '');
    });
    expect((second ?? 0) / (first ?? 1)).toBeGreaterThan(1.3);
    expect(sent()).toBe(before + 2);
  });

  test('until the spec changes, and then is', async () => {
    const { one, sent } = await refused();
    const before = sent();
    await one.declare({ privateEndpoints: listOf(['a', 'bad', 'c']) });
    await one.untilIt('c to be there', () => one.ids().includes('c'));
    await one.until('Rejected');
    expect(sent()).toBeGreaterThan(before);
  });

  test('until the annotation asks for it, and then is', async () => {
    const { one, sent } = await refused();
    const before = sent();
    one.behave({ refusedIds: [] });
    await lab.orgs.request(one.name);
    await one.until('Applied');
    expect(sent()).toBe(before + 1);
    expect(one.ids()).toEqual(['a', 'bad']);
  });

  test('after a restart either', async () => {
    const { one, sent } = await refused();
    const before = sent();
    await lab.restart();
    await one.rests();
    expect(sent()).toBe(before);
  });
});

describe('two empty lists are refused', () => {
  test.each(['bad-request', 'unprocessable'] as const)('(%s): with a name that does not matter', async (emptyLists) => {
    const one = lab.open({ behaviour: { emptyLists }, others: listOf(['theirs']) });
    await one.declare({ name: 'Acme', privateEndpoints: listOf(['a', 'theirs']) });
    expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', theirs: 'Found Present' });
    expect(one.said()).toEqual(['name', 'name+a']);
    await one.rests();
  });

  test.each(['bad-request', 'unprocessable'] as const)(
    '(%s): without a name endpoints go one at a time, and each reply is the next list',
    async (emptyLists) => {
      const one = lab.open({ behaviour: { emptyLists }, others: listOf(['theirs', 'b']) });
      await one.declare({ privateEndpoints: listOf(['a', 'b', 'c']) });
      const object = await one.until('Applied');
      expect(ledgerOf(object)).toMatchObject({ a: 'Found Present', b: 'Found Present', c: 'Added Present' });
      expect(one.said()).toEqual(['list', '+a', '+c']);
      await one.rests();
      await one.declare({ privateEndpoints: [] });
      await one.until('Applied');
      expect(one.ids().toSorted()).toEqual(['a', 'b', 'theirs']);
      await one.rests();
    },
  );

  test.each(['bad-request', 'unprocessable'] as const)(
    '(%s): with nothing to add, and nothing known, the user is told what helps',
    async (emptyLists) => {
      const one = lab.open({ behaviour: { emptyLists } });
      await one.declare({ privateEndpoints: [] });
      const object = await one.until('Rejected');
      expect(told(object)).toBe('Rejected Stalled');
      expect(messageOf(object)).toMatch(/cannot be read.*Declare a name/);
      expect(one.said()).toEqual(['list']);
      await one.rests();
    },
  );

  test('and an add that is refused without a list: it is named, and the others are tried', async () => {
    const one = lab.open({ behaviour: { emptyLists: 'bad-request', refusedIds: ['a'] } });
    await one.declare({ privateEndpoints: listOf(['a', 'b', 'c']) });
    const object = await one.until('Rejected');
    expect(entryOf(object, 'a')).toMatchObject({ state: 'Refused', lastError: { httpStatus: 400 } });
    expect(one.ids()).toEqual(['b', 'c']);
    expect(one.calls().length).toBeLessThanOrEqual(6);
    await one.rests();
  });
});
