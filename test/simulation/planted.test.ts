import { describe, expect, it } from 'vitest';
import { livesOf, nameOf, rulesOf } from './hunt/lives.ts';
import { withPlanted } from './hunt/planted.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_FOR_JUDGES } from './planted-for-judges.ts';

/** That the judges see what is broken: minutes of lives, each in a copy of the product. */
describe('planted faults', () => {
  const ALL = [...PLANTED, ...PLANTED_FOR_JUDGES];

  it.concurrent.each(ALL)('$name breaks $rule in the life of seed $seed', async (planted) => {
    const { rule, seed } = planted;
    const faulty = await withPlanted(planted, (sources) => livesOf([{ seed }], sources));
    expect(rulesOf(faulty.get(nameOf({ seed })))).toContain(rule);
  });

  it('break nothing that the product itself breaks', async () => {
    const lives = await livesOf(ALL.map(({ seed }) => ({ seed })));
    for (const { name, rule, seed } of ALL)
      expect(rulesOf(lives.get(nameOf({ seed }))), name).not.toContain(rule);
  });
});
