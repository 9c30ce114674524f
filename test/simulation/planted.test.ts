import { describe, expect, it } from 'vitest';
import { livesOf, nameOf, rulesOf } from './hunt/lives.ts';
import { withPlanted } from './hunt/planted.ts';
import type { Plot } from './hunt/plot.ts';
import { PLANTED, type Planted } from './planted.ts';
import { PLANTED_FOR_JUDGES } from './planted-for-judges.ts';

const plotOf = ({ seed, isTenants }: Planted): Plot => ({
  seed,
  isTenants: isTenants === true,
});

/** That the judges see what is broken: minutes of lives, each in a copy of the product. */
describe('planted faults', () => {
  const ALL = [...PLANTED, ...PLANTED_FOR_JUDGES];

  it.concurrent.each(ALL)('$name breaks $rule in the life of seed $seed', async (planted) => {
    const plot = plotOf(planted);
    const faulty = await withPlanted(planted, (sources) => livesOf([plot], sources));
    expect(rulesOf(faulty.get(nameOf(plot)))).toContain(planted.rule);
  });

  it('break nothing that the product itself breaks', async () => {
    const lives = await livesOf(ALL.map(plotOf));
    for (const planted of ALL)
      expect(rulesOf(lives.get(nameOf(plotOf(planted)))), planted.name).not.toContain(planted.rule);
  });
});
