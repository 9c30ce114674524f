import type { Tuple } from '../../src/kinds/organization/endpoints.ts';

/** An endpoint that is like every other but for its id. */
export const e = (id: string, more: Partial<Tuple> = {}): Tuple => ({
  id,
  cloudProvider: 'gcp',
  region: 'r1',
  ...more,
});
