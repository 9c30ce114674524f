import { timestamp } from '../canonical.ts';
import { tupleKey, tupleOf } from './endpoints.ts';
import { type LedgerEntry, type Organization, parseSpec } from './resource.ts';
import { settledAt } from './step.ts';

/**
 * The ledger of an object that waits for another's organization: of the endpoints it lists, those that are the holder's, with
 * their origin. So a rename in Git keeps the ledger's meaning, also where the operator is down while the old object goes.
 */
export function inheritance(object: Organization, holder: Organization, apiTimeoutMs: number): readonly LedgerEntry[] {
  const parsed = parseSpec(object);
  const listed = new Set(parsed.ok ? parsed.spec.privateEndpoints?.map(tupleKey) : []);
  const { privateEndpoints = [], pendingChange } = holder.status ?? {};
  const held = privateEndpoints.filter(({ origin }) => origin !== 'Found');
  const known = new Set(privateEndpoints.map(tupleKey));
  const onItsWay = (pendingChange?.add ?? [])
    .filter((tuple) => !known.has(tupleKey(tuple)))
    .map((tuple): LedgerEntry => {
      const until = pendingChange ? timestamp(settledAt(pendingChange, apiTimeoutMs)) : undefined;
      return {
        ...tupleOf(tuple),
        origin: 'Added',
        state: 'Unconfirmed',
        ...(until !== undefined && { nextAttemptTime: until }),
      };
    });
  return [...held, ...onItsWay].filter((entry) => listed.has(tupleKey(entry)));
}
