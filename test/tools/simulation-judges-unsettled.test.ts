import { describe, expect, it } from 'vitest';
import {
  goesWithItsProcess,
  KEY,
  LOOK,
  NEIGHBOURS,
  neighbour,
  organization,
  ready,
  shown,
  unknown,
} from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { ApiCall } from '../simulation/record/facts.ts';
import { CONTESTED, OBJECT } from '../simulation/scope/moves.ts';

const ADD = { add: [CONTESTED], remove: [] };
const REMOVE = { add: [], remove: [CONTESTED] };

describe('judge of what is unsettled', () => {
  /**
   * An intent is seen by another process when it is written, and leaves seconds later, just before
   * its process dies. Then that one goes on.
   */
  async function afterDeath(
    goesOnAt: number,
    key: string,
    change: typeof ADD | typeof REMOVE = ADD,
  ): Promise<string[]> {
    const spec = { privateEndpoints: [CONTESTED] };
    const record = organization(spec);
    neighbour(record, spec);
    record.begins('two-1', KEY);
    for (const process of ['one-1', 'two-1']) record.shows(process, NEIGHBOURS);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    const pendingChange = { time: record.time(), ...change };
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    record.shows('two-1', KEY);
    await record.until(14);
    record.leaves('one-1', KEY, { privateEndpoints: change });
    await record.until(15);
    record.process('one-1', 'died');
    await record.until(goesOnAt);
    record.calls('two-1', key, LOOK, shown('Old'));
    record.leaves('two-1', key, { privateEndpoints: change });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  // 35 s of --api-timeout and 60 s after it.
  it('counts what another process may have sent from when its intent was seen first', async () => {
    expect(await afterDeath(106, NEIGHBOURS)).toEqual([]);
    expect(await afterDeath(106, NEIGHBOURS, REMOVE)).toEqual([]);
    expect(await afterDeath(106, KEY)).toEqual([]);
  });

  it('does not let it be settled sooner', async () => {
    expect(await afterDeath(104, NEIGHBOURS)).toEqual(['I6 unsettled']);
    expect(await afterDeath(104, NEIGHBOURS, REMOVE)).toEqual(['I6 unsettled']);
    expect(await afterDeath(104, KEY)).toEqual(['I6 again']);
  });

  /**
   * An intent leaves, its process dies, and its object goes, of which the next process was told or
   * not; then that one calls for another object.
   */
  async function afterItsObject(isTold: boolean): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    neighbour(record, { privateEndpoints: [CONTESTED] });
    record.shows('one-1', NEIGHBOURS);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, {
      ...ready('NotConfirmed', 1),
      pendingChange: { time: record.time(), ...ADD },
    });
    record.leaves('one-1', KEY, { privateEndpoints: ADD });
    await goesWithItsProcess(record, { isTold });
    record.calls('one-2', NEIGHBOURS, LOOK, shown('Old'));
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('lets go what went with its object before another process was told of it', async () => {
    expect(await afterItsObject(false)).toEqual([]);
  });

  it('has waited for what a process was told of before its object went', async () => {
    expect(await afterItsObject(true)).toEqual(['I6 unsettled']);
  });

  /**
   * A name is lost, and told of; the next process tells of an intent instead, and dies; its object
   * goes when a third one was shown either word.
   */
  async function afterName(isToldOfName: boolean): Promise<string[]> {
    const record = organization({ name: 'A', privateEndpoints: [CONTESTED] });
    neighbour(record, { name: 'A' });
    await record.until(10);
    record.unanswered(record.leaves('one-1', KEY, { name: 'A' }));
    record.writes('one-1', KEY, unknown(record, 1));
    if (isToldOfName) record.begins('one-2', KEY);
    await record.until(11);
    record.process('one-1', 'died');
    record.writes('two-1', KEY, {
      ...ready('OutcomeUnknown', 1),
      pendingChange: { time: record.time(), ...ADD },
    });
    if (!isToldOfName) record.begins('one-2', KEY);
    record.calls('one-2', KEY, LOOK, shown('A'));
    await record.until(20);
    record.deletes(KEY);
    record.shows('one-2', KEY);
    record.begins('one-2', NEIGHBOURS);
    record.calls('one-2', NEIGHBOURS, LOOK, shown('A'));
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('takes no intent for word of a lost name', async () => {
    expect(await afterName(false)).toEqual([]);
    expect(await afterName(true)).toEqual(['I6 unsettled']);
  });

  const OTHER = { ...CONTESTED, id: 'psc-2' };

  /**
   * Another process is shown one intent, and not the one that follows half a minute later, leaves,
   * and goes down with its process; or that one, too.
   */
  async function afterTwoIntents({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED, OTHER] });
    neighbour(record, { privateEndpoints: [CONTESTED] });
    record.begins('two-1', KEY);
    for (const process of ['one-1', 'two-1']) record.shows(process, NEIGHBOURS);
    const sends = (endpoint: typeof CONTESTED): ApiCall => {
      const change = { add: [endpoint], remove: [] };
      record.calls('one-1', KEY, LOOK, shown('Old'));
      const pendingChange = { time: record.time(), ...change };
      record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
      return record.leaves('one-1', KEY, { privateEndpoints: change });
    };
    await record.until(10);
    const first = sends(OTHER);
    record.done(first, { moves: { added: [OTHER] } });
    record.answered(first, shown('Old', OTHER));
    record.shows('two-1', KEY);
    await record.until(40);
    sends(CONTESTED);
    if (isTold) record.shows('two-1', KEY);
    await record.until(41);
    record.process('one-1', 'died');
    // 35 s of --api-timeout and 60 s after the first of them was told of.
    await record.until(110);
    record.calls('two-1', NEIGHBOURS, LOOK, shown('Old', OTHER));
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('takes no intent for word of another one', async () => {
    expect(await afterTwoIntents({ isTold: false })).toEqual([]);
    expect(await afterTwoIntents({ isTold: true })).toEqual(['I6 unsettled']);
  });

  /**
   * An endpoint is added, and removed again, as a second process is shown. It is sent once more, of
   * which that one is told or not; the process dies, the object goes, and the second process adds
   * it for another object.
   */
  async function addedOnceMore({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const rival = `organizations/${OBJECT.namespace}/o3`;
    record.creates('organizations', OBJECT.namespace, 'o3', record.stored(KEY)?.spec as object);
    record.begins('two-1', KEY);
    for (const process of ['one-1', 'two-1']) record.shows(process, rival);
    const intends = (): void => {
      record.calls('one-1', KEY, LOOK, shown('Old'));
      const pendingChange = { time: record.time(), ...ADD };
      record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    };
    await record.until(10);
    intends();
    record.shows('two-1', KEY);
    record.calls(
      'one-1',
      KEY,
      { privateEndpoints: ADD },
      { ...shown('Old', CONTESTED), moves: { added: [CONTESTED] } },
    );
    record.writes('one-1', KEY, ready('Applied', 1));
    record.shows('two-1', KEY);
    await record.until(1_000);
    intends();
    if (isTold) record.shows('two-1', KEY);
    record.leaves('one-1', KEY, { privateEndpoints: ADD });
    await record.until(1_001);
    record.process('one-1', 'died');
    record.deletes(KEY);
    record.shows('two-1', KEY);
    await record.until(1_020);
    record.calls('two-1', rival, LOOK, shown('Old'));
    record.leaves('two-1', rival, { privateEndpoints: ADD });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('has nobody know of an add by what he was told of an earlier one', async () => {
    expect(await addedOnceMore({ isTold: false })).toEqual([]);
    expect(await addedOnceMore({ isTold: true })).toEqual(['I6 again']);
  });

  /**
   * A name is lost, as a clock that is half an hour ahead dates it; minutes later it is sent once
   * more, and is told of, or its process dies first.
   */
  async function afterNameAhead({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ name: 'A' });
    neighbour(record, { name: 'A' });
    record.begins('two-1', KEY);
    for (const process of ['one-1', 'two-1']) record.shows(process, NEIGHBOURS);
    const time = (): string => record.time(1_800);
    const tells = (): void => {
      const word = unknown(record, 1);
      record.writes('one-1', KEY, { ...word, lastRequest: { ...word.lastRequest, time: time() } });
      record.shows('two-1', KEY);
    };
    await record.until(10);
    record.unanswered(record.leaves('one-1', KEY, { name: 'A' }));
    tells();
    await record.until(200);
    const last = record.leaves('one-1', KEY, { name: 'A' });
    if (isTold) {
      record.unanswered(last);
      tells();
    }
    await record.until(201);
    record.process('one-1', 'died');
    await record.until(220);
    record.calls('two-1', NEIGHBOURS, LOOK, shown('A'));
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('goes by when a word was written, whatever time stands in it', async () => {
    expect(await afterNameAhead({ isTold: false })).toEqual([]);
    expect(await afterNameAhead({ isTold: true })).toEqual(['I6 unsettled']);
  });

  /**
   * A name is sent for one object and answered; half a minute later another object of its
   * organization is looked at.
   */
  async function afterAnswer(answer: Parameters<HandRecord['calls']>[3]): Promise<string[]> {
    const record = organization({ name: 'A' });
    neighbour(record, { name: 'A' });
    record.shows('one-1', NEIGHBOURS);
    await record.until(10);
    record.calls('one-1', KEY, { name: 'A' }, answer);
    await record.until(40);
    record.calls('one-1', NEIGHBOURS, LOOK, shown('A'));
    return record.rulesSoFar().filter((rule) => rule.startsWith('I6'));
  }

  it('takes an answer that proves nothing for none', async () => {
    expect(await afterAnswer({ status: 200 })).toEqual(['I6 unsettled']);
    expect(await afterAnswer(shown('A'))).toEqual([]);
    expect(await afterAnswer({ status: 400, applied: false })).toEqual([]);
  });
});
