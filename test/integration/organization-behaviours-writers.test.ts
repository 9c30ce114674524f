import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, ledgerOf, openLab, told, waitOf } from '../support/organization-behaviour-lab.ts';
import { endpoint } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

const AB = [endpoint('a'), endpoint('b')];

describe('someone else changes the organization while our change has no answer', () => {
  test('of a server that does both: theirs and ours are there, and theirs are not ours', async () => {
    const one = lab.open({ behaviour: { concurrent: 'fine' } });
    one.next({ play: {} });
    one.next({ hold: true });
    await one.declare({ privateEndpoints: AB });
    await one.arrived(2);
    await one.someone.add(endpoint('theirs'));
    lab.scene.simulator.release();
    expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.said()).toEqual(['list', '+a+b']);
    await one.rests();
    await one.declare({ privateEndpoints: [] });
    await one.until('Applied');
    expect(one.ids()).toEqual(['theirs']);
  });

  test('of a server that loses ours: the loss is seen at the next look, told, and put right once', async () => {
    const one = lab.open({ behaviour: { concurrent: 'lost-update' } });
    one.next({ play: {} });
    one.next({ hold: true });
    await one.declare({ privateEndpoints: AB, reassertInterval: '10m' });
    await one.arrived(2);
    await one.someone.add(endpoint('theirs'));
    lab.scene.simulator.release();
    await one.until('Applied');
    expect(one.ids()).toEqual(['theirs']);
    const object = await one.retry();
    expect(told(object)).toBe('Applied');
    expect(one.ids()).toEqual(['theirs', 'a', 'b']);
    expect(object.status['drift']).toMatchObject([{ field: 'privateEndpoints[a]' }, { field: 'privateEndpoints[b]' }]);
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.said()).toEqual(['list', '+a+b', 'list', '+a+b']);
    await one.rests();
  });

  test('of a server that loses theirs: that is not ours to mend', async () => {
    const one = lab.open({ behaviour: { concurrent: 'lost-update' } });
    lab.scene.simulator.next({ hold: true }, { match: { pathIncludes: one.id, keyId: one.someone.keyId } });
    const theirs = one.someone.add(endpoint('theirs'));
    await lab.scene.simulator.waitForCalls(1, { match: { pathIncludes: one.id } });
    await one.declare({ privateEndpoints: AB });
    await one.until('Applied');
    lab.scene.simulator.release();
    await theirs;
    expect(one.ids()).toEqual(['a', 'b']);
    expect(one.said()).toEqual(['list', '+a+b']);
    await one.rests();
  });
});

describe('a server that answers 409 while someone else’s call has no answer', () => {
  test('makes the read wait, and it goes on when they are done', async () => {
    const one = lab.open({ behaviour: { concurrent: 'conflict' } });
    lab.scene.simulator.next({ hold: true }, { match: { pathIncludes: one.id, keyId: one.someone.keyId } });
    const theirs = one.someone.add(endpoint('theirs'));
    await lab.scene.simulator.waitForCalls(1, { match: { pathIncludes: one.id } });
    await one.declare({ privateEndpoints: AB });
    const object = await one.until('Conflict');
    expect(told(object)).toBe('Conflict Reconciling');
    lab.scene.simulator.release();
    await theirs;
    await one.retry();
    expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.calls().length).toBeLessThanOrEqual(5);
    await one.rests();
  });

  test('at our change: it is read again, and sent again in time; nothing is refused for good', async () => {
    const one = lab.open({ behaviour: { concurrent: 'conflict' } });
    one.next({ hold: true });
    await one.declare({ privateEndpoints: [...AB, endpoint('c'), endpoint('d')] });
    await one.arrived(1);
    lab.scene.simulator.next({ hold: true }, { match: { pathIncludes: one.id, keyId: one.someone.keyId } });
    one.behave({ concurrent: 'fine' });
    const theirs = one.someone.add(endpoint('theirs'));
    await lab.scene.simulator.waitForCalls(2, { match: { pathIncludes: one.id } });
    one.behave({ concurrent: 'conflict' });
    lab.scene.simulator.release();
    await theirs;
    await one.until('Applied');
    expect(one.ids().toSorted()).toEqual(['a', 'b', 'c', 'd', 'theirs']);
    await one.rests();
  });

  test('at every call of ours for a while: a handful of calls, then ever longer waits, and all gets in', async () => {
    const one = lab.open({ behaviour: { concurrent: 'fine' } });
    one.next({ play: {} });
    one.next({ status: 409, error: 'CONFLICT: organization is being changed by another call' }, 6);
    await one.declare({ name: 'Acme', privateEndpoints: [...AB, endpoint('c'), endpoint('d')] });
    let object = await one.until('Conflict');
    expect(told(object)).toBe('Conflict Reconciling');
    expect(one.calls().length).toBeLessThanOrEqual(8);
    for (let turn = 0; turn < 6 && told(object) !== 'Applied'; turn += 1) object = await one.retry();
    expect(told(object)).toBe('Applied');
    expect(one.ids()).toEqual(['a', 'b', 'c', 'd']);
    expect(one.calls().length).toBeLessThanOrEqual(16);
    await one.rests();
  });
});

