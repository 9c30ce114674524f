import type { Event } from '../../controller/kind.ts';
import type { Answer, NoCall } from '../shared/calls.ts';
import { type Decision, NOTHING_TO_DO } from './decide.ts';
import { type Listing, sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { relocatedEvents } from './events.ts';
import { isOurs } from './goal.ts';
import type { Refusal } from './refusal.ts';
import type { InventoryEntry, Organization, OrganizationStatus } from './resource.ts';

/** How an attempt ended. */
export type End =
  /** Nothing is left that could be asked or sent now; what is known says how it stands. */
  | { readonly type: 'done' }
  /** It is not wanted any more, or what has to be persisted is not known to be. */
  | { readonly type: 'stopped' }
  | {
      readonly type: 'failed';
      readonly answer: NoCall | Exclude<Answer, { type: 'success' }>;
      /** What the user can do beside what the class of the failure advises. */
      readonly hint?: string;
    };

/** What is known of the organization; it is gone with the attempt. */
export interface Known {
  /** The status as it would be written now, but for what the end of the attempt decides. */
  readonly draft: OrganizationStatus;
  /** Undefined: not observed, or the reply had no list. */
  readonly list: Listing | undefined;
  readonly name: string | undefined;
  /** Epoch ms at which the request left whose reply showed this; undefined: none has. */
  readonly observedAt: number | undefined;
  readonly requestId: string | undefined;
  readonly events: readonly Event[];
  /** Differences between two replies that the operator did not make. */
  readonly drift: number;
}

/** What an attempt leaves behind, for the status. */
export interface Attempted extends Known {
  readonly end: End;
  readonly decision: Decision;
  readonly nameRefusal?: Refusal | undefined;
  /** Refusals in a row have ended the attempt before all was tried. */
  readonly isCutShort?: boolean;
}

/** What an attempt begins with: what the status says, as far as it speaks of this API. */
export function begin({ status = {} }: Organization, apiHash: string): Known {
  const isElsewhere = status.verified !== undefined && status.verified.apiHash !== apiHash;
  const unobserved = { list: undefined, name: undefined, observedAt: undefined };
  return {
    ...unobserved,
    draft: isElsewhere ? relocated(status) : status,
    requestId: undefined,
    events: isElsewhere ? relocatedEvents(oursIn(status)) : [],
    drift: 0,
  };
}

/** `--api-url` has changed: what was ours there can be neither seen nor removed here. */
function relocated(status: OrganizationStatus): OrganizationStatus {
  const { verified, applied, organization, pendingChange, listLeftOutSince, ...rest } = status;
  const asFound = ({ id, cloudProvider, region }: InventoryEntry): InventoryEntry => {
    return { id, cloudProvider, region, origin: 'Found', state: 'Present' };
  };
  return { ...rest, privateEndpoints: rest.privateEndpoints?.filter(isOurs).map(asFound) };
}

/** There was no permit to begin with. */
export function notAttempted(known: Known, answer: NoCall): Attempted {
  const end: End = answer.type === 'not-wanted' ? { type: 'stopped' } : { type: 'failed', answer };
  return { ...known, end, decision: NOTHING_TO_DO };
}

/** What is this object's, or may be. */
export function oursIn({ privateEndpoints = [], pendingChange }: OrganizationStatus): Tuple[] {
  const ours = privateEndpoints.filter(isOurs);
  const known = new Set(ours.map(sameKey));
  const added = pendingChange?.add.filter((tuple) => !known.has(sameKey(tuple))) ?? [];
  return [...ours, ...added].map(tupleOf);
}
