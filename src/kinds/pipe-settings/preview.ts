import { cutText } from '../../controller/conditions.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { plannedSummary } from '../shared/planned.ts';
import type { Preview } from '../shared/preview.ts';
import type { KindSummary } from '../shared/reasons.ts';
import { bounded, type Change, plannedChanges } from './changes.ts';
import { type Declared, reportedOf } from './echo.ts';
import { declaredOf, type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';
import { LIMITS } from './settings.ts';

interface PlanFacts {
  readonly spec: PipeSettingsSpec;
  readonly request: SettingsRequest;
  /** Nobody is known to have changed the pipe since the last reply. */
  readonly isLast: boolean;
  readonly planOnly: boolean;
  readonly apiHash: string;
}

/** Shows to the letter what Apply would send; `plan`: `status.plan` without its time. */
export function plan(
  object: PipeSettings,
  { spec, request, isLast, planOnly, apiHash }: PlanFacts,
): { readonly summary: KindSummary; readonly plan: object } {
  const { method, path, body, hash } = request;
  const reported = reportedBy(object, spec, apiHash);
  const changes = plannedChanges(declaredOf(spec), reported);
  const isSettled = isLast && object.status?.unconfirmedWrite === undefined;
  const basis = reported === undefined ? 'Unknown' : 'LastResponse';
  const summary = plannedSummary({
    changes: changes.length,
    isEmpty: reported !== undefined && changes.length === 0 && isSettled,
    notSent: putOf(request),
    basis: comparedWith(basis, isSettled),
    planOnly,
  });
  const requests = [{ method, path, body: cutText(body, LIMITS.body) }];
  return { summary, plan: { basis, hash, requests, changes: bounded(changes, LIMITS.value) } };
}

/** For the plugin: as if the object were alone. The spec is valid. */
export function preview(object: KubeObject): Preview {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(`a spec that is not valid is previewed: ${parsed.message}`);
  const { spec } = parsed;
  const request = settingsRequest('', spec);
  const { method, path, body } = request;
  // The API that the status speaks of is taken to be the one that is called.
  const reported = reportedBy(object as PipeSettings, spec);
  const changes: readonly Change[] = plannedChanges(declaredOf(spec), reported);
  const basis = reported === undefined ? 'Unknown' : 'LastResponse';
  const says = putOf(request).replace('one', 'One');
  return { does: 'send', says, requests: [{ method, path, body }], changes, basis };
}

/**
 * The values of the last reply, where it came from the API that is called now: what another one
 * holds says nothing here.
 */
export function reportedBy(
  { status }: PipeSettings,
  spec: PipeSettingsSpec,
  apiHash = status?.verified?.apiHash,
): Declared | undefined {
  const isOfApi = status?.verified !== undefined && status.verified.apiHash === apiHash;
  return isOfApi && status.settings ? reportedOf(declaredOf(spec), status) : undefined;
}

function putOf({ keys }: SettingsRequest): string {
  return `one PUT with ${keys.length} ${keys.length === 1 ? 'setting' : 'settings'}`;
}

function comparedWith(basis: 'Unknown' | 'LastResponse', isSettled: boolean): string {
  if (basis === 'Unknown') return 'the values at the API are not known yet';
  if (isSettled) return 'compared with the last response';
  return 'compared with the last response, after which the values may have changed';
}
