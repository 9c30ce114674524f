import type { Context, Outcome } from './program.ts';
export function runExport(_context: Context, _names: readonly string[], _flags: object): Outcome {
  return { lines: [], code: 0 };
}
