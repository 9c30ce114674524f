import { describe, expect, it, vi } from 'vitest';
import { applied, PIPE, pipe, ready, THREADS } from '../simulation/by-hand/objects.ts';

const result = (threads: number) => ({ result: { [THREADS]: threads } });

describe('judge of processes', () => {
  /**
   * A call is under way while somebody records another attempt; then it is answered, and its
   * process ends without a word of that.
   */
  async function endsWithout(speaker: string | undefined, isTooLong = false): Promise<string[]> {
    const record = pipe(1);
    record.begins('two-1', PIPE);
    await record.until(100);
    const call = record.leaves('one-1', PIPE, { [THREADS]: 1 });
    await record.until(105);
    if (speaker !== undefined) {
      const requestId = record.calls('two-1', PIPE, { [THREADS]: 1 }, result(1));
      record.writes(speaker, PIPE, applied(record, 1, requestId));
      record.shows('one-1', PIPE);
    }
    await record.until(110);
    record.done(call, result(1));
    record.answered(call, result(1));
    if (isTooLong) record.unanswered(call);
    await record.until(130);
    record.process('one-1', 'told-to-end');
    record.process('one-1', 'ended');
    return record.rulesSoFar().filter((rule) => rule.startsWith('process'));
  }

  it('asks for no word over which another process has spoken', async () => {
    expect(await endsWithout('two-1')).toEqual([]);
  });

  it('asks for no word of an answer that came and could not be read', async () => {
    expect(await endsWithout(undefined, true)).toEqual([]);
  });

  it('asks for a word where nobody has spoken, or only the process itself', async () => {
    expect(await endsWithout(undefined)).toEqual(['process result-lost']);
    expect(await endsWithout('one-1')).toEqual(['process result-lost']);
  });
});

describe('judge of records', () => {
  /**
   * The process that has written the last status is answered; somebody else records an attempt, or
   * nobody; and it sends the same again.
   */
  async function sendsAgain(speaker: string | undefined): Promise<string[]> {
    const record = pipe(1);
    record.begins('two-1', PIPE);
    const first = record.calls('one-1', PIPE, { [THREADS]: 1 }, result(1));
    record.writes('one-1', PIPE, applied(record, 1, first));
    await record.until(100);
    record.calls('one-1', PIPE, { [THREADS]: 1 }, result(1));
    await record.until(105);
    if (speaker !== undefined) {
      const requestId = record.calls(speaker, PIPE, { [THREADS]: 1 }, result(1));
      record.writes(speaker, PIPE, applied(record, 1, requestId));
    }
    await record.until(130);
    record.calls('one-1', PIPE, { [THREADS]: 1 }, result(1));
    return record.rulesSoFar().filter((rule) => rule === 'call unrecorded');
  }

  it('asks for no status over which another process has spoken', async () => {
    expect(await sendsAgain('two-1')).toEqual([]);
  });

  it('asks for a status where nobody has spoken since', async () => {
    expect(await sendsAgain(undefined)).toEqual(['call unrecorded']);
  });
});

describe('judge of drift', () => {
  const OLD = 'api.example.com';

  /**
   * What the first API had shown changes there; another process asks the second one; then the first
   * process tells, which works with `host`.
   */
  async function toldOf(host: string): Promise<string[]> {
    const record = pipe(1);
    const { fleet } = record.life;
    vi.spyOn(fleet, 'apiHostOf').mockImplementation((process) =>
      process === 'one-1' ? host : record.life.apiHost,
    );
    for (const threads of [5, 7]) {
      const call = record.leaves('one-1', PIPE, { [THREADS]: 1 }, OLD);
      record.done(call);
      record.answered(call, { result: { [THREADS]: 1, engine_max_insert_threads: threads } });
      await record.until(threads);
    }
    record.life.moveToOtherApi();
    record.begins('two-1', PIPE);
    record.calls('two-1', PIPE, { [THREADS]: 1 }, result(1));
    const drift = [{ field: 'engine_max_insert_threads', from: 5, to: 7, time: record.time() }];
    record.writes('one-1', PIPE, { drift, conditions: [] });
    return record.rulesSoFar();
  }

  it('goes by the API that the writer works with', async () => {
    expect(await toldOf(OLD)).toEqual([]);
  });

  it('takes no reply of another API for what was reported', async () => {
    expect(await toldOf('other-api.example.com')).toEqual(['said drift']);
  });
});

