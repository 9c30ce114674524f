import type { Event, Result } from '../../controller/kind.ts';
import type { NoCall } from '../shared/calls.ts';
import { timestamp } from '../shared/canonical.ts';
import type { Wanted } from '../shared/declared.ts';
import { attempt } from './attempt.ts';
import { tupleOf } from './endpoints.ts';
import { eventsOf } from './events.ts';
import { oursIn } from './goal.ts';
import { Ways } from './refusal.ts';
import { addressOf } from './remote.ts';
import { report } from './report.ts';
import type { InventoryEntry, OrganizationSpec, OrganizationStatus } from './resource.ts';
import { Known, type Setup, type Wish } from './work.ts';

/** Makes the attempt for which there is a permit, or reports why there is none. */
export async function tryOnce(
  { kind, apiHash, settleMs, ways: all }: Setup,
  wish: Wish,
  { priority }: Wanted<OrganizationSpec>['due'],
  none?: NoCall,
): Promise<{ readonly result: Result; readonly draft: OrganizationStatus }> {
  const { began, context, spec, goal } = wish;
  const { uid } = began.metadata;
  const ways = all.get(uid) ?? new Ways();
  all.set(uid, ways);
  const { segments, hash } = addressOf(kind.api.baseUrl, spec.organizationId, goal);
  const work = { ...wish, segments, hash, apiHash, settleMs, ways };
  const { draft, events } = ofThisApi(began.status ?? {}, apiHash);
  const known = new Known(priority === 'user' ? dueNow(draft, context.now()) : draft, events);
  const end = await attempt(work, known, none);
  return { result: report(known, end, { ...work, now: context.now() }), draft: known.draft };
}

/**
 * The status, as far as it speaks of this API: with another `--api-url`, what was ours there can be
 * neither seen nor removed here.
 */
export function ofThisApi(
  status: OrganizationStatus,
  apiHash: string,
): { readonly draft: OrganizationStatus; readonly events?: readonly Event[] } {
  if (!status.verified || status.verified.apiHash === apiHash) return { draft: status };
  const asFound = (entry: InventoryEntry) =>
    ({ ...tupleOf(entry), origin: 'Found', state: 'Present' }) as const;
  const privateEndpoints = status.privateEndpoints?.filter(({ origin }) => origin).map(asFound);
  const gone = { verified: undefined, applied: undefined, organization: undefined };
  const unsettled = { pendingChange: undefined, listLeftOutSince: undefined };
  const draft = { ...status, ...gone, ...unsettled, privateEndpoints };
  return { draft, events: eventsOf('relocated', oursIn(status)) };
}

/** A person wants it now: what was sent in vain does not wait for its own time. */
function dueNow(status: OrganizationStatus, now: number): OrganizationStatus {
  const nextAttemptTime = timestamp(now);
  const privateEndpoints = status.privateEndpoints?.map((entry) =>
    entry.attempts === undefined ? entry : { ...entry, nextAttemptTime },
  );
  return { ...status, privateEndpoints };
}
