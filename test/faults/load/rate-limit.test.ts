import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { RATE_HEADERS, type RateHeader } from '../../simulator/types.ts';
import { type Backlog, nameIn, openBacklog } from './rate-limit-backlog.ts';
import {
  isRefused,
  keepsToTheLimit,
  type Limit,
  pausesAfterRefusals,
  repeatsNothing,
  servesEditFirst,
  starvesNobody,
} from './rate-limit-laws.ts';

const STYLES: readonly RateHeader[] = ['retry-after', 'retry-after-date', 'reset-epoch', 'none'];
const TIME_OUT = { timeout: 420_000 };

/** In each line the first, who was served by then, and one far back, who was not. */
async function editSome({ queues, edit }: Backlog, farBack: number) {
  const names = queues.flatMap((queue) =>
    [0, farBack].map((index) => ({ queue, name: queue.names[index] ?? '' })),
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

function expectLaws(
  { queues }: Backlog,
  limit: Limit,
  edits: Awaited<ReturnType<typeof editSome>>,
): void {
  const edited = edits.map(({ name }) => name);
  for (const queue of queues) {
    keepsToTheLimit(queue, limit);
    starvesNobody(queue, edited);
  }
  for (const { queue, name, at } of edits) servesEditFirst(queue, name, at);
}

describe.concurrent('Rate limit: many objects on four keys', () => {
  test(
    'an operator told the limit meets no 429, and sends each object once',
    TIME_OUT,
    async ({ onTestFinished }) => {
      const limit = { calls: 10, perMs: 1_000 };
      const backlog = await openBacklog({
        styles: STYLES,
        perKey: 125,
        limit,
        told: '10/1s',
        atEnd: onTestFinished,
      });
      await backlog.release();
      await untilCalls(backlog, 40);
      const edits = await editSome(backlog, 100);
      await backlog.served(120_000);
      for (const queue of backlog.queues) {
        expect(queue.calls().filter(isRefused), queue.style).toEqual([]);
        repeatsNothing(queue);
      }
      expectLaws(backlog, limit, edits);
    },
  );

  // Told nothing it sends as fast as it can: ten calls get through, up to four are refused, and
  // then it rests for its own back-off of 10 s, which no header of a limit of six seconds exceeds.
  // A slow machine, too, sends more than ten calls in six seconds.
  test(
    'one told nothing rests after each 429, however the API words it, and serves all in the end',
    TIME_OUT,
    async ({ onTestFinished }) => {
      const limit = { calls: 10, perMs: 6_000 };
      const backlog = await openBacklog({
        styles: STYLES,
        perKey: 40,
        limit,
        told: '0',
        atEnd: onTestFinished,
      });
      await backlog.release();
      await untilCalls(backlog, 10);
      const edits = await editSome(backlog, 35);
      await backlog.served(120_000);
      for (const queue of backlog.queues) {
        expect(queue.calls().filter(isRefused).length, queue.style).toBeGreaterThan(0);
        pausesAfterRefusals(queue);
      }
      expectLaws(backlog, limit, edits);
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
