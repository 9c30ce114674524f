import { describe, expect, it, vi } from 'vitest';
import {
  KEY,
  LOOK,
  OURS,
  organization,
  PIPE,
  pipe,
  ready,
  shown,
  THREADS,
  unknown,
} from '../simulation/by-hand/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

describe('judge of looks', () => {
  /**
   * A look is followed by a change more than two minutes later; meanwhile requests to the API
   * server have no answer.
   */
  async function heldUp(way: 'add' | 'remove', hanging: string): Promise<string[]> {
    const record = organization({ privateEndpoints: way === 'add' ? [CONTESTED] : [] });
    const there = way === 'add' ? [] : [CONTESTED];
    const privateEndpoints = way === 'add' ? [] : [OURS];
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', ...there));
    for (const seconds of [60, 110, 150]) {
      await record.until(seconds);
      record.hangs(hanging, KEY);
    }
    await record.until(155);
    record.leaves('one-1', KEY, { privateEndpoints: { add: [], remove: [], [way]: [CONTESTED] } });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I1'));
  }

  it.each(['add', 'remove'] as const)(
    'lets an attempt to %s wait while the API server does not answer',
    async (way) => {
      expect(await heldUp(way, 'one-1')).toEqual([]);
    },
  );

  /**
   * The same, while the API asks to be left alone: in answer to calls for a pipe in this namespace,
   * or in another one, or to looks for this object.
   */
  async function paused(namespace: string, own = false): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const { spec } = pipe(1).stored(PIPE) ?? {};
    record.creates('pipesettings', namespace, 'p1', spec as object);
    const key = `pipesettings/${namespace}/p1`;
    record.shows('one-1', key);
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    for (const seconds of [50, 110]) {
      await record.until(seconds);
      record.calls('one-1', own ? KEY : key, own ? LOOK : { [THREADS]: 1 }, { status: 429 });
    }
    await record.until(155);
    record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I1'));
  }

  it('lets an attempt wait while the API wants to be left alone with its key', async () => {
    expect(await paused('team-a')).toEqual([]);
    expect(await paused('team-b')).toEqual(['I1 no-look']);
    expect(await paused('team-a', true)).toEqual(['I1 no-look']);
  });

  it.each([
    ['add', 'I1 no-look'],
    ['remove', 'I1 unseen'],
  ] as const)(
    'does not let it wait (%s) because another process has no answer',
    async (way, rule) => {
      expect(await heldUp(way, 'two-1')).toEqual([rule]);
    },
  );
});

describe('judge of looks, of lists that are left out', () => {
  /**
   * A list with an entry, with an error beside it, or too long to be read, or neither; then two
   * looks without a list, a minute apart, and an add.
   */
  async function afterList(error?: string, isTooLong = false): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] });
    const { life } = record;
    await record.until(10);
    const look = record.leaves('one-1', KEY, LOOK);
    record.done(look);
    const { result } = shown('Old', { ...CONTESTED, id: 'theirs-1' });
    look.reply = {
      at: life.timeline.now,
      status: 200,
      requestId: undefined,
      error,
      result,
      headers: {},
    };
    life.tell({ what: 'answered', call: look });
    if (isTooLong) record.unanswered(look);
    record.writes('one-1', KEY, {
      ...ready('UnexpectedResponse', 1),
      lastRequest: { operation: 'Update', outcome: 'Unknown', time: record.time() },
    });
    for (const seconds of [20, 81]) {
      await record.until(seconds);
      record.calls('one-1', KEY, LOOK, { result: { name: 'Old' } });
    }
    record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I1'));
  }

  it('takes no list for shown that came with an error', async () => {
    expect(await afterList('INTERNAL_ERROR')).toEqual([]);
    expect(await afterList()).toEqual(['I1 no-look']);
  });

  it('takes no list for shown that broke off or was too long', async () => {
    expect(await afterList(undefined, true)).toEqual([]);
  });
});

