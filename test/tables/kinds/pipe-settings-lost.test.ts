import { describe, expect, test } from 'vitest';
import { pipe, threads, type Values } from './pipe.ts';
import type { Reply } from './process.ts';
import { bad } from './replies.ts';
import { at, MINUTE, SECOND } from './stage.ts';

describe('a PUT without an answer', () => {
  /** It declared 9 threads, a minute after 8 had been applied; 10 are declared since. */
  async function lost(replies: readonly (Values | Reply)[], next: Values = threads(10)) {
    const one = pipe(threads(8), [threads(8), bad('lost'), ...replies]);
    await one.run();
    one.stage.edit(one.id, { settings: threads(9) });
    const seen = await one.run(MINUTE);
    expect(seen.status.unconfirmedWrite?.time).toBe(at(MINUTE));
    one.stage.edit(one.id, { settings: next });
    return one;
  }

  test('is sent again by back-off, and is over with the success of the same', async () => {
    const { run } = await lost([threads(9)], threads(9));
    const { ready, status } = await run(5 * SECOND);
    expect([ready, status.unconfirmedWrite]).toEqual(['True Applied', undefined]);
  });

  test('of an earlier spec is followed by one more PUT, 95 s after it, as it may land last', async () => {
    const { stage, run } = await lost([threads(10)]);
    const { ready, side, wait, message } = await run(5 * SECOND);
    expect([ready, side, wait]).toEqual(['False OutcomeUnknown', 'Reconciling', 90 * SECOND]);
    expect(message).toContain('the declared values are sent once more at status.nextAttemptTime');
    expect((await run(89 * SECOND)).result.did).toBe('nothing');
    const last = await run(SECOND);
    expect([last.ready, last.status.unconfirmedWrite]).toEqual(['True Applied', undefined]);
    expect(stage.log).toHaveLength(4);
  });

  test('is over by its time where that passes before the success', async () => {
    const { run } = await lost([threads(10)]);
    expect((await run(95 * SECOND)).ready).toBe('True Applied');
  });

  test('survives a refusal, and what it may have changed meanwhile is no drift', async () => {
    const { stage, id, run } = await lost([
      bad(400),
      { ...threads(11), engine_max_insert_threads: 5 },
    ]);
    expect((await run(SECOND)).status.unconfirmedWrite?.time).toBe(at(MINUTE));
    stage.edit(id, { settings: threads(11) });
    const { ready, status } = await run(SECOND);
    expect([ready, status.drift]).toEqual(['False OutcomeUnknown', undefined]);
  });

  test('of two specs stays open whichever of them is declared again', async () => {
    const { stage, id, run } = await lost([bad('lost'), threads(9)]);
    await run(5 * SECOND);
    stage.edit(id, { settings: threads(9) });
    expect([(await run(SECOND)).ready, (await run(94 * SECOND)).ready]).toEqual([
      'False OutcomeUnknown',
      'True Applied',
    ]);
  });

  test('is not taken for confirmed while suspended, though the spec is the confirmed one', async () => {
    const { stage, id, run } = await lost([], threads(8));
    stage.edit(id, { suspend: true });
    expect((await run()).ready).toBe('False Suspended');
  });
});
