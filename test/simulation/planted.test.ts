import { describe, expect, it } from 'vitest';
import { findPlanted } from './hunt/planted.ts';
import { PLANTED } from './planted.ts';

/** That the oracles see what is broken: each fault in a copy of the product. */
describe('planted faults', () => {
  it.each(PLANTED)('$name: $harm', async (planted) => {
    expect(await findPlanted(planted)).toBeDefined();
  });
});
