import { describe, expect, it } from 'vitest';
import { putSecret } from '../simulation/adversary/secrets.ts';
import {
  applied,
  KEY,
  LOOK,
  NEIGHBOURS,
  neighbour,
  OURS,
  organization,
  ready,
  shown,
} from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import { CONTESTED, OBJECT, ORGANIZATION } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };
const REMOVE = { privateEndpoints: { add: [], remove: [CONTESTED] } };
const REMOVED = { ...shown('Old'), moves: { removed: [CONTESTED] } };

const broken = (record: HandRecord, start: string): string[] =>
  record.rules().filter((rule) => rule.startsWith(start));

/** One whose object has adopted what a look has shown. */
async function adopted(): Promise<HandRecord> {
  const record = organization({ privateEndpoints: [], adoptPrivateEndpoints: true });
  await record.until(10);
  record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
  record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [OURS] });
  return record;
}

describe('judge of the ledger', () => {
  it.each([
    ['excuses what comes of a process that has ended', true, []],
    ['does not excuse the same of one that runs', false, ['I3 unproven']],
  ] as const)('%s', async (_, hasEnded, rules) => {
    const record = await adopted();
    if (hasEnded) record.process('one-1', 'ended');
    record.writes(
      'one-1',
      KEY,
      { ...ready('NotConfirmed', 1), privateEndpoints: [] },
      { unheard: hasEnded },
    );
    expect(broken(record, 'I3')).toEqual(rules);
  });

  it.each([
    ['its writer', 'one-1', []],
    ['another process', 'two-1', ['I3 unproven']],
  ] as const)(
    'holds that nothing is told of a loss where %s dies just after it',
    async (_, dies, rules) => {
      const record = await adopted();
      record.process('two-1', 'starts');
      record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] });
      await record.until(30);
      record.process(dies, 'died');
      await record.until(200);
      expect(broken(record, 'I3')).toEqual(rules);
    },
  );

  it.each([
    [
      'holds that nothing is told of a loss by who dies before hearing that it was written',
      true,
      [],
    ],
    ['blames whoever had heard of it minutes before', false, ['I3 unproven']],
  ] as const)('%s', async (_, unheard, rules) => {
    const record = await adopted();
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] }, { unheard });
    await record.until(200);
    record.process('one-1', 'died');
    expect(broken(record, 'I3')).toEqual(rules);
  });

  it.each([
    [
      'blames nobody for what a restore takes off before its writer hears that it was written',
      true,
      [],
    ],
    ['blames whoever had heard of it before', false, ['I3 unproven']],
  ] as const)('%s', async (_, unheard, rules) => {
    const record = await adopted();
    const backup = record.life.kube.objects.backup();
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] }, { unheard });
    await record.until(20);
    record.restores(backup, { forwards: true });
    await record.until(30);
    record.shows('one-1', KEY);
    await record.until(200);
    expect(broken(record, 'I3')).toEqual(rules);
  });

  it.each([
    [
      'takes for there what a lagging list shows that was removed before the restore',
      'before',
      CONTESTED,
      [],
    ],
    ['does not where that was removed after it', 'after', CONTESTED, ['restore forwards']],
    ['does not where the list is without it', 'before', undefined, ['restore forwards']],
  ] as const)('after a restore %s', async (_, removed, listed, rules) => {
    const record = await adopted();
    const host = record.life.apiHost;
    const moves = { added: [CONTESTED], removed: [] };
    record.life.tell({ what: 'other', host, organizationId: ORGANIZATION, moves });
    record.edits(KEY, { privateEndpoints: [CONTESTED] });
    const backup = record.life.kube.objects.backup();
    if (removed === 'before') record.calls('one-1', KEY, REMOVE, REMOVED);
    await record.until(20);
    record.restores(backup, { forwards: true });
    await record.until(30);
    record.shows('one-1', KEY);
    if (removed === 'after') record.calls('one-1', KEY, REMOVE, REMOVED);
    await record.until(35);
    const requestId = record.calls('one-1', KEY, LOOK, shown('Old', ...(listed ? [listed] : [])));
    record.writes('one-1', KEY, { ...applied(record, 2, requestId), privateEndpoints: [OURS] });
    await record.until(900);
    expect(broken(record, 'restore')).toEqual(rules);
  });

  it.each([
    ['is settled by the first list without it, where it was answered', true, 10, []],
    [
      'is not settled by a list that another one contradicts, where it was lost',
      false,
      94,
      ['I3 unproven'],
    ],
    [
      'is settled by the first list without it that is asked for when it is over, where it was lost',
      false,
      96,
      [],
    ],
  ] as const)('holds that a removal %s', async (_, isAnswered, everySeconds, rules) => {
    const record = await adopted();
    const removal = record.leaves('one-1', KEY, REMOVE);
    record.done(removal);
    if (isAnswered) record.answered(removal, shown('Old', CONTESTED));
    else record.unanswered(removal);
    for (const there of [[], [CONTESTED]]) {
      await record.until(record.life.timeline.now / 1_000 + everySeconds);
      record.calls('one-1', KEY, LOOK, shown('Old', ...there));
    }
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [] });
    expect(broken(record, 'I3')).toEqual(rules);
  });
});

