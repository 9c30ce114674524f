import { loadProduct } from '../life/product.ts';
import { type Played, Stage } from './play.ts';
import type { Plot } from './plot.ts';

/** What comes back for a plot: the life, or why it could not be lived. */
export type Result = { readonly played: Played } | { readonly plot: Plot; readonly failed: string };

const [, , sources = ''] = process.argv;
const stage = new Stage(await loadProduct(sources));

process.on('message', (plot: Plot) => {
  stage.play(plot).then(
    (played) => process.send?.({ played } satisfies Result),
    (error: unknown) => process.send?.({ plot, failed: String(error) } satisfies Result),
  );
});
