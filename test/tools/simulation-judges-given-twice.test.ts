import { describe, expect, it } from 'vitest';
import {
  applied,
  KEY,
  LOOK,
  OURS,
  organization,
  PIPE,
  pipe,
  ready,
  shown,
  THREADS,
} from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import { CONTESTED, OBJECT, ORGANIZATION } from '../simulation/scope/moves.ts';

/**
 * Two writes make two states of an object with the same version: after the first one the storage is
 * restored from before it. What comes back tells the process one-1 of the first state, late.
 */
async function givenTwice(
  record: HandRecord,
  key: string,
  one: () => void,
  other: () => void,
): Promise<() => void> {
  const { life } = record;
  const { kube } = life;
  await record.until(10);
  const backup = kube.objects.backup();
  one();
  const { revision } = kube.objects;
  const thing = record.stored(key);
  await record.until(20);
  record.restores(backup, { forwards: false });
  await record.until(25);
  other();
  expect(kube.objects.revision, 'it is the same version').toBe(revision);
  return () => life.tell({ what: 'seen', process: 'one-1', key, thing });
}

const result = (threads: number) => ({ result: { [THREADS]: threads } });
const broken = (record: HandRecord, start: string): string[] =>
  record.rules().filter((rule) => rule.startsWith(start));

describe('a status on top of a version that a restore has given twice', () => {
  /** An edit to 2 threads is sent, and the edit that has its version now is to 3. */
  async function twoEdits(sent: number) {
    const record = pipe(1);
    let requestId = '';
    const tellLate = await givenTwice(
      record,
      PIPE,
      () => {
        record.edits(PIPE, { settings: { [THREADS]: 2 } });
        record.shows('one-1', PIPE);
        requestId = record.calls('one-1', PIPE, { [THREADS]: sent }, result(sent));
      },
      () => record.edits(PIPE, { settings: { [THREADS]: 3 } }),
    );
    tellLate();
    return { record, says: () => applied(record, 2, requestId) };
  }

  it.each([
    ['says Applied of the spec that its writer holds', 2, false, []],
    ['does not say so of what was not sent for that', 5, false, ['restore backwards']],
    [
      'does not say so of one that its writer was told is another by now',
      2,
      true,
      ['restore backwards'],
    ],
  ] as const)('%s', async (_, sent, isTold, rules) => {
    const { record, says } = await twoEdits(sent);
    if (isTold) record.shows('one-1', PIPE);
    record.writes('one-1', PIPE, says());
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('restore'))).toEqual(rules);
  });

  it.each([
    ['was sent before its writer was told of the other one', false, []],
    ['was sent after that', true, ['restore backwards']],
  ] as const)('may be carried out late, where it %s', async (_, isToldFirst, rules) => {
    const { record, says } = await twoEdits(2);
    const { kubernetesSide } = record.life;
    const path = `/apis/pipewright.dev/v1alpha1/namespaces/${OBJECT.namespace}/pipesettings/p1/status`;
    const conditions = says().conditions.map((one) => ({
      ...one,
      lastTransitionTime: record.time(),
    }));
    const body = JSON.stringify({ ...record.stored(PIPE), status: { ...says(), conditions } });
    const crossing = { id: 1, host: 'one-1', request: { method: 'PUT', path, headers: {}, body } };
    if (isToldFirst) record.shows('one-1', PIPE);
    kubernetesSide.asks(crossing);
    record.shows('one-1', PIPE);
    expect(kubernetesSide.serve(crossing).status).toBe(200);
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('restore'))).toEqual(rules);
  });

  it.each([
    ['promises nothing', false, []],
    ['promises what it says where its writer knew of the other one', true, ['restore backwards']],
  ] as const)('%s', async (_, isTold, rules) => {
    const { record, says } = await twoEdits(isTold ? 3 : 2);
    if (isTold) record.shows('one-1', PIPE);
    await record.until(30);
    const nextAttemptTime = record.time(60);
    record.writes('one-1', PIPE, { ...says(), nextAttemptTime });
    await record.until(200);
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('restore'))).toEqual(rules);
  });

  it.each([
    ['may say Suspended of a record that is there', false, []],
    ['may not where its writer knew that it is not', true, ['restore backwards']],
  ] as const)('%s', async (_, isTold, rules) => {
    const record = pipe(1);
    const key = `activities/${OBJECT.namespace}/a1`;
    const activityId = '7f0e6f0c-0000-4000-8000-00000000000a';
    const activity = {
      id: activityId,
      type: 'user_login',
      createdAt: '2026-03-01T00:00:00Z',
      organizationId: ORGANIZATION,
    };
    const spec = {
      organizationId: ORGANIZATION,
      activityId,
      credentialsSecretRef: { name: 'api' },
    };
    record.creates('activities', OBJECT.namespace, 'a1', spec);
    record.shows('one-1', key);
    const tellLate = await givenTwice(
      record,
      key,
      () => {
        record.edits(key, { suspend: true });
        record.shows('one-1', key);
      },
      () => record.edits(key, { suspend: false }),
    );
    tellLate();
    if (isTold) record.shows('one-1', key);
    record.writes('one-1', key, { ...ready('Suspended', 2), activity });
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('restore'))).toEqual(rules);
  });

  it.each([
    ['gives back what its writer knows is adopted no more', false, []],
    ['does not give back what its writer knows is adopted still', true, ['restore backwards']],
  ] as const)('%s', async (_, isTold, rules) => {
    const record = organization({ privateEndpoints: [], adoptPrivateEndpoints: true });
    await record.until(5);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [OURS] });
    const tellLate = await givenTwice(
      record,
      KEY,
      () => {
        record.edits(KEY, { adoptPrivateEndpoints: false });
        record.shows('one-1', KEY);
      },
      () => record.edits(KEY, { maxPrivateEndpointRemovals: 7 }),
    );
    tellLate();
    if (isTold) record.shows('one-1', KEY);
    const requestId = record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, {
      ...applied(record, 2, requestId),
      privateEndpoints: [{ ...OURS, origin: 'Found' }],
    });
    await record.until(200);
    expect(broken(record, 'restore')).toEqual(rules);
  });

  it.each([
    ['excuses', false, []],
    ['does not excuse, where its writer knew of it,', true, ['restore backwards']],
  ] as const)('%s what it lets go of and what is there at the end', async (_, isTold, rules) => {
    const record = organization({ privateEndpoints: [] });
    const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };
    const tellLate = await givenTwice(
      record,
      KEY,
      () => {
        record.writes('one-1', KEY, ready('NotConfirmed', 1));
      },
      () => {
        record.begins('two-1', KEY);
        const pendingChange = { time: record.time(), ...ADD.privateEndpoints };
        record.writes('two-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
      },
    );
    tellLate();
    record.calls('two-1', KEY, ADD, { ...shown('Old', CONTESTED), moves: { added: [CONTESTED] } });
    if (isTold) record.shows('one-1', KEY);
    const requestId = record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, applied(record, 1, requestId));
    await record.until(400);
    expect(broken(record, 'restore')).toEqual(rules);
  });

  it.each([
    ['tells of no look that was not told of', 'two-1', []],
    ['tells of the look that it was written after', 'one-1', ['I1 no-look']],
  ] as const)('%s', async (_, teller, rules) => {
    const record = organization({ privateEndpoints: [CONTESTED] }, { list: 'absent' });
    const request = (requestId: string) => ({
      ...ready('NotConfirmed', 1),
      lastRequest: {
        operation: 'Update',
        requestId,
        httpStatus: 200,
        outcome: 'Succeeded',
        time: record.time(),
      },
    });
    const other = { ...CONTESTED, id: 'psc-other' };
    const [first, second] = ['a', 'b'].map(() => record.calls('one-1', KEY, LOOK, shown('Old')));
    const said = request(first ?? '');
    const tellLate = await givenTwice(
      record,
      KEY,
      () => record.writes('one-1', KEY, said),
      () => record.writes('two-1', KEY, request(second ?? '')),
    );
    tellLate();
    await record.until(30);
    const seen = record.calls('one-1', KEY, LOOK, shown('Old', other));
    record.writes('one-1', KEY, teller === 'one-1' ? request(seen) : { ...said, attempts: 2 });
    await record.until(40);
    record.process('one-1', 'died');
    record.begins('one-2', KEY);
    for (const at of [50, 120]) {
      await record.until(at);
      record.calls('one-2', KEY, LOOK, { result: { id: ORGANIZATION, name: 'Old' } });
    }
    record.leaves('one-2', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('I1'))).toEqual(rules);
  });
});