describe('judge of messages', () => {
  const UNAVAILABLE = { operation: 'UpdatePipeSettings', outcome: 'Unavailable' } as const;

  it.each([
    ['lets a later call say that it found nobody, after a restore under way', true, true, []],
    ['has no later call where none found nobody', true, false, ['said unsent']],
    ['lets no word be lost where nothing was restored', false, true, ['said unsent']],
  ] as const)('%s', async (_, isRestored, isUnreached, rules) => {
    const record = pipe(1);
    await record.until(100);
    const call = record.leaves('one-1', PIPE, { [THREADS]: 1 });
    record.done(call, result(1));
    await record.until(105);
    if (isRestored) record.life.restored(undefined);
    await record.until(110);
    record.unanswered(call);
    await record.until(115);
    if (isUnreached) record.life.tell({ what: 'unreached', process: 'one-1', target: call.target });
    record.writes('one-1', PIPE, {
      ...ready('Unavailable', 1),
      lastRequest: { ...UNAVAILABLE, time: record.time() },
    });
    expect(record.rulesSoFar()).toEqual(rules);
  });

  /**
   * A process stands still with a call under way; another one is answered and says so at this time;
   * the first leads again, and finds nobody to connect to.
   */
  async function leadsAgain(spokenAt: number): Promise<string[]> {
    const record = pipe(1);
    record.begins('two-1', PIPE);
    const speaks = async (): Promise<void> => {
      await record.until(spokenAt);
      const requestId = record.calls('two-1', PIPE, { [THREADS]: 1 }, result(1));
      record.writes('two-1', PIPE, applied(record, 1, requestId));
      record.shows('one-1', PIPE);
    };
    if (spokenAt < 100) await speaks();
    await record.until(100);
    const call = record.leaves('one-1', PIPE, { [THREADS]: 1 });
    record.done(call, result(1));
    record.process('one-1', 'frozen');
    if (spokenAt > 100) await speaks();
    await record.until(140);
    record.process('one-1', 'goes-on');
    record.unanswered(call);
    record.process('two-1', 'died');
    await record.until(200);
    record.life.tell({ what: 'unreached', process: 'one-1', target: call.target });
    record.writes('one-1', PIPE, {
      ...ready('Unavailable', 1),
      lastRequest: { ...UNAVAILABLE, time: record.time() },
    });
    return record.rulesSoFar().filter((rule) => rule.startsWith('said'));
  }

  it('lets a later call find nobody where another process has spoken over the one before', async () => {
    expect(await leadsAgain(120)).toEqual([]);
    expect(await leadsAgain(90)).toEqual(['said unsent']);
  });
});

describe('judge of plans', () => {
  const change = { field: THREADS, to: 1 };

  function planned(status: string, plan: object, side?: string): string[] {
    const record = pipe(1);
    const condition = { reason: 'Planned', message: 'planned', observedGeneration: 1 };
    const sides = side === undefined ? [] : [{ ...condition, type: side, status: 'True' }];
    record.writes('one-1', PIPE, {
      observedGeneration: 1,
      conditions: [{ ...condition, type: 'Ready', status }, ...sides],
      plan: { time: record.time(), hash: 'sha256:', requests: [], ...plan },
    });
    return record.rulesSoFar().filter((rule) => rule === 'said planned');
  }

  it('lets none be Ready but an empty one that follows from a reply', () => {
    expect(planned('True', { basis: 'LastResponse', changes: [] })).toEqual([]);
    expect(planned('False', { basis: 'LastResponse', changes: [change] })).toEqual([]);
    expect(planned('True', { basis: 'LastResponse', changes: [change] })).toEqual(['said planned']);
    expect(planned('True', { basis: 'Unknown', changes: [] })).toEqual(['said planned']);
  });

  it('lets none be Reconciling or Stalled', () => {
    const plan = { basis: 'Unknown', changes: [change] };
    expect(planned('False', plan, 'Stalled')).toEqual(['said planned']);
  });
});