describe('judge of organizations at rest', () => {
  const OLD = 'api.example.com';

  /**
   * What one API has shown is kept in the status; its proof goes, taken away at `host`; the other
   * API shows a list of nothing but a null.
   */
  async function blindAt(host: string): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] }, { entries: 'null-among' });
    const { life } = record;
    vi.spyOn(life.fleet, 'apiHostOf').mockImplementation((process) =>
      process === 'one-1' ? host : life.apiHost,
    );
    const found = [{ ...OURS, origin: 'Found' }];
    const look = record.leaves('one-1', KEY, LOOK, OLD);
    record.done(look);
    record.answered(look, shown('Old', CONTESTED));
    const proof = { time: record.time(), apiHash: 'sha256:' };
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: found, proof });
    life.moveToOtherApi();
    record.writes('one-1', KEY, { ...ready('SecretNotFound', 1), privateEndpoints: found });
    record.begins('two-1', KEY);
    await record.until(10);
    record.calls('two-1', KEY, LOOK, { result: { name: 'Old', privateEndpoints: [null] } });
    record.writes('two-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints: found });
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets no empty list count where nobody knows any more which API has shown another', async () => {
    expect(await blindAt(OLD)).toEqual([]);
  });

  it('has it count where the proof went because of the other API', async () => {
    expect(await blindAt('other-api.example.com')).toEqual(['I4 NotConfirmed']);
  });

  /**
   * A list with one entry is told of; the next one is empty, and told of or not when its process
   * dies; from then on the API leaves it out.
   */
  async function lastList({ isTold }: { readonly isTold: boolean }): Promise<string[]> {
    const record = organization({ privateEndpoints: [CONTESTED] }, { list: 'absent-when-empty' });
    const found = [{ ...OURS, origin: 'Found' }];
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', CONTESTED));
    record.writes('one-1', KEY, { ...ready('Applied', 1), privateEndpoints: found });
    await record.until(300);
    record.calls('one-1', KEY, LOOK, shown('Old'));
    if (isTold) record.writes('one-1', KEY, ready('NotConfirmed', 1));
    record.process('one-1', 'died');
    record.begins('one-2', KEY);
    for (const seconds of [310, 400]) {
      await record.until(seconds);
      record.calls('one-2', KEY, LOOK, { result: { name: 'Old' } });
      record.writes('one-2', KEY, {
        ...ready('NotConfirmed', 1),
        ...(!isTold && { privateEndpoints: found }),
      });
    }
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('has an empty list known only to who was told of it', async () => {
    expect(await lastList({ isTold: false })).toEqual([]);
    expect(await lastList({ isTold: true })).toEqual(['I4 unlisted']);
  });

  /**
   * A list with these is told of, and what is sent then is lost; the spec manages endpoints no
   * more, and the API leaves out its empty list.
   */
  async function leftOpen(...listed: readonly object[]): Promise<string[]> {
    const record = organization(
      { name: 'Old', privateEndpoints: [CONTESTED] },
      { list: 'absent-when-empty' },
    );
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', ...listed));
    const pendingChange = { time: record.time(), add: [CONTESTED], remove: [] };
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), pendingChange });
    record.unanswered(
      record.leaves('one-1', KEY, { privateEndpoints: { add: [CONTESTED], remove: [] } }),
    );
    record.writes('one-1', KEY, { ...unknown(record, 1), pendingChange });
    record.edits(KEY, { privateEndpoints: undefined });
    record.shows('one-1', KEY);
    await record.until(300);
    record.calls('one-1', KEY, LOOK, { result: { name: 'Old' } });
    record.writes('one-1', KEY, { ...unknown(record, 2), pendingChange });
    await record.until(900);
    return record.rules().filter((rule) => rule.startsWith('I4'));
  }

  it('lets what was sent for an earlier spec stay unknown where no list can tell any more', async () => {
    expect(await leftOpen({ ...CONTESTED, id: 'theirs-1' })).toEqual([]);
    expect(await leftOpen()).toEqual(['I4 unlisted']);
  });
});
