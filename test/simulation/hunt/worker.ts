import { parentPort, workerData } from 'node:worker_threads';
import { loadProduct } from '../life/product.ts';
import { type Played, play } from './play.ts';

/** What comes back for a seed: the life, or why it could not be lived. */
export type Result = { readonly played: Played } | { readonly seed: number; readonly failed: string };

const { sources } = workerData as { readonly sources: string };
const product = await loadProduct(sources);
let seed = 0;

// A promise that nobody looks at ends the real process: it is a breach like any other, found by its seed.
process.on('unhandledRejection', (error) => {
  parentPort?.postMessage({ seed, failed: describe(error) } satisfies Result);
});

parentPort?.on('message', (next: number) => {
  seed = next;
  play(next, { product }).then(
    (played) => parentPort?.postMessage({ played } satisfies Result),
    (error: unknown) => parentPort?.postMessage({ seed: next, failed: describe(error) } satisfies Result),
  );
});

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
