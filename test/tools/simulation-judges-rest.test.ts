import { describe, expect, it } from 'vitest';
import {
  applied,
  goesWithItsProcess,
  KEY,
  LOOK,
  NEIGHBOURS,
  neighbour,
  OURS,
  organization,
  PIPE,
  pipe,
  ready,
  shown,
  THREADS,
  unknown,
} from '../simulation/by-hand/objects.ts';
import type { HandRecord } from '../simulation/by-hand/record.ts';
import type { ApiCall } from '../simulation/record/facts.ts';
import { CONTESTED, ORGANIZATION } from '../simulation/scope/moves.ts';

/** A call leaves, and has no answer; `isTold`: a status says so. */
function leaves(
  record: HandRecord,
  key: string,
  { body, isTold }: { readonly body: object; readonly isTold: boolean },
): ApiCall {
  const call = record.leaves('one-1', key, body);
  if (!isTold) return call;
  record.unanswered(call);
  record.writes('one-1', key, unknown(record, 1));
  return call;
}

describe('judge of names at rest', () => {
  /**
   * A process sends one name and dies; another one is confirmed by the next process, and then the
   * first lands.
   */
  async function landsLate({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ name: 'A' });
    await record.until(10);
    const lost = leaves(record, KEY, { body: { name: 'A' }, isTold });
    await record.until(11);
    record.process('one-1', 'died');
    record.edits(KEY, { name: 'B' });
    await record.until(20);
    record.begins('one-2', KEY);
    record.calls('one-2', KEY, LOOK, shown('Old'));
    const requestId = record.calls('one-2', KEY, { name: 'B' }, shown('B'));
    record.writes('one-2', KEY, applied(record, 2, requestId));
    await record.until(50);
    record.done(lost, shown('A'));
    await record.until(200);
    return record.rules();
  }

  it('lets land late what nobody could know of', async () => {
    expect(await landsLate({ isTold: false })).toEqual([]);
  });

  it('has what a status told of waited for', async () => {
    expect(await landsLate({ isTold: true })).toEqual(['I4 overwritten']);
  });
});

describe('judge of names that are shown late', () => {
  /**
   * A name is given, its waits are used up, and then a look shows it: to another shard, or to its
   * own process.
   */
  async function shownTo(process: string, key: string): Promise<string[]> {
    const record = organization({ name: 'A' }, { staleForMs: 20_000 });
    neighbour(record, { privateEndpoints: [] });
    record.begins('shard-2-1', NEIGHBOURS);
    record.life.api.organizations.set(ORGANIZATION, { name: 'A' });
    await record.until(10);
    record.calls('one-1', KEY, { name: 'A' }, shown('Old'));
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), attempts: 4 });
    await record.until(100);
    record.calls(process, key, LOOK, shown('A'));
    await record.until(200);
    return record.rules().filter((rule) => rule === 'I4 NotConfirmed');
  }

  it('lets wait whom no reply has shown it, whatever another shard was shown', async () => {
    expect(await shownTo('shard-2-1', NEIGHBOURS)).toEqual([]);
    expect(await shownTo('one-1', KEY)).toEqual(['I4 NotConfirmed']);
  });
});

