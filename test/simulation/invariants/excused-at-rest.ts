import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall } from '../record/facts.ts';
import type { Court } from './court.ts';

export const UNTOLD = 'a write that no status tells of, of a process that is gone';

/**
 * A restored status tells of what was confirmed before; what has overwritten it since stands
 * nowhere.
 */
export function isFromBefore(thing: Thing, court: Court): boolean {
  const isSo = court.confirmedAt(thing) <= (court.life.restores.at(-1) ?? Number.NEGATIVE_INFINITY);
  if (isSo) court.excuse('confirmed before a restore and overwritten since');
  return isSo;
}

/**
 * Whether the call that confirmed this object left when nobody could know of this write, and its
 * process has told nobody since: it is gone, or has stood still meanwhile, even if it has the
 * answer by now.
 */
export function cameUntold(write: ApiCall | undefined, thing: Thing, court: Court): boolean {
  if (!write || !court.wasUntold(write, thing)) return false;
  const isTold = court
    .candidates(write)
    .some(({ known }) => court.isTold(write, known.last.metadata.uid));
  const isSo = write.reply === undefined || !isTold;
  if (isSo) court.excuse(UNTOLD);
  return isSo;
}
