import { describe, expect, it } from 'vitest';
import {
  applied,
  KEY,
  LOOK,
  organization,
  ready,
  shown,
  unknown,
} from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { Backup } from '../simulation/kubernetes/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };

describe('judge of repeats', () => {
  /**
   * A process dies with an add under way; the next one, which finds it on record, sends it so often
   * once more, each time in vain.
   */
  async function inVain(
    times: number,
    { wasShown = false, isLate = false } = {},
  ): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const intent = () => ({ pendingChange: { time: record.time(), add: [CONTESTED], remove: [] } });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    if (isLate) record.process('one-1', 'died');
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), ...intent() }, { unheard: isLate });
    if (!isLate) record.leaves('one-1', KEY, ADD);
    await record.until(11);
    if (!isLate) record.process('one-1', 'died');
    record.begins('one-2', KEY);
    if (wasShown) {
      record.calls('one-2', KEY, LOOK, shown('Old', CONTESTED));
      record.writes('one-2', KEY, ready('Applied', 1));
    }
    for (let time = 1; time <= times; time += 1) {
      await record.until(time * 200);
      record.calls('one-2', KEY, LOOK, shown('Old'));
      record.writes('one-2', KEY, { ...ready('NotConfirmed', 1), ...intent() });
      record.unanswered(record.leaves('one-2', KEY, ADD));
      record.writes('one-2', KEY, { ...unknown(record, 1), ...intent() });
    }
    await record.until(1_000);
    record.calls('one-2', KEY, LOOK, shown('Old'));
    record.writes('one-2', KEY, ready('NotConfirmed', 1));
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('counts what another process had under way when it died, and left on record', async () => {
    expect(await inVain(2)).toEqual([]);
  });

  it('does not count what a list has shown done since', async () => {
    expect(await inVain(2, { wasShown: true })).toEqual(['I4 NotConfirmed']);
  });

  it('counts what it had put on record when its write is carried out after it died', async () => {
    expect(await inVain(2, { isLate: true })).toEqual([]);
    expect(await inVain(1, { isLate: true })).toEqual(['I4 NotConfirmed']);
  });

  it('does not let it be given up sooner', async () => {
    expect(await inVain(1)).toEqual(['I4 NotConfirmed']);
  });
});

describe('judge of repeats, of two processes', () => {
  /**
   * One sends an add three times in vain; the other one leads for a while, or does not, and the
   * first sends it once more.
   */
  async function sendsAgain({ others }: { readonly others: number }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const send = (process: string): void => {
      const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
      record.calls(process, KEY, LOOK, shown('Old'));
      record.writes(process, KEY, { ...ready('NotConfirmed', 1), pendingChange });
      record.unanswered(record.leaves(process, KEY, ADD));
    };
    for (const at of [200, 400, 600]) {
      await record.until(at);
      send('one-1');
    }
    await record.until(800);
    record.calls('two-1', KEY, LOOK, shown('Old'));
    if (others > 0) record.writes('two-1', KEY, ready('NotConfirmed', 1));
    for (let time = 0; time < Math.max(1, others); time += 1) {
      await record.until(1_000 + time * 200);
      send('one-1');
    }
    return record.rules().filter((rule) => rule === 'I4 added-again');
  }

  it('lets an add that another process has settled not count for who sent it', async () => {
    expect(await sendsAgain({ others: 1 })).toEqual([]);
  });

  it('finds a fourth one where no other process has spoken, and a fifth where one has once', async () => {
    expect(await sendsAgain({ others: 0 })).toEqual(['I4 added-again']);
    expect(await sendsAgain({ others: 2 })).toEqual(['I4 added-again']);
  });
});

describe('judge of repeats, of a process that stands still', () => {
  /**
   * It has put an add on record, and no call has left; another one leads meanwhile, and sends the
   * same so often, each time in vain.
   */
  async function takenOver(times: number): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const intent = () => ({ pendingChange: { time: record.time(), add: [CONTESTED], remove: [] } });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), ...intent() });
    record.process('one-1', 'frozen');
    await record.until(30);
    record.begins('two-1', KEY);
    for (let time = 1; time <= times; time += 1) {
      await record.until(time * 200);
      record.calls('two-1', KEY, LOOK, shown('Old'));
      record.writes('two-1', KEY, { ...ready('NotConfirmed', 1), ...intent() });
      record.unanswered(record.leaves('two-1', KEY, ADD));
      record.writes('two-1', KEY, { ...unknown(record, 1), ...intent() });
    }
    await record.until(1_000);
    record.process('one-1', 'goes-on');
    record.calls('two-1', KEY, LOOK, shown('Old'));
    record.writes('two-1', KEY, ready('NotConfirmed', 1));
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('counts what it has left on record, and no more than that', async () => {
    expect(await takenOver(2)).toEqual([]);
    expect(await takenOver(1)).toEqual(['I4 NotConfirmed']);
  });
});

