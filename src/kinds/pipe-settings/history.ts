import { timestamp } from '../status/canonical.ts';
import { generationOf, withoutUndefined } from '../status/common-status.ts';
import { isSettling } from '../target/unsettled.ts';
import type { Confirmation } from './confirmed.ts';
import { LIMITS } from './limits.ts';
import { reportedBy } from './plan.ts';
import { declaredOf } from './remote.ts';
import type { PipeSettingsStatus } from './resource.ts';
import * as changes from './setting-changes.ts';

/** `status.history` holds this many confirmed changes. */
const HISTORY = 10;

/** What a reply shows to have been changed, and the history with that. */
export function changesOf(
  { object, plan, verdict, now }: Confirmation,
  { settings = {} }: PipeSettingsStatus,
): { readonly changed: changes.Change[]; readonly history: PipeSettingsStatus['history'] } {
  const previous = object.status;
  const changed = changes.confirmedChanges({
    declared: declaredOf(plan.spec),
    before: reportedBy(previous, plan),
    after: settings,
    sameRequest: previous?.applied?.requestHash === plan.request.hash || isSettling(previous),
  });
  if (changed.length === 0) return { changed, history: previous?.history };
  const { requestId } = verdict;
  const entry = withoutUndefined({
    time: timestamp(now),
    generation: generationOf(object),
    requestId,
    changes: changed.slice(0, LIMITS.historyChanges),
  });
  return { changed, history: changes.newest([...(previous?.history ?? []), entry], HISTORY) };
}

export function withDrift(
  before: PipeSettingsStatus['drift'],
  found: NonNullable<PipeSettingsStatus['drift']>,
): PipeSettingsStatus['drift'] {
  return found.length === 0 ? before : changes.newest([...(before ?? []), ...found], LIMITS.drift);
}
