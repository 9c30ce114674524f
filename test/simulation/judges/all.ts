import type { Judge } from '../oracles/court.ts';
import { applied } from './applied.ts';
import { keys } from './keys.ts';
import { lease } from './lease.ts';
import { left } from './left.ts';
import { observed } from './observed.ts';
import { others } from './others.ts';
import { pace } from './pace.ts';
import { persisted } from './persisted.ts';
import { prompt } from './prompt.ts';
import { rest } from './rest.ts';
import { wanted } from './wanted.ts';

/** They know the contract and the record of both servers, and nothing of the code. */
export const judges: readonly Judge[] = [
  observed,
  others,
  left,
  persisted,
  pace,
  keys,
  rest,
  prompt,
  applied,
  wanted,
  lease,
];