const EMPTY = { ...ready('NotConfirmed', 1), privateEndpoints: [] };

/**
 * An object whose status says that an endpoint is its own; what is written over that with `EMPTY`
 * lets go of it.
 */
async function adopted(): Promise<HandRecord> {
  const record = organization({ privateEndpoints: [], adoptPrivateEndpoints: true });
  await record.until(5);
  record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
  record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [OURS] });
  await record.until(10);
  return record;
}

describe('a word that a restore takes off', () => {
  it.each([
    ['is not heard by what has its version then', false, []],
    ['was heard before', true, ['I3 unproven']],
  ] as const)('%s', async (_, isHeard, rules) => {
    const record = await adopted();
    await givenTwice(
      record,
      KEY,
      () => record.writes('one-1', KEY, EMPTY, { unheard: !isHeard }),
      () => record.edits(KEY, { maxPrivateEndpointRemovals: 7 }),
    );
    record.shows('one-1', KEY);
    await record.until(200);
    expect(broken(record, 'I3')).toEqual(rules);
  });
});

describe('a word that a watch shows while its writer waits for the answer', () => {
  it.each([
    ['was heard of, if that comes', true, ['I3 unproven']],
    ['is not heard of, if the writer ends before', false, []],
  ] as const)('%s', async (_, isAnswered, rules) => {
    const record = await adopted();
    record.writes('one-1', KEY, EMPTY, { unheard: !isAnswered });
    record.shows('one-1', KEY);
    record.process('one-1', 'ended');
    await record.until(200);
    expect(broken(record, 'I3')).toEqual(rules);
  });

  it.each([
    ['is not heard of, if its object goes before', false, []],
    ['is heard of, if no answer came and it is shown after that', true, ['I3 unproven']],
  ] as const)('%s', async (_, isOver, rules) => {
    const record = await adopted();
    record.writes('one-1', KEY, EMPTY, { unheard: true });
    if (isOver) record.hangs('one-1', KEY);
    record.shows('one-1', KEY);
    record.deletes(KEY);
    record.shows('one-1', KEY);
    await record.until(200);
    expect(broken(record, 'I3')).toEqual(rules);
  });
});

describe('a word whose object was made anew', () => {
  it.each([
    ['was heard of by its answer', true, ['I3 unproven']],
    ['is not heard of by who is shown the new one only', false, []],
  ] as const)('%s', async (_, isAnswered, rules) => {
    const record = await adopted();
    const { spec } = record.stored(KEY) ?? {};
    record.writes('one-1', KEY, EMPTY, { unheard: !isAnswered });
    record.deletes(KEY);
    record.creates('organizations', OBJECT.namespace, OBJECT.name, spec as object);
    record.shows('one-1', KEY);
    await record.until(200);
    expect(broken(record, 'I3')).toEqual(rules);
  });
});
