import { describe, expect, it } from 'vitest';
import { KEY, LOOK, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { Backup } from '../simulation/kubernetes/objects.ts';
import { CONTESTED, ORGANIZATION } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };
const REMOVE = { privateEndpoints: { add: [], remove: [CONTESTED] } };
const UNCONFIRMED = { ...CONTESTED, origin: 'Added', state: 'Unconfirmed' };
/** An add that leaves at second 10 is over at 105: `--api-timeout` and 60 s. */
const LEFT = 10;
const OVER = 105;

function somebodyAdds(record: HandRecord): void {
  const { life } = record;
  const moves = { added: [{ ...CONTESTED }], removed: [] };
  life.tell({ what: 'other', host: life.apiHost, organizationId: ORGANIZATION, moves });
}

/**
 * A look shows it, it counts as ours, and goes once it is listed no more; gives what that breaks.
 */
function takenForOurs(record: HandRecord, process: string): string[] {
  const privateEndpoints = [{ ...UNCONFIRMED, state: 'Present' }];
  record.calls(process, KEY, LOOK, shown('Old', CONTESTED));
  record.writes(process, KEY, { ...ready('Applied', 1), privateEndpoints });
  record.edits(KEY, { privateEndpoints: [] });
  record.shows(process, KEY);
  record.calls(process, KEY, LOOK, shown('Old', CONTESTED));
  record.calls(process, KEY, REMOVE, { ...shown('Old'), moves: { removed: [CONTESTED] } });
  return record.rulesSoFar().filter((rule) => rule.startsWith('I2'));
}

/** A process that is shown that backup may know nothing else any more. */
function restore(record: HandRecord, process: string, backup: Backup): void {
  record.restores(backup, { forwards: true });
  record.shows(process, KEY);
}

/**
 * An add stands on record: as an intent whose process died before it left, or as answered by a list
 * without it.
 */
async function added(how: 'intended' | 'answered'): Promise<HandRecord> {
  const record = organization({ privateEndpoints: [CONTESTED] });
  await record.until(LEFT);
  record.calls('one-1', KEY, LOOK, shown('Old'));
  record.writes('one-1', KEY, {
    ...ready('NotConfirmed', 1),
    pendingChange: { time: record.time(), ...ADD.privateEndpoints },
  });
  if (how === 'intended') {
    record.process('one-1', 'died');
    record.begins('one-2', KEY);
    return record;
  }
  record.calls('one-1', KEY, ADD, shown('Old'));
  record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: [UNCONFIRMED] });
  return record;
}

