import type { Context, ExitCode, ScopeFlags } from '../command.ts';
import { UserError } from '../user-error.ts';

export interface PlanFlags extends ScopeFlags {
  readonly filename: readonly string[];
}

export async function plan(
  _context: Context,
  _words: readonly string[],
  _flags: PlanFlags,
): Promise<ExitCode> {
  throw new UserError('not there yet');
}
