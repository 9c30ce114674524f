import type { Thing } from '../kubernetes/objects.ts';
import type { Life } from '../life/life.ts';
import type { ApiCall } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';

const MINUTE = 60_000;

/** What is asked of a life. */
export interface Clocks extends Pick<Life, 'wall' | 'objects'> {
  readonly world: { readonly flags: { readonly timeoutSeconds: number } };
  readonly fleet: {
    isSeenBy(process: string, namespace: string): boolean;
    readonly processes: readonly { readonly host: { now(): number } }[];
  };
}

/**
 * Whether the time that a status gives this call does not tell that it came after an object was
 * confirmed: one in the future counts as long past, and to a process that sees both only later, a
 * clock that was behind puts it before. A younger object tells it all the same: nothing was sent
 * for it before it was there. So does one of the object's own that lies in the future, but not once
 * a clock that has jumped has come so far.
 */
export function isMisdated(
  { reply, process }: ApiCall,
  {
    thing,
    confirmedAt,
    life,
  }: { readonly thing: Thing; readonly confirmedAt: number; readonly life: Clocks },
): boolean {
  if (reply?.requestId === undefined) return false;
  const { wall, world, fleet } = life;
  const onRecord = Date.parse(statusOf(thing).applied?.time ?? '') - wall;
  // What lies closer may have been carried out in either order.
  const longBefore = Math.min(confirmedAt, onRecord) - world.flags.timeoutSeconds * 1_000 - MINUTE;
  const sawBoth = fleet.isSeenBy(process, thing.metadata.namespace);
  const isOwnAhead =
    onRecord > confirmedAt + MINUTE &&
    fleet.processes.some(({ host }) => host.now() - wall >= onRecord);
  return life.objects().some(({ thing: other }) => {
    const { applied, lastRequest } = statusOf(other);
    const record = [applied, lastRequest].find((one) => one?.requestId === reply.requestId);
    const at = Date.parse(record?.time ?? '') - wall;
    const createdAt = Date.parse(other.metadata.creationTimestamp) - wall;
    const isHidden = isOwnAhead && Math.max(at, createdAt) <= onRecord;
    if (!sawBoth && isHidden) return true;
    return createdAt <= confirmedAt && (at > reply.at + MINUTE || (at < longBefore && !sawBoth));
  });
}
