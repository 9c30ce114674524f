import { encodePath } from '../../api/http/path.ts';
import * as activity from '../../kinds/activity/resource.ts';
import { Notebook } from '../../kinds/organization/attempt/notebook.ts';
import { goalOf } from '../../kinds/organization/goal.ts';
import { outlookOf } from '../../kinds/organization/preview.ts';
import * as organization from '../../kinds/organization/resource.ts';
import { reportedBy } from '../../kinds/pipe-settings/plan.ts';
import { previewOf } from '../../kinds/pipe-settings/preview.ts';
import { settingsRequest } from '../../kinds/pipe-settings/remote.ts';
import * as pipeSettings from '../../kinds/pipe-settings/resource.ts';
import {
  type CommonStatus,
  generationOf,
  isReady,
  readyOf,
} from '../../kinds/shared/common-status.ts';
import { claimOf } from '../../kinds/target/standing.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { AT_WORK_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { counted, type FieldChange } from '../words.ts';

/** What the operator does about one object, as far as the object itself tells. */
export interface Preview {
  /** `withheld`: the object forbids to send. `blocked`: only a request that reads is sent. */
  readonly does: 'send' | 'blocked' | 'withheld' | 'nothing';
  /** A sentence without its stop. */
  readonly says: string;
  /** Those that are sent; where they are withheld, those that would be. */
  readonly requests: readonly { method: string; path: string; body?: string | undefined }[];
  readonly changes: readonly FieldChange[];
  /** Unknown: no reply has shown the values that are there. */
  readonly basis: 'LastResponse' | 'Unknown';
}

const NOTHING = { does: 'nothing', requests: [], changes: [], basis: 'Unknown' } as const;

/**
 * By the functions that fill `status.plan`. Other objects, pauses and waits are not looked at. The
 * spec is valid.
 */
export function preview(object: KubeObject, now: number): Preview {
  if (object.metadata.deletionTimestamp)
    return { ...NOTHING, says: 'It is being deleted, so that its new spec has no effect' };
  const whole = previewOfKind(object, now);
  if (whole.does === 'nothing') return whole;
  const { suspend, mode } = object.spec as { readonly suspend?: boolean; readonly mode?: string };
  const holds = suspend
    ? 'spec.suspend is true'
    : mode === 'Plan'
      ? 'spec.mode is Plan'
      : undefined;
  const why = holds ?? (isRival(object) ? 'another object holds its target' : undefined);
  if (why) {
    const says = `Nothing is sent, because ${why}; else: ${whole.says}`;
    return { ...whole, does: 'withheld', says };
  }
  const { applied } = (object.status ?? {}) as { readonly applied?: { generation: number } };
  // Each change of a spec makes a new generation, so that this one's request was the same.
  return applied?.generation === generationOf(object) && isReady(object)
    ? { ...NOTHING, says: 'The declared state is the one last confirmed, so nothing is sent' }
    : whole;
}

/** Until the other is gone, whatever an edit changes: what names a target is immutable. */
function isRival({ status }: KubeObject): boolean {
  return readyOf(status as CommonStatus | undefined)?.reason === 'TargetConflict';
}

function previewOfKind(object: KubeObject, now: number): Preview {
  if (object.kind === organization.organizationType.kind)
    return ofOrganization(object as organization.Organization, now);
  if (object.kind === activity.activityType.kind) return ofActivity(object as activity.Activity);
  return ofPipeSettings(object as pipeSettings.PipeSettings);
}

function ofPipeSettings(object: pipeSettings.PipeSettings): Preview {
  const spec = valid(pipeSettings.parseSpec(object));
  const request = settingsRequest('', spec);
  // The API that the status speaks of is taken to be the one that is called.
  const reported = reportedBy(object.status, object.status?.proof?.apiHash ?? '');
  const { plan } = previewOf(object, { spec, request, reported, isLast: true, planOnly: false });
  // Of this kind, a preview's plan is `status.plan` without its time.
  const shown = plan as NonNullable<pipeSettings.PipeSettingsStatus['plan']>;
  const { requests, changes, basis } = shown;
  return {
    requests,
    changes,
    basis,
    does: 'send',
    says: `One PUT with ${counted(request.keys.length, 'setting')}`,
  };
}

function ofOrganization(object: organization.Organization, now: number): Preview {
  const spec = valid(organization.parseSpec(object));
  const outlook = outlookOf(object, factsOf(object), { spec, goal: goalOf(spec), now });
  const { path, bodies, changes, says, blocked, basis } = outlook;
  return {
    does: blocked.length > 0 ? 'blocked' : 'send',
    says: says.charAt(0).toUpperCase() + says.slice(1),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
  };
}

function ofActivity(object: activity.Activity): Preview {
  const path = encodePath(activity.pathOf(valid(activity.parseSpec(object))));
  if (object.status?.activity) return { ...NOTHING, says: 'The record is fetched already' };
  const requests = [{ method: 'GET', path }];
  return { ...NOTHING, does: 'send', says: 'One GET fetches the record', requests };
}

function valid<Spec>(parsed: { ok: true; spec: Spec } | { ok: false; message: string }): Spec {
  if (parsed.ok) return parsed.spec;
  throw new Error(`a spec that is not valid was planned: ${parsed.message}`);
}

/** As if it were alone, and nothing of it in flight. */
function factsOf(object: organization.Organization): Parameters<typeof outlookOf>[1] {
  const apiHash = object.status?.proof?.apiHash ?? '';
  const secret = { secret: { state: 'unknown' }, triedSecret: undefined } as const;
  const atWorkMs = AT_WORK_AFTER_TIMEOUT_MS;
  const own = claimOf(object, { apiHash, mayAct: true, ...secret });
  const alone = { others: [], waits: false, unlisted: false, unsettledMs: undefined };
  return {
    ...secret,
    standing: { ...alone, own, atWorkMs, courtesyMs: 0 },
    hasUnrecordedWrite: false,
    // Only in the hash of a request, which is not shown.
    baseUrl: '',
    apiHash,
    planOnly: false,
    listedByOthers: [],
    notes: new Notebook(atWorkMs).of(object, 0),
    monotonic: 0,
    cleanupDeadlineMs: 0,
  };
}
