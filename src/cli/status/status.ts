import type { Context, Outcome } from '../command.ts';
import { getObjects, type ScopeFlags } from '../objects.ts';
import { stateOf } from '../state.ts';
import { rows } from './rows.ts';
import { story } from './story.ts';

interface StatusFlags extends ScopeFlags {
  readonly check?: boolean;
}

/** The table of all objects, or the story of one. */
export async function runStatus(
  { kubectl, now, columns }: Context,
  names: readonly string[],
  flags: StatusFlags,
): Promise<Outcome> {
  const found = await getObjects(kubectl, names, flags);
  const states = found.map(({ object }) => stateOf(object));
  const isWrong = states.some(({ ready, state }) => !ready || state === 'Stalled');
  const code = flags.check === true && isWrong ? 2 : 0;
  if (names.length === 0) return { lines: rows(found, { now: now(), columns, ...flags }), code };
  return { lines: found.flatMap((one) => story(one, now())), code };
}