describe('judge of removals', () => {
  it.each([
    ['is not settled by a list that was asked for before', OVER - 2, []],
    ['is settled by one that was asked for after that', OVER + 0.5, ['I2 came-later']],
  ] as const)('holds that an add which was at work until then %s', async (_, askedAt, rules) => {
    const record = await added('answered');
    await record.until(askedAt);
    const look = record.leaves('one-1', KEY, LOOK);
    record.done(look);
    await record.until(OVER + 1);
    record.answered(look, shown('Old'));
    await record.until(OVER + 2);
    somebodyAdds(record);
    await record.until(OVER + 3);
    expect(takenForOurs(record, 'one-1')).toEqual(rules);
  });

  it.each([
    ['an intent that never left', 'intended', { restoredAt: 115, at: 200 }, []],
    [
      'no intent that stood there more than 5 min before',
      'intended',
      { restoredAt: 115, at: 312 },
      ['I2 never-added'],
    ],
    [
      'no intent that was settled, and stays so',
      'intended',
      { restoredAt: Infinity, at: 200 },
      ['I2 never-added'],
    ],
    [
      'an add that may be at work since it was told of',
      'answered',
      { restoredAt: 115, at: 200 },
      [],
    ],
    [
      'no add that is over since it was told of',
      'answered',
      { restoredAt: 115, at: 230 },
      ['I2 came-later'],
    ],
    [
      'no add that had not been settled yet',
      'answered',
      { restoredAt: 80, at: 150 },
      ['I2 came-later'],
    ],
    [
      'no add that was settled, and stays so',
      'answered',
      { restoredAt: Infinity, at: 200 },
      ['I2 came-later'],
    ],
  ] as const)('has a restore bring back %s', async (_, how, { restoredAt, at }, rules) => {
    const record = await added(how);
    const process = how === 'intended' ? 'one-2' : 'one-1';
    const backup = record.life.kube.objects.backup();
    const settles = (): void => {
      record.calls(process, KEY, LOOK, shown('Old'));
      record.writes(process, KEY, ready('NotConfirmed', 1));
    };
    const steps = [
      { second: OVER + 1, run: settles },
      { second: restoredAt, run: () => restore(record, process, backup) },
      { second: 225, run: settles },
      { second: at, run: () => somebodyAdds(record) },
    ];
    for (const { second, run } of steps.sort((a, b) => a.second - b.second)) {
      if (second > at) break;
      await record.until(second);
      run();
    }
    await record.until(at + 3);
    expect(takenForOurs(record, process)).toEqual(rules);
  });

  /**
   * Somebody removes ours, a look misses it, and its process dies, or the user ends its attempt;
   * minutes later somebody adds it again, and the next process looks, or the same one does.
   */
  async function missedBefore({
    isTold,
    isSuspended = false,
  }: {
    readonly isTold: boolean;
    readonly isSuspended?: boolean;
  }) {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const ours = (state: string, reason = 'NotConfirmed') => ({
      ...ready(reason, 1),
      privateEndpoints: [{ ...CONTESTED, origin: 'Added', state }],
    });
    await record.until(LEFT);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.calls('one-1', KEY, ADD, {
      ...shown('Old', CONTESTED),
      moves: { added: [{ ...CONTESTED }] },
    });
    record.writes('one-1', KEY, ours('Present'));
    await record.until(20);
    const { life } = record;
    const moves = { added: [], removed: [{ ...CONTESTED }] };
    life.tell({ what: 'other', host: life.apiHost, organizationId: ORGANIZATION, moves });
    await record.until(100);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    if (isTold) record.writes('one-1', KEY, ours('Missing'));
    if (isSuspended) {
      record.edits(KEY, { suspend: true });
      record.shows('one-1', KEY);
      record.writes('one-1', KEY, ours(isTold ? 'Missing' : 'Present', 'Suspended'));
    } else {
      record.process('one-1', 'died');
      record.begins('one-2', KEY);
    }
    await record.until(500);
    somebodyAdds(record);
    if (!isSuspended) return takenForOurs(record, 'one-2');
    record.edits(KEY, { suspend: false });
    record.shows('one-1', KEY);
    return takenForOurs(record, 'one-1');
  }

  it('lets what only a process that is gone has missed be taken for ours when it is put back', async () => {
    expect(await missedBefore({ isTold: false })).toEqual([]);
    expect(await missedBefore({ isTold: true })).toEqual(['I2 came-later']);
  });

  it('lets what one look has missed be taken for ours where the user ended that attempt before a status told of it', async () => {
    expect(await missedBefore({ isTold: false, isSuspended: true })).toEqual([]);
    expect(await missedBefore({ isTold: true, isSuspended: true })).toEqual(['I2 came-later']);
  });

  /**
   * A clock that is half an hour ahead dates a miss; the next process is told of that date when it
   * is to come, and is shown what has come when it is past. It keeps that for ours, or dies before
   * it has said a word, and the one after it goes by the date.
   */
  async function datedAhead(keeps: 'one-2' | 'one-3'): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const entry = { ...CONTESTED, origin: 'Added' };
    await record.until(LEFT);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.calls('one-1', KEY, ADD, {
      ...shown('Old', CONTESTED),
      moves: { added: [{ ...CONTESTED }] },
    });
    record.writes('one-1', KEY, {
      ...ready('Applied', 1),
      privateEndpoints: [{ ...entry, state: 'Present' }],
    });
    await record.until(20);
    const { life } = record;
    const moves = { added: [], removed: [{ ...CONTESTED }] };
    life.tell({ what: 'other', host: life.apiHost, organizationId: ORGANIZATION, moves });
    await record.until(30);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const nextAttemptTime = new Date(life.wall + 1_890_000).toISOString().replace('.000Z', 'Z');
    record.writes('one-1', KEY, {
      ...ready('NotConfirmed', 1),
      privateEndpoints: [{ ...entry, state: 'Missing', nextAttemptTime }],
    });
    record.process('one-1', 'died');
    await record.until(1_825);
    record.begins('one-2', KEY);
    await record.until(1_840);
    somebodyAdds(record);
    await record.until(1_850);
    record.calls('one-2', KEY, LOOK, shown('Old', CONTESTED));
    if (keeps === 'one-3') {
      record.process('one-2', 'died');
      record.begins('one-3', KEY);
    }
    return takenForOurs(record, keeps);
  }

  it('has who keeps what was put back go by the date that he was told, whoever died with it before', async () => {
    expect(await datedAhead('one-3')).toEqual([]);
    expect(await datedAhead('one-2')).toEqual(['I2 came-later']);
  });

  /**
   * A clock dates an intent, which never leaves; no look works for six and a half minutes. Who is
   * shown then what somebody else has added, before or since, was told of that intent only minutes
   * after it was written, or at once.
   */
  async function intentAhead({ toldAt = 300, cameAt = 420, aheadMs = 300_000 }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const steps = [
      {
        second: 60,
        run: () => {
          record.calls('one-1', KEY, LOOK, shown('Old'));
          const time = new Date(record.life.kube.now() + aheadMs)
            .toISOString()
            .replace('.000Z', 'Z');
          record.writes('one-1', KEY, {
            ...ready('NotConfirmed', 1),
            pendingChange: { time, ...ADD.privateEndpoints },
          });
          record.process('one-1', 'died');
        },
      },
      { second: toldAt, run: () => record.begins('one-2', KEY) },
      { second: cameAt, run: () => somebodyAdds(record) },
    ];
    for (const { second, run } of steps.sort((a, b) => a.second - b.second)) {
      await record.until(second);
      run();
    }
    await record.until(440);
    return takenForOurs(record, 'one-2');
  }

  it('has who takes something for an intent go by its date, but for no later than he was told of it', async () => {
    expect(await intentAhead({ toldAt: 300 })).toEqual([]);
    expect(await intentAhead({ toldAt: 80 })).toEqual(['I2 never-added']);
  });

  it('has him go by it also where the look before had hidden what was there', async () => {
    expect(await intentAhead({ cameAt: 5, toldAt: 400 })).toEqual([]);
    expect(await intentAhead({ cameAt: 5, toldAt: 400, aheadMs: 0 })).toEqual(['I2 never-added']);
  });
});
