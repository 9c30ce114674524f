import type { Judge } from '../oracles/court.ts';

export const judges: readonly Judge[] = [];
