import { describe, expect, it } from 'vitest';
import { PIPE, pipe, ready, THREADS, unknown } from '../simulation/by-hand/objects.ts';
import { OBJECT, ORGANIZATION } from '../simulation/scope/moves.ts';

const RENAMED = `pipesettings/${OBJECT.namespace}/p2`;
const SETTINGS = { [THREADS]: 1 };

/**
 * Two objects for one pipe in one namespace, and so with one key: whose a call is, only the process
 * knows.
 */
function twoForOnePipe() {
  const record = pipe(1);
  record.creates('pipesettings', OBJECT.namespace, 'p2', {
    organizationId: ORGANIZATION,
    serviceId: 'service',
    pipeId: 'pipe-1',
    credentialsSecretRef: { name: 'api' },
    settings: SETTINGS,
  });
  record.shows('one-1', RENAMED);
  return record;
}

describe('judges of two objects with one key', () => {
  /**
   * A call is lost, its object has been renamed meanwhile, and the other one finds nobody to
   * connect to; or it has made the call itself.
   */
  async function saysUnsent({
    isRenamed,
    isUnreached,
  }: {
    readonly isRenamed: boolean;
    readonly isUnreached: boolean;
  }) {
    const record = isRenamed ? twoForOnePipe() : pipe(1);
    await record.until(10);
    const lost = record.leaves('one-1', PIPE, SETTINGS);
    record.done(lost, { result: SETTINGS });
    await record.until(11);
    if (isRenamed) {
      record.deletes(PIPE);
      record.shows('one-1', PIPE);
    }
    await record.until(45);
    record.unanswered(lost);
    await record.until(150);
    if (isUnreached) record.life.tell({ what: 'unreached', process: 'one-1', target: lost.target });
    const lastRequest = {
      operation: 'UpdatePipeSettings',
      outcome: 'Unavailable',
      time: record.time(),
    };
    record.writes('one-1', isRenamed ? RENAMED : PIPE, { ...ready('Unavailable', 1), lastRequest });
    return record.rulesSoFar();
  }

  it('lets the one say that nothing was sent of its own call, after another one was lost that may have been the other one’s', async () => {
    expect(await saysUnsent({ isRenamed: true, isUnreached: true })).toEqual([]);
    expect(await saysUnsent({ isRenamed: true, isUnreached: false })).toEqual(['said unsent']);
    expect(await saysUnsent({ isRenamed: false, isUnreached: true })).toEqual(['said unsent']);
  });

  /**
   * A call is lost, of the one object or of this very one; the object waits with a time on record
   * that passes.
   */
  async function waits(isOthers: boolean, until: number): Promise<string[]> {
    const record = isOthers ? twoForOnePipe() : pipe(1);
    await record.until(10);
    const lost = record.leaves('one-1', PIPE, SETTINGS);
    await record.until(45);
    record.unanswered(lost);
    record.writes('one-1', PIPE, unknown(record, 1));
    await record.until(46);
    const nextAttemptTime = record.time(30);
    record.writes('one-1', isOthers ? RENAMED : PIPE, {
      ...ready('Unavailable', 1),
      nextAttemptTime,
    });
    await record.until(until);
    return record.rulesSoFar();
  }

  it('lets the one wait for what may have been sent for the other one, as long as that may be at work', async () => {
    expect(await waits(true, 110)).toEqual([]);
    expect(await waits(true, 200)).toEqual(['promise Unavailable']);
    expect(await waits(false, 110)).toEqual(['promise Unavailable']);
  });
});
