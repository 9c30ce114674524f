import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import { strangers } from '../simulator/organization-types.ts';
import { type Lab, ledgerOf, messageOf, openLab, told, waitOf } from '../support/organization-behaviour-lab.ts';
import { endpoint } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

const AB = [endpoint('a'), endpoint('b')];

const HARMLESS: readonly Partial<OrganizationBehaviour>[] = [
  { list: 'reversed' },
  { list: 'shuffled' },
  { list: 'doubled' },
  { entries: 'null-among' },
  { entries: 'text-among' },
  { entries: 'number-id-among' },
  { entries: 'no-region-among' },
  { entries: 'no-regions' },
  { description: 'null-for-none' },
  { description: 'absent-for-none' },
  { description: 'dropped' },
  { others: 'come-and-go' },
  { list: 'doubled', entries: 'null-among', description: 'null-for-none', others: 'come-and-go' },
  { list: 'shuffled', entries: 'no-regions', description: 'dropped', addExisting: 'conflict' },
];

test.each(HARMLESS)('a list like %o changes nothing: two calls, and one to remove', async (behaviour) => {
  const one = lab.open({ behaviour, others: [endpoint('theirs')] });
  await one.declare({ privateEndpoints: AB });
  expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', b: 'Added Present' });
  await one.rests();
  await one.declare({ privateEndpoints: [endpoint('b')] });
  expect(ledgerOf(await one.until('Applied'))).toEqual({ b: 'Added Present' });
  expect(one.said()).toEqual(['list', '+a+b', '-a']);
  expect(one.ids().filter((id) => !id.startsWith('other-'))).toEqual(['theirs', 'b']);
  await one.rests();
});

test('ids of digits that come back as numbers stand for the texts that were sent', async () => {
  const one = lab.open({ behaviour: { entries: 'number-ids' }, others: [endpoint('777')] });
  await one.declare({ privateEndpoints: [endpoint('102600'), endpoint('777')] });
  expect(ledgerOf(await one.until('Applied'))).toEqual({ '102600': 'Added Present', '777': 'Found Present' });
  await one.declare({ privateEndpoints: [] });
  await one.until('Applied');
  expect(one.ids()).toEqual(['777']);
});