describe('an add', () => {
  test('that is ignored with 200 is looked for three times and asked for again once with each, then the user is told', async () => {
    const one = lab.open({ behaviour: { add: 'ignored' } });
    await one.declare({ name: 'Acme', privateEndpoints: AB });
    let object = await one.until('NotConfirmed');
    expect(told(object)).toBe('NotConfirmed Reconciling');
    expect(ledgerOf(object)).toEqual({ a: 'Added Unconfirmed', b: 'Added Unconfirmed' });
    await one.rests();
    const waits = [waitOf(object)];
    for (let turn = 0; turn < 4; turn += 1) waits.push(waitOf((object = await one.retry())));
    expect(told(object)).toBe('NotConfirmed Stalled');
    // As for every reply that is not as declared: 10 s, 1 min, 5 min, 6 h; not before an answer can be relied on.
    [8, 40, 240, 4 * 3600, 4 * 3600].forEach((least, turn) =>
      expect(waits[turn], `wait ${turn}`).toBeGreaterThan(least),
    );
    const { add } = lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/a'] ?? { add: 0 };
    expect(add).toBeLessThanOrEqual(5);
    expect(one.calls().length).toBeLessThanOrEqual(11);
    await one.rests();
    one.behave({ add: 'honoured' });
    await one.retry();
    await one.until('Applied');
    expect(one.ids()).toEqual(['a', 'b']);
  });

  test.each([
    ['bad-request', 400],
    ['gone', 410],
  ] as const)(
    'that the API takes no more (%s) is said with its words; the name gets in, and nothing is sent before its time',
    async (add, httpStatus) => {
      const one = lab.open({ behaviour: { add, refusedText: 'generic' } });
      await one.declare({ name: 'Acme', privateEndpoints: [...AB, endpoint('c')] });
      const object = await one.until('Rejected');
      expect(told(object)).toBe('Rejected Stalled');
      expect(object.status.conditions[0]?.message).toContain(`HTTP ${httpStatus}`);
      expect(lab.orgs.held(one.id).name).toBe('Acme');
      expect(one.calls().length).toBeLessThanOrEqual(9);
      await one.rests();
      one.behave({ add: 'honoured' });
      await one.retry();
      await one.until('Applied');
      expect(one.ids()).toEqual(['a', 'b', 'c']);
    },
  );
});

describe('a name', () => {
  test.each(['trimmed', 'upper-case', 'ignored'] as const)(
    'that the API keeps otherwise (%s) with 200: asked three times more, then the user is told',
    async (name) => {
      const one = lab.open({ behaviour: { name } });
      await one.declare({ name: ' Acme Data', privateEndpoints: AB });
      let object = await one.until('NotConfirmed');
      expect(told(object)).toBe('NotConfirmed Reconciling');
      expect(one.ids(), 'endpoints get in all the same').toEqual(['a', 'b']);
      expect(object.status['differences']).toMatchObject([{ field: 'name', declared: ' Acme Data' }]);
      await one.rests();
      for (let turn = 0; turn < 3; turn += 1) object = await one.retry();
      expect(told(object)).toBe('NotConfirmed Stalled');
      expect(one.calls().length).toBeLessThanOrEqual(8);
      await one.rests();
      await one.declare({ name: lab.orgs.held(one.id).name, privateEndpoints: AB });
      await one.until('Applied');
      await one.rests();
    },
  );

  test('that may not be changed by this key is Forbidden', async () => {
    const one = lab.open({ behaviour: { name: 'forbidden' } });
    await one.declare({ name: 'Acme', privateEndpoints: AB });
    const object = await one.until('Forbidden');
    expect(told(object)).toBe('Forbidden Stalled');
    expect(one.said()).toEqual(['name']);
    await one.rests();
  });
});

describe('a description', () => {
  test('that changes is reported, not sent: Ready stays True, and no endpoint is touched', async () => {
    const one = lab.open({ others: [{ ...endpoint('theirs'), description: 'theirs' }] });
    await one.declare({ privateEndpoints: [endpoint('a', { description: 'one' }), endpoint('theirs')] });
    expect((await one.until('Applied')).status['differences']).toBeUndefined();
    const changed = [endpoint('a', { description: 'two' }), endpoint('theirs', { description: '' })];
    await one.declare({ privateEndpoints: changed });
    const object = await one.until('Applied');
    expect(object.status['differences']).toEqual([
      { field: 'privateEndpoints[a].description', declared: 'two', reported: 'one' },
      { field: 'privateEndpoints[theirs].description', declared: '', reported: 'theirs' },
    ]);
    expect(object.status.conditions[0]?.message).toMatch(/description of a, theirs is another one/);
    expect(one.said()).toEqual(['list', '+a', 'list']);
    await one.rests();
  });

  test.each(['null-for-none', 'absent-for-none', 'empty-for-none'] as const)(
    'that is empty is as good as none (%s)',
    async (description) => {
      const one = lab.open({ behaviour: { description } });
      await one.declare({ privateEndpoints: [endpoint('a', { description: '' }), endpoint('b')] });
      expect((await one.until('Applied')).status['differences']).toBeUndefined();
      await one.rests();
    },
  );
});
