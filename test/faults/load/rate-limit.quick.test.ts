import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { openBacklog } from './rate-limit-backlog.ts';
import {
  isRefused,
  keepsToTheLimit,
  LIMIT,
  repeatsNothing,
  servesEditFirst,
  starvesNobody,
} from './rate-limit-laws.ts';

describe('Rate limit: 50 objects on a key that may make 10 calls a second', () => {
  test('an operator told so meets no 429, sends each once, and an edit first', {
    timeout: 300_000,
  }, async ({ onTestFinished }) => {
    const backlog = await openBacklog({
      styles: ['retry-after'],
      perKey: 50,
      limit: LIMIT,
      told: '10/1s',
      atEnd: onTestFinished,
    });
    const [queue] = backlog.queues;
    if (!queue) throw new Error('there is no queue');
    await backlog.release();
    await waitFor(() => queue.calls().length >= 5, { what: 'the first calls' });
    const last = queue.names.at(-1) ?? '';
    const editedAt = await backlog.edit(last);
    await backlog.served(60_000);
    expect(queue.calls().filter(isRefused)).toEqual([]);
    keepsToTheLimit(queue);
    starvesNobody(queue, [last]);
    servesEditFirst(queue, last, editedAt);
    repeatsNothing(queue);
  });
});
