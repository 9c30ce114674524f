import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { RATE_HEADERS, type RateHeader } from '../../simulator/types.ts';
import { type Backlog, nameIn, openBacklog } from './rate-limit-backlog.ts';
import {
  isRefused,
  keepsToTheLimit,
  LIMIT,
  pausesAfterRefusals,
  repeatsNothing,
  servesEditFirst,
  starvesNobody,
} from './rate-limit-laws.ts';

const STYLES: readonly RateHeader[] = ['retry-after', 'retry-after-date', 'reset-epoch', 'none'];
const PER_KEY = 125;
const TIME_OUT = { timeout: 420_000 };

/** In each line somebody near its end changes an object that was served and one that was not. */
async function editSome({ queues, edit }: Backlog) {
  const names = queues.flatMap((queue) =>
    [0, 100].map((index) => ({ queue, name: queue.names[index] ?? '' })),
  );
  return Promise.all(names.map(async ({ queue, name }) => ({ queue, name, at: await edit(name) })));
}

async function untilCalls({ queues }: Backlog, count: number): Promise<void> {
  await waitFor(
    () => Math.min(...queues.map(({ calls }) => calls().filter((call) => !isRefused(call)).length)),
    {
      what: `${count} calls with each key that the API takes`,
      until: (least) => least >= count,
      timeoutMs: 120_000,
    },
  );
}

function expectLaws({ queues }: Backlog, edits: Awaited<ReturnType<typeof editSome>>): void {
  const edited = edits.map(({ name }) => name);
  for (const queue of queues) {
    keepsToTheLimit(queue);
    starvesNobody(queue, edited);
  }
  for (const { queue, name, at } of edits) servesEditFirst(queue, name, at);
}

describe.concurrent('Rate limit: 500 objects on four keys that may make 10 calls a second', () => {
  test(
    'an operator told the limit meets no 429, and sends each object once',
    TIME_OUT,
    async ({ onTestFinished }) => {
      const backlog = await openBacklog({
        styles: STYLES,
        perKey: PER_KEY,
        limit: LIMIT,
        told: '10/1s',
        atEnd: onTestFinished,
      });
      await backlog.release();
      await untilCalls(backlog, 40);
      const edits = await editSome(backlog);
      await backlog.served(120_000);
      for (const queue of backlog.queues) {
        expect(queue.calls().filter(isRefused), queue.style).toEqual([]);
        repeatsNothing(queue);
      }
      expectLaws(backlog, edits);
    },
  );

  // Told nothing it sends as fast as it can: ten calls get through, up to four are refused, and
  // then it rests for its own back-off of 10 s, which no header of a limit of one second exceeds.
  // All 500 would take two minutes; so it is told in the end.
  test(
    'one told nothing rests after each 429, however the API words it, and goes on when told',
    TIME_OUT,
    async ({ onTestFinished }) => {
      const backlog = await openBacklog({
        styles: STYLES,
        perKey: PER_KEY,
        limit: LIMIT,
        told: '0',
        atEnd: onTestFinished,
      });
      await backlog.release();
      await untilCalls(backlog, 20);
      const edits = await editSome(backlog);
      await untilCalls(backlog, 40);
      const toldAt = Date.now();
      await backlog.operator.stop();
      await backlog.stage.start({ flags: ['--api-rate', '10/1s'] });
      await backlog.served(120_000);
      for (const queue of backlog.queues) {
        expect(queue.calls().filter(isRefused).length, queue.style).toBeGreaterThan(0);
        pausesAfterRefusals(queue, toldAt);
      }
      expectLaws(backlog, edits);
    },
  );
});

describe.concurrent('Rate limit: a 429 that asks for more than the own back-off', () => {
  test('is heeded to the moment, in whatever style', TIME_OUT, async ({ onTestFinished }) => {
    const styles = RATE_HEADERS.filter((style) => style !== 'none');
    const limit = { calls: 2, perMs: 15_000 };
    const backlog = await openBacklog({
      styles,
      perKey: 4,
      limit,
      told: '0',
      atEnd: onTestFinished,
    });
    await backlog.release();
    await backlog.served(120_000);
    for (const { style, names, calls } of backlog.queues) {
      const [first] = calls();
      const opensAt = (first?.receivedAt ?? 0) + limit.perMs;
      // Of the two who come back the second may find that it opens to one only, so far.
      const refused = calls().filter((call) => isRefused(call) && call.receivedAt < opensAt);
      const served = calls().filter((call) => !isRefused(call));
      expect(refused.length, `${style}: refused only what was under way`).toBeLessThanOrEqual(2);
      expect(refused.length, `${style}: refused at all`).toBeGreaterThan(0);
      expect(served.map(nameIn).toSorted(), style).toEqual(names);
      // The first to come back finds the window open, and does not leave it open for long.
      const waited = (served[2]?.receivedAt ?? 0) - (first?.receivedAt ?? 0);
      expect(waited, style).toBeGreaterThanOrEqual(limit.perMs);
      expect(waited, style).toBeLessThan(limit.perMs + 12_000);
    }
  });
});
