import {
  Listing,
  type Reported,
  type Tuple,
} from '../../src/kinds/organization/endpoints/endpoints.ts';
import { type Goal, goalOf } from '../../src/kinds/organization/goal.ts';
import {
  type Evidence,
  type Refused,
  type Sent,
  type Settlement,
  settle,
} from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry, OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { T0 } from './objects.ts';

/** RFC 3339, this many ms after T0. */
export const at = (ms: number): string => `${new Date(T0 + ms).toISOString().slice(0, 19)}Z`;

/** An endpoint that is like every other but for its id. */
export const e = (id: string, more: Partial<Tuple> = {}): Tuple => ({
  id,
  cloudProvider: 'gcp',
  region: 'r1',
  ...more,
});

/** One of this object's that is there. */
export const entry = (id: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...e(id),
  origin: 'Added',
  state: 'Present',
  ...more,
});

export const refusedEntry = (id: string, nextAttemptTime?: string): LedgerEntry => ({
  ...e(id),
  state: 'Refused',
  lastError: { httpStatus: 400, message: 'no' },
  ...(nextAttemptTime !== undefined && { nextAttemptTime }),
});

/** Ids stand for endpoints that are like every other. */
export const listing = (...entries: readonly (string | Reported)[]): Listing =>
  new Listing(entries.map((one) => (typeof one === 'string' ? e(one) : one)));

export const specOf = (
  ids: readonly string[] | undefined,
  more: Partial<OrganizationSpec> = {},
): OrganizationSpec => ({
  organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  credentialsSecretRef: { name: 'api' },
  ...(ids && { privateEndpoints: ids.map((id) => e(id)) }),
  ...more,
});

export const goal = (
  ids: readonly string[] | undefined,
  more: Partial<OrganizationSpec> = {},
): Goal => goalOf(specOf(ids, more));

/** `a Added Present`, and where it is another than usual its place. */
export function shortly({ id, cloudProvider, region, origin, state }: LedgerEntry): string {
  const place = cloudProvider === 'gcp' && region === 'r1' ? '' : `${cloudProvider}/${region} `;
  return `${id} ${place}${origin ?? '–'} ${state}`;
}

/** An intent of T0 for these. */
export function sent(
  how: Sent['how'],
  { add, remove }: Partial<Record<'add' | 'remove', string>>,
  more: Partial<Refused> & { readonly before?: Listing } = {},
): Sent {
  const listOf = (id: string | undefined): Tuple[] => (id === undefined ? [] : [e(id)]);
  const pending = { time: at(0), add: listOf(add), remove: listOf(remove) };
  if (how !== 'refused') return { pending, ...more, how };
  return { pending, blamed: [], failure: {}, ...more, how };
}

/** `settled`: nothing of what was sent last can be at work any more. */
export type Given = Partial<Evidence> & { readonly settled?: boolean };

/**
 * `now` is so long after T0; the settling of what is open lies 90 s after that unless it is over.
 */
export function settled(evidence: Given): Settlement {
  const { now = 0, settled: isSettled = false, ...more } = evidence;
  const settlesAt = T0 + now + (isSettled ? 0 : 90_000);
  const all = {
    ledger: [],
    list: listing(),
    goal: goal(['a']),
    settlesAt,
    entrySettlesAt: () => settlesAt,
    missedAt: () => undefined,
    atWorkMs: 95_000,
    ...more,
  };
  return settle({ ...all, now: T0 + now });
}