describe.each(['absent', 'null'] as const)('a list that is %s is unknown, not empty', (list) => {
  test('where it never was otherwise: asked for three times, then one endpoint is sent without knowing, once; the user is told what is not', async () => {
    const one = lab.open({ behaviour: { list }, others: [endpoint('b')] });
    await one.declare({ privateEndpoints: AB });
    let object = await one.until('NotConfirmed');
    expect(told(object)).toBe('NotConfirmed Reconciling');
    expect(messageOf(object)).toMatch(/no list of private endpoints.*nothing is sent for a, b until one has/);
    expect(one.said()).toEqual(['list']);
    await one.rests();
    for (let turn = 0; turn < 6; turn += 1) object = await one.retry();
    expect(told(object)).toBe('NotConfirmed Stalled');
    expect(one.said()).toEqual(['list', 'list', 'list', '+a', 'list', 'list', 'list']);
    expect(messageOf(object)).toMatch(/nothing is sent for b until one has/);
    expect(waitOf(object)).toBeGreaterThan(4 * 3600);
    await one.rests();
    one.behave({ list: 'as-is' });
    await one.retry();
    const ledger = ledgerOf(await one.until('Applied'));
    expect(ledger).toEqual({ a: 'Found Present', b: 'Found Present' });
    await one.declare({ privateEndpoints: [] });
    await one.until('Applied');
    expect(one.ids().toSorted()).toEqual(['a', 'b']);
  });

  test('in the reply to a change: the change is not sent again, and a later list proves it', async () => {
    const one = lab.open();
    one.next({ play: {} });
    one.next({ play: { organization: { list } } }, 2);
    await one.declare({ name: 'Acme', privateEndpoints: AB });
    const object = await one.until('NotConfirmed');
    expect(one.said()).toEqual(['name', 'name+a+b']);
    expect(object.status.pendingChange).toMatchObject({ add: AB });
    await one.rests();
    await one.retry();
    expect(one.said()).toEqual(['name', 'name+a+b', 'name']);
    await one.retry();
    const later = await one.until('Applied');
    expect(ledgerOf(later)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(later.status.pendingChange).toBeUndefined();
    expect(one.said()).toEqual(['name', 'name+a+b', 'name', 'name']);
    await one.rests();
  });
});

test('a list that comes back empty for once after an add: nothing is added twice while that may be old news', async () => {
  const one = lab.open();
  one.next({ play: {} });
  one.next({ play: { organization: { list: 'empty' } } });
  await one.declare({ privateEndpoints: AB });
  const object = await one.until('NotConfirmed');
  expect(ledgerOf(object)).toEqual({ a: 'Added Unconfirmed', b: 'Added Unconfirmed' });
  await one.rests();
  await one.retry();
  expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', b: 'Added Present' });
  expect(one.said()).toEqual(['list', '+a+b', 'list']);
});

test('a list that is always empty: adds are sent again only with the re-checks, a handful in all, then the user is told', async () => {
  const one = lab.open({ behaviour: { list: 'empty', addExisting: 'duplicate' } });
  await one.declare({ privateEndpoints: AB });
  let object = await one.until('NotConfirmed');
  for (let turn = 0; turn < 4; turn += 1) object = await one.retry();
  expect(told(object)).toBe('NotConfirmed Stalled');
  expect(one.calls().length).toBeLessThanOrEqual(11);
  const { add } = lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/a'] ?? { add: 0 };
  expect(add).toBeLessThanOrEqual(5);
  expect(waitOf(object)).toBeGreaterThan(4 * 3600);
  await one.rests();
});

describe.each(['stale', 'lagging'] as const)('an echo that is %s', (echo) => {
  test('is not believed at once: nothing is added twice, and it ends Applied', async () => {
    const one = lab.open({ behaviour: { echo, addExisting: 'duplicate' } });
    await one.declare({ name: 'Acme', privateEndpoints: AB });
    let object = await one.until('NotConfirmed');
    expect(told(object)).toBe('NotConfirmed Reconciling');
    for (let turn = 0; turn < 3 && told(object) !== 'Applied'; turn += 1) object = await one.retry();
    expect(told(object)).toBe('Applied');
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.ids()).toEqual(['a', 'b']);
    expect(one.calls().length).toBeLessThanOrEqual(5);
    await one.rests();
  });

  test('after a removal: nothing is removed twice, and it ends Applied', async () => {
    const one = lab.open({ behaviour: { removeAbsent: 'not-found' } });
    await one.declare({ privateEndpoints: AB });
    await one.until('Applied');
    // So that the call before is not the one that added them: what was before that is what is meant to be.
    await one.someone.change();
    one.behave({ echo });
    await one.declare({ privateEndpoints: [] });
    let object = await one.until('NotConfirmed');
    expect(ledgerOf(object)).toEqual({ a: 'Added Removing', b: 'Added Removing' });
    for (let turn = 0; turn < 3 && told(object) !== 'Applied'; turn += 1) object = await one.retry();
    expect(told(object)).toBe('Applied');
    expect(lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/a']).toMatchObject({ remove: 1, removed: 1 });
    expect(ledgerOf(object)).toEqual({});
    await one.rests();
  });
});

test('an organization with 300 endpoints of others, more than status keeps: ours go in and out, theirs stay', async () => {
  const one = lab.open({ others: strangers(300) });
  const listed = [endpoint('a'), endpoint('theirs-7'), endpoint('theirs-290'), endpoint('b')];
  await one.declare({ privateEndpoints: listed });
  const object = await one.until('Applied');
  expect(one.said()).toEqual(['list', '+a+b']);
  expect(object.status.organization?.privateEndpoints).toHaveLength(200);
  expect(object.status.organization?.privateEndpointsTotal).toBe(302);
  expect(ledgerOf(object)).toMatchObject({ a: 'Added Present', 'theirs-290': 'Found Present' });
  await one.declare({ privateEndpoints: [endpoint('a'), endpoint('theirs-299')] });
  expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', 'theirs-299': 'Found Present' });
  expect(one.ids()).toHaveLength(301);
  expect(one.said().slice(2)).toEqual(['list', '-b']);
  await one.rests();
});

test('providers and regions that nobody has heard of are taken as they are', async () => {
  const odd = { id: 'psc/9', cloudProvider: 'Oxide/Rack', region: 'moon-1(far:side)' };
  const one = lab.open({ others: [{ ...odd, id: 'theirs', description: '' }] });
  await one.declare({ privateEndpoints: [odd, { ...odd, id: 'theirs' }] });
  const object = await one.until('Applied');
  expect(object.status.privateEndpoints).toMatchObject([
    { ...odd, origin: 'Added' },
    { ...odd, id: 'theirs', origin: 'Found' },
  ]);
  expect(one.said()).toEqual(['list', '+psc/9']);
});