describe('judge of removals', () => {
  it.each([
    ['excuses one that was answered before another object added the same', 11, []],
    ['does not excuse one that was answered later', 15, ['I2 of-another-object']],
  ] as const)('%s, and is carried out twice', async (_, answeredAt, rules) => {
    const record = organization({ privateEndpoints: [] });
    neighbour(record, { privateEndpoints: [CONTESTED] });
    record.begins('two-1', NEIGHBOURS);
    await record.until(10);
    record.writes('one-1', KEY, {
      ...ready('NotConfirmed', 1),
      privateEndpoints: [{ ...OURS, origin: 'Added' }],
      pendingChange: { time: record.time(), ...REMOVE.privateEndpoints },
    });
    record.shows('two-1', KEY);
    const removal = record.leaves('one-1', KEY, REMOVE);
    record.done(removal, REMOVED);
    const steps = [
      { at: answeredAt, run: () => void record.answered(removal, REMOVED) },
      {
        at: 13,
        run: () =>
          void record.calls('two-1', NEIGHBOURS, ADD, {
            ...shown('Old', CONTESTED),
            moves: { added: [CONTESTED] },
          }),
      },
    ];
    for (const { at, run } of steps.sort((a, b) => a.at - b.at)) {
      await record.until(at);
      run();
    }
    await record.until(30);
    record.done(removal, REMOVED);
    expect(broken(record, 'I2')).toEqual(rules);
  });
});

describe('judge of removals, of one that lands late', () => {
  /**
   * A removal leaves, and its process dies; somebody else is quicker, and another process adds the
   * same for another object. It had been shown the object that removes, and the intent to do so, or
   * not that: its watch was dead.
   */
  async function landsLate({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [] });
    neighbour(record, { privateEndpoints: [CONTESTED] });
    const { life } = record;
    const moves = (change: object): void =>
      life.tell({
        what: 'other',
        host: life.apiHost,
        organizationId: ORGANIZATION,
        moves: { added: [], removed: [], ...change },
      });
    moves({ added: [CONTESTED] });
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [OURS] });
    record.begins('two-1', KEY);
    record.shows('two-1', NEIGHBOURS);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    const pendingChange = { time: record.time(), ...REMOVE.privateEndpoints };
    record.writes('one-1', KEY, {
      ...ready('NotConfirmed', 1),
      privateEndpoints: [OURS],
      pendingChange,
    });
    if (isTold) record.shows('two-1', KEY);
    const removal = record.leaves('one-1', KEY, REMOVE);
    await record.until(11);
    record.process('one-1', 'died');
    moves({ removed: [CONTESTED] });
    await record.until(30);
    record.calls('two-1', NEIGHBOURS, LOOK, shown('Old'));
    const added = { ...CONTESTED };
    record.calls('two-1', NEIGHBOURS, ADD, {
      ...shown('Old', CONTESTED),
      moves: { added: [added] },
    });
    await record.until(50);
    record.done(removal, { moves: { removed: [added] } });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I2'));
  }

  it('blames nobody where who added could not know of it', async () => {
    expect(await landsLate({ isTold: false })).toEqual([]);
    expect(await landsLate({ isTold: true })).toEqual(['I2 of-another-object']);
  });
});

describe('judge of processes', () => {
  const SECRET = {
    namespace: OBJECT.namespace,
    name: 'api',
    keyId: 'key',
    secret: 'secret',
    style: 'plain',
  } as const;

  it.each([
    ['nothing', 0, 0, 0, ['rest hot-loop']],
    ['eight edits', 8, 0, 0, ['rest hot-loop']],
    ['eight keys', 0, 8, 0, []],
    ['eight calls', 0, 0, 8, ['rest hot-loop']],
    ['25 calls, each with a key that is read anew', 0, 0, 25, []],
  ] as const)(
    'has 250 requests in a minute be caused: by %s',
    async (_, edits, keys, calls, rules) => {
      const record = organization({ name: 'A' });
      await record.until(100);
      for (let call = 0; call < calls; call += 1) record.calls('one-1', KEY, LOOK, shown('Old'));
      for (let edit = 0; edit < edits; edit += 1) record.edits(KEY, { name: `B${edit}` });
      for (let key = 0; key < keys; key += 1)
        putSecret(record.life, { ...SECRET, secret: `secret-${key}` });
      for (let request = 0; request < 250; request += 1) record.hangs('one-1', KEY);
      expect(broken(record, 'rest')).toEqual(rules);
    },
  );
});
