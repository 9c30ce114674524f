import { sameKey, type Tuple, tupleOf } from '../../kinds/organization/endpoints/endpoints.ts';
import { isOurs } from '../../kinds/organization/goal.ts';
import type { LedgerEntry } from '../../kinds/organization/resource.ts';
import { ENDPOINT_STATES, ORIGINS } from '../../kinds/organization/status.ts';
import type { AnyStatus } from '../standing.ts';

/** One endpoint that an Organization owns or lists. */
export interface EndpointFacts extends Tuple {
  readonly listed: boolean;
  readonly ours: boolean;
  readonly origin: LedgerEntry['origin'];
  readonly why: string;
  /** Absent: nothing is on record of it. */
  readonly state: LedgerEntry['state'] | undefined;
  readonly means: string;
  readonly lastError: LedgerEntry['lastError'];
  readonly nextAttemptTime: string | undefined;
}

/** Those on record, then those that are listed and not on record. */
export function endpointsOf(
  listed: readonly Tuple[] = [],
  { privateEndpoints: ledger = [] }: AnyStatus,
): EndpointFacts[] {
  const isListed = new Set(listed.map(sameKey));
  const isOnRecord = new Set(ledger.map(sameKey));
  return [
    ...ledger.map((entry) => onRecord(entry, isListed.has(sameKey(entry)))),
    ...listed.filter((tuple) => !isOnRecord.has(sameKey(tuple))).map(notOnRecord),
  ];
}

function onRecord(entry: LedgerEntry, listed: boolean): EndpointFacts {
  const { origin, state, lastError, nextAttemptTime } = entry;
  return {
    ...tupleOf(entry),
    listed,
    ours: isOurs(entry),
    origin,
    why: origin === undefined ? 'the API does not have it' : ORIGINS[origin],
    state,
    means: ENDPOINT_STATES[state],
    lastError,
    nextAttemptTime,
  };
}

function notOnRecord(tuple: Tuple): EndpointFacts {
  return {
    ...tupleOf(tuple),
    listed: true,
    ours: false,
    origin: undefined,
    why: 'not added yet',
    state: undefined,
    means: 'listed in spec, and not seen yet',
    lastError: undefined,
    nextAttemptTime: undefined,
  };
}
