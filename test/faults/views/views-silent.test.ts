import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { CHANGES, runSilence, type Silence } from './views-silent.ts';

const SILENCES: readonly Silence[] = [
  'every watch falls silent',
  'every watch falls silent half-way through a line',
  'every connection to the API server is frozen',
];
/** What is acted on so soon was not silent; but Secrets are asked for, and not watched. */
const leastMs = (change: string): number => (/key|Secret/.test(change) ? 0 : 1_000);
const BOUND_MS = 60_000;
const delaysOf = crowd(SILENCES, { atOnce: 3, run: runSilence });

describe.each(SILENCES)('R13: %s', (silence) => {
  test.each(CHANGES)('%s: acted on within 60 s', async (change) => {
    const delays = await delaysOf(silence);
    expect(delays.get(change)).toBeGreaterThan(leastMs(change));
    expect(delays.get(change)).toBeLessThan(BOUND_MS);
  });
});
