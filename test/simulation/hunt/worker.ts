import { loadProduct } from '../life/product.ts';
import { type Played, play } from './play.ts';
import type { Plot } from './plot.ts';

/** What comes back for a plot: the life, or why it could not be lived. */
export type Result = { readonly played: Played } | { readonly plot: Plot; readonly failed: string };

const [, , sources = ''] = process.argv;
const product = await loadProduct(sources);

process.on('message', (plot: Plot) => {
  play(plot, { product }).then(
    (played) => process.send?.({ played } satisfies Result),
    (error: unknown) => process.send?.({ plot, failed: describe(error) } satisfies Result),
  );
});

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
