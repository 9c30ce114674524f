import { parentPort, workerData } from 'node:worker_threads';
import { loadProduct } from '../life/product.ts';
import { type Played, play } from './play.ts';
import type { Plot } from './plot.ts';

/** What comes back for a plot: the life, or why it could not be lived. */
export type Result = { readonly played: Played } | { readonly plot: Plot; readonly failed: string };

const { sources } = workerData as { readonly sources: string };
const product = await loadProduct(sources);

parentPort?.on('message', (plot: Plot) => {
  play(plot, { product }).then(
    (played) => parentPort?.postMessage({ played } satisfies Result),
    (error: unknown) => parentPort?.postMessage({ plot, failed: describe(error) } satisfies Result),
  );
});

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