describe('judge of repeats, after a restore', () => {
  const WISH = { privateEndpoints: [CONTESTED] };

  /** An intent to add goes on record, and its call leaves: it is refused, or has no answer. */
  function adds(record: HandRecord, status?: number): void {
    const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    if (status === undefined) {
      record.unanswered(record.leaves('one-1', KEY, ADD));
      record.writes('one-1', KEY, { ...unknown(record, 1), pendingChange });
      return;
    }
    record.calls('one-1', KEY, ADD, { status, applied: false });
  }

  function restores(record: HandRecord, backup: Backup): void {
    record.life.kube.objects.restore(backup, { forwards: false });
    record.life.restored(record.life.kube.objects.revision + 10);
    record.shows('one-1', KEY);
  }

  async function givesUp(record: HandRecord): Promise<string[]> {
    await record.until(2_000);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, ready('NotConfirmed', 1));
    return record.rules().filter((rule) => /^(I4|restore)/.test(rule));
  }

  /**
   * So many adds are lost; each is settled when the next intent is written, the last by one that is
   * refused. Then a restore changes nothing, and one more is lost.
   */
  async function settledBefore(times: number): Promise<string[]> {
    const record = organization(WISH);
    for (let time = 1; time <= times; time += 1) {
      await record.until(time * 200);
      adds(record);
    }
    await record.until(1_000);
    adds(record, 400);
    restores(record, record.life.kube.objects.backup());
    await record.until(1_200);
    adds(record);
    return givesUp(record);
  }

  it('counts what was settled before it', async () => {
    expect(await settledBefore(2)).toEqual([]);
  });

  it('lets nothing be given up sooner', async () => {
    expect(await settledBefore(1)).toEqual(['restore backwards']);
  });

  /**
   * So many adds are lost, and what the last of them left on record comes back as often;
   * `isSettled`: when the next intent had been written, for the same endpoint.
   */
  async function backOnRecord(
    lost: number,
    { back = 1, isSettled = true } = {},
  ): Promise<string[]> {
    const record = organization(WISH);
    for (let time = 1; time <= lost; time += 1) {
      await record.until(time * 200);
      adds(record);
    }
    const backup = record.life.kube.objects.backup();
    for (let time = 1; time <= back; time += 1) {
      await record.until(1_000 + time * 200);
      if (isSettled) adds(record, 400);
      restores(record, backup);
    }
    return givesUp(record);
  }

  it('counts once more what it has put back, also where the next intent was for the same', async () => {
    expect(await backOnRecord(2)).toEqual([]);
    expect(await backOnRecord(1, { back: 2 })).toEqual([]);
  });

  it('does not count what was open all the time once more', async () => {
    expect(await backOnRecord(2, { isSettled: false })).toEqual(['restore backwards']);
    expect(await backOnRecord(1)).toEqual(['restore backwards']);
  });
});

describe('judge of calls', () => {
  /**
   * A list from before the confirmation is shown after it, so long after lists from a server that
   * is behind; then it is called again.
   */
  async function afterOldList(behindUntil: number): Promise<string[]> {
    const record = organization({ name: 'A' });
    const before = record.stored(KEY);
    record.life.behindUntil = behindUntil;
    await record.until(10);
    record.writes(
      'one-1',
      KEY,
      applied(record, 1, record.calls('one-1', KEY, { name: 'A' }, shown('A'))),
    );
    record.life.tell({ what: 'seen', process: 'one-1', key: KEY, thing: before });
    record.calls('one-1', KEY, LOOK, shown('A'));
    return record.rulesSoFar().filter((rule) => rule.startsWith('call'));
  }

  it('lets it call again where a server that was behind has shown what was before the confirmation, and no other', async () => {
    expect(await afterOldList(5_000)).toEqual([]);
    expect(await afterOldList(-60_000)).toEqual(['call again']);
  });

  it.each([
    ['lets it call for a spec that was given the number of a confirmed one by a restore', true, []],
    ['lets it not call again for what is confirmed', false, ['call again']],
  ] as const)('%s', async (_, isRestored, rules) => {
    const record = organization({ name: 'A' });
    const { life } = record;
    const backup = life.kube.objects.backup();
    record.edits(KEY, { name: 'B' });
    record.shows('one-1', KEY);
    await record.until(10);
    const requestId = record.calls('one-1', KEY, { name: 'B' }, shown('B'));
    if (isRestored) {
      life.kube.objects.restore(backup, { forwards: false });
      life.restored(life.kube.objects.revision + 10);
      record.edits(KEY, { name: 'C' });
    }
    record.writes('one-1', KEY, applied(record, 2, requestId));
    await record.until(400);
    record.calls('one-1', KEY, LOOK, shown('B'));
    expect(
      record.rulesSoFar().filter((rule) => rule.startsWith('call') || rule.startsWith('restore')),
    ).toEqual(rules);
  });
});
