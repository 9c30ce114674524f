import { describe, expect, it } from 'vitest';
import { applied, KEY, LOOK, organization, ready, shown, unknown } from '../simulation/by-hand/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

const ADD = { privateEndpoints: { add: [CONTESTED], remove: [] } };

describe('judge of repeats', () => {
  /** A process dies with an add under way; the next one, which finds it on record, sends it so often once more, each time in vain. */
  async function inVain(times: number, wasShown = false): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const intent = () => ({ pendingChange: { time: record.time(), add: [CONTESTED], remove: [] } });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), ...intent() });
    record.leaves('one-1', KEY, ADD);
    await record.until(11);
    record.process('one-1', 'died');
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
    expect(await inVain(2, true)).toEqual(['I4 NotConfirmed']);
  });

  it('does not let it be given up sooner', async () => {
    expect(await inVain(1)).toEqual(['I4 NotConfirmed']);
  });
});

describe('judge of calls', () => {
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
    expect(record.rulesSoFar().filter((rule) => rule.startsWith('call') || rule.startsWith('restore'))).toEqual(rules);
  });
});