describe('judge of pipes at rest', () => {
  /**
   * A process stands still with a call under way; another one leads, and is confirmed; then the
   * first call lands, and is answered or not.
   */
  async function landsLate({
    isTold = false,
    isAnswered = false,
    tells = false,
  }): Promise<string[]> {
    const record = pipe(1);
    await record.until(10);
    const lost = leaves(record, PIPE, { body: { [THREADS]: 1 }, isTold });
    record.process('one-1', 'frozen');
    await record.until(26);
    record.edits(PIPE, { settings: { [THREADS]: 2 } });
    record.begins('two-1', PIPE);
    const requestId = record.calls('two-1', PIPE, { [THREADS]: 2 }, { result: { [THREADS]: 2 } });
    record.writes('two-1', PIPE, applied(record, 2, requestId));
    await record.until(60);
    record.done(lost, { result: { [THREADS]: 1 } });
    record.life.api.settings.set(`${ORGANIZATION}/service/pipe-1`, { [THREADS]: 1 });
    await record.until(70);
    record.process('one-1', 'goes-on');
    if (isAnswered) record.answered(lost, { result: { [THREADS]: 1 } });
    else if (!isTold) record.unanswered(lost);
    if (tells) record.writes('one-1', PIPE, applied(record, 2, requestId));
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it.each([false, true])(
    'lets land late what another process had under way (answered: %s)',
    async (isAnswered) => {
      expect(await landsLate({ isAnswered })).toEqual([]);
    },
  );

  it('has what a status told of waited for', async () => {
    expect(await landsLate({ isTold: true })).toEqual(['I4 late-write']);
  });

  /**
   * A process dies with a call under way; the next one has no answer to its first call, tells so,
   * and is confirmed; then the first call lands.
   */
  async function landsBehindTheNext({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = pipe(1);
    await record.until(10);
    const lost = leaves(record, PIPE, { body: { [THREADS]: 1 }, isTold });
    await record.until(12);
    record.process('one-1', 'died');
    record.edits(PIPE, { settings: { [THREADS]: 2 } });
    record.begins('one-2', PIPE);
    record.unanswered(record.leaves('one-2', PIPE, { [THREADS]: 2 }));
    record.writes('one-2', PIPE, unknown(record, 2));
    await record.until(14);
    const requestId = record.calls('one-2', PIPE, { [THREADS]: 2 }, { result: { [THREADS]: 2 } });
    record.writes('one-2', PIPE, applied(record, 2, requestId));
    await record.until(50);
    record.done(lost, { result: { [THREADS]: 1 } });
    record.life.api.settings.set(`${ORGANIZATION}/service/pipe-1`, { [THREADS]: 1 });
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets land late what a process that is gone had under way, though the next one says of its own call that it had no answer', async () => {
    expect(await landsBehindTheNext({ isTold: false })).toEqual([]);
    expect(await landsBehindTheNext({ isTold: true })).toEqual(['I4 late-write']);
  });

  it('has undone what its process could tell of when it was answered', async () => {
    expect(await landsLate({ isAnswered: true, tells: true })).toEqual(['I4 not-there']);
  });
});

describe('judge of endpoints at rest', () => {
  /**
   * An object goes with a removal under way, and its process dies; another object is confirmed by
   * the next process, and then the removal lands.
   */
  async function landsLate({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [] });
    neighbour(record, { privateEndpoints: [CONTESTED] });
    record.life.tell({
      what: 'other',
      host: record.life.apiHost,
      organizationId: ORGANIZATION,
      moves: { added: [CONTESTED], removed: [] },
    });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    const pendingChange = { time: record.time(), add: [], remove: [CONTESTED] };
    record.writes('one-1', KEY, {
      ...ready('NotConfirmed', 1),
      privateEndpoints: [OURS],
      pendingChange,
    });
    const lost = record.leaves('one-1', KEY, {
      privateEndpoints: { add: [], remove: [CONTESTED] },
    });
    await goesWithItsProcess(record, { isTold });
    const requestId = record.calls('one-2', NEIGHBOURS, LOOK, shown('Old', CONTESTED));
    const privateEndpoints = [{ ...OURS, origin: 'Found' }];
    record.writes('one-2', NEIGHBOURS, { ...applied(record, 1, requestId), privateEndpoints });
    await record.until(50);
    record.done(lost, { moves: { removed: [CONTESTED] } });
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  const BLANK = { ...CONTESTED, id: `${CONTESTED.id} ` };

  /**
   * Somebody else adds the endpoint, also with a blank after its id, stores the one without anew,
   * and takes these away.
   */
  async function saysApplied(...removed: readonly object[]): Promise<string[]> {
    return afterMoves(
      { added: [BLANK, { ...CONTESTED }] },
      ...removed.map((one) => ({ removed: [one] })),
    );
  }

  /** Somebody else puts the endpoint there, and then it with one change in other letters. */
  async function respelled(moves: object): Promise<string[]> {
    return afterMoves({ added: [CONTESTED] }, moves);
  }

  async function afterMoves(...all: readonly object[]): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    for (const moves of all)
      record.life.tell({
        what: 'other',
        host: record.life.apiHost,
        organizationId: ORGANIZATION,
        moves: { added: [], removed: [], ...moves },
      });
    await record.until(10);
    const requestId = record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, applied(record, 1, requestId));
    await record.until(200);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('tells one from another with a blank after its id, also where that one was stored first', async () => {
    expect(await saysApplied({ ...CONTESTED }, BLANK)).toEqual(['I4 not-there']);
    expect(await saysApplied({ ...CONTESTED })).toEqual([]);
  });

  it('takes for gone what an API has added first and then taken for what it is to remove, and for there what it has added last', async () => {
    const capitals = { ...CONTESTED, region: CONTESTED.region.toUpperCase() };
    expect(await respelled({ added: [capitals], removed: [CONTESTED, capitals] })).toEqual([
      'I4 not-there',
    ]);
    expect(await respelled({ added: [capitals], removed: [CONTESTED] })).toEqual([]);
  });

  const OTHER = { ...CONTESTED, id: 'refused-1' };

  /**
   * One endpoint is sent three times in vain, and another one is refused, or was never tried at
   * all: the condition says the former.
   */
  async function isInVain({ refuses }: { readonly refuses: boolean }): Promise<string[]> {
    const behaviour = refuses ? { refusedIds: [OTHER.id] } : {};
    const record = organization({ privateEndpoints: [CONTESTED, OTHER] }, behaviour);
    const add = { privateEndpoints: { add: [CONTESTED], remove: [] } };
    for (const at of [200, 400, 600]) {
      await record.until(at);
      record.calls('one-1', KEY, LOOK, shown('Old'));
      const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
      record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
      record.unanswered(record.leaves('one-1', KEY, add));
      record.writes('one-1', KEY, { ...unknown(record, 1), pendingChange });
    }
    await record.until(1_000);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    record.writes('one-1', KEY, ready('NotConfirmed', 1));
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets what is sent in vain give the reason where another one is refused', async () => {
    expect(await isInVain({ refuses: true })).toEqual([]);
  });

  it('finds what the API would take behind another one that is sent in vain', async () => {
    expect(await isInVain({ refuses: false })).toEqual(['I4 kept-out']);
  });

  /**
   * An add is answered with this status, and stored in another region than it was sent; then it is
   * listed no more.
   */
  async function storedElsewhere(status: number): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const elsewhere = { ...CONTESTED, region: `r-${CONTESTED.region}` };
    await record.until(10);
    const add = record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    record.done(add, { status, moves: { added: [elsewhere] } });
    record.answered(add, status === 200 ? shown('Old', elsewhere) : { status });
    record.calls('one-1', KEY, LOOK, shown('Old', elsewhere));
    record.writes('one-1', KEY, ready('EndpointConflict', 1));
    await record.until(20);
    record.edits(KEY, { privateEndpoints: [] });
    record.shows('one-1', KEY);
    record.writes(
      'one-1',
      KEY,
      applied(record, 2, record.calls('one-1', KEY, LOOK, shown('Old', elsewhere))),
    );
    await record.until(900);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets stay what an API has stored in other fields with a refusal, which is nobody’s by the table', async () => {
    expect(await storedElsewhere(409)).toEqual([]);
    expect(await storedElsewhere(200)).toEqual(['I4 not-removed']);
  });

  it('lets land late a removal that nobody could know of', async () => {
    expect(await landsLate({ isTold: false })).toEqual([]);
  });

  it('has one waited for that the process was told of before its object went', async () => {
    expect(await landsLate({ isTold: true })).toEqual(['I4 overwritten']);
  });
});
