import { Draw } from '../engine/draw.ts';
import type { Life } from '../life/life.ts';
import type { Product } from '../life/product.ts';
import type { World } from '../life/world.ts';
import { compareEnds } from '../oracles/differential.ts';
import { type Lived, live } from '../oracles/live.ts';
import { drawWorld } from './draw-world.ts';
import { DrawnScript } from './script.ts';

/** What a life has from the beginning, and could do without. */
export function givenIn(seed: number): string[] {
  const { objects, organizations, pipes } = worldOf(seed);
  const manners = [...organizations, ...pipes].flatMap((one) => one.manners);
  return [
    ...objects.map(({ name }) => `object ${name}`),
    ...new Set(manners.map(({ name }) => `manner ${name}`)),
  ];
}

function worldOf(seed: number): World {
  return drawWorld(new Draw(`life ${seed}`));
}

/** Lives the life of a seed, and where the oracle can tell, the same life without mishaps. */
export async function liveSeed(
  seed: number,
  product: Product,
  without: ReadonlySet<string>,
  listen: (life: Life) => void,
): Promise<Lived> {
  const world = worldOf(seed);
  const script = new DrawnScript(world, { isPlain: false });
  const lived = await live({ world, script, product, without }, listen);
  if (!script.isApart) return lived;
  const plain = await live(
    { world, script: new DrawnScript(world, { isPlain: true }), product, without },
    () => {},
  );
  compareEnds(lived.court, plain.outcome, lived.outcome);
  return lived;
}
