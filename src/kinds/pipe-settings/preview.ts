import type { CommonPlan } from '../engine/plan.ts';
import { plannedSummary } from '../status/planned.ts';
import { plannedChanges } from './changes.ts';
import { declaredOf, type SettingsRequest } from './remote.ts';
import type { PipeSettings, PipeSettingsSpec } from './resource.ts';
import type { Settings } from './settings.ts';

/** Shows to the letter what Apply would send. */
export function previewOf(
  { status }: PipeSettings,
  options: {
    readonly spec: PipeSettingsSpec;
    readonly request: SettingsRequest;
    /** What the API has last reported, where that is known. */
    readonly reported: Settings | undefined;
    /** Nobody is known to have changed the pipe since the last reply. */
    readonly isLast: boolean;
    readonly planOnly: boolean;
  },
): Extract<CommonPlan, { do: 'preview' }> {
  const { spec, request, reported, isLast, planOnly } = options;
  const { method, path, body, hash, keys } = request;
  const changes = plannedChanges(declaredOf(spec), reported);
  const isSettled = isLast && status?.lastRequest?.outcome !== 'Unknown';
  const basis = reported === undefined ? 'Unknown' : 'LastResponse';
  const summary = plannedSummary({
    changes: changes.length,
    isEmpty: reported !== undefined && changes.length === 0 && isSettled,
    notSent: `one PUT with ${keys.length} ${keys.length === 1 ? 'setting' : 'settings'}`,
    basis: comparedWith(basis, isSettled),
    planOnly,
  });
  return {
    do: 'preview',
    summary,
    plan: { basis, hash, requests: [{ method, path, body }], changes },
  };
}

function comparedWith(basis: 'Unknown' | 'LastResponse', isSettled: boolean): string {
  if (basis === 'Unknown') return 'the values at the API are not known yet';
  if (isSettled) return 'compared with the last response';
  return 'compared with the last response, after which the values may have changed';
}
