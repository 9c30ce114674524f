import type { Clock } from '../clock.ts';
import type { Answer } from './answer.ts';
import { EXPOSITION_CONTENT_TYPE } from './exposition.ts';

const LASTS_MS = 1_000;

/**
 * The page for a scrape, made at most once a second: with thousands of objects it is megabytes, and
 * whoever asks for many and reads none must not fill the memory, nor keep the process making them.
 */
export function createMetricsPage(render: () => string, clock: Clock): () => Answer {
  let made: { readonly answer: Answer; readonly at: number } | undefined;
  return () => {
    const now = clock.monotonic();
    if (!made || now - made.at >= LASTS_MS) {
      const answer = { status: 200, body: Buffer.from(render()), type: EXPOSITION_CONTENT_TYPE };
      made = { answer, at: now };
    }
    return made.answer;
  };
}
