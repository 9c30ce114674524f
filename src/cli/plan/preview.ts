import { encodePath } from '../../api/http/path.ts';
import {
  type Activity,
  activityType,
  parseSpec as parseActivity,
  pathOf,
} from '../../kinds/activity/resource.ts';
import { Notebook } from '../../kinds/organization/attempt/notebook.ts';
import { goalOf } from '../../kinds/organization/goal.ts';
import { outlookOf } from '../../kinds/organization/preview.ts';
import {
  type Organization,
  organizationType,
  parseSpec as parseOrganization,
} from '../../kinds/organization/resource.ts';
import { reportedBy } from '../../kinds/pipe-settings/plan.ts';
import { previewOf } from '../../kinds/pipe-settings/preview.ts';
import { settingsRequest } from '../../kinds/pipe-settings/remote.ts';
import {
  type PipeSettings,
  type PipeSettingsStatus,
  parseSpec,
} from '../../kinds/pipe-settings/resource.ts';
import { type CommonStatus, generationOf, isReady } from '../../kinds/status/common-status.ts';
import type { ProvableStatus } from '../../kinds/target/proof.ts';
import { claimOf } from '../../kinds/target/standing.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { AT_WORK_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { counted, type FieldChange } from '../words.ts';

interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** What the operator does about one object, as far as the object itself tells. */
export interface Preview {
  /**
   * `withheld`: the object says that nothing may be sent. `blocked`: the change is not made; what is
   * sent only reads.
   */
  readonly does: 'send' | 'blocked' | 'withheld' | 'nothing';
  /** A sentence without its stop. */
  readonly says: string;
  /** Those that are sent; where they are withheld, those that would be. */
  readonly requests: readonly PlannedRequest[];
  readonly changes: readonly FieldChange[];
  /** The reply that the changes are compared with. Absent: no reply has shown the values. */
  readonly response?: { readonly time: string; readonly requestId?: string | undefined };
}

const NOTHING = { does: 'nothing', requests: [], changes: [] } as const;

/**
 * By the functions that fill `status.plan`. Other objects, pauses and waits are not looked at; what
 * the operator finds when it acts is in the status then. The spec is valid.
 */
export function preview(object: KubeObject, now: number): Preview {
  if (object.metadata.deletionTimestamp)
    return { ...NOTHING, says: 'It is being deleted, so that its new spec has no effect' };
  const whole = wholePreview(object, now);
  const { suspend, mode } = object.spec as { readonly suspend?: boolean; readonly mode?: string };
  if (whole.does === 'nothing') return whole;
  if (suspend) return withheld(whole, 'spec.suspend is true');
  if (mode === 'Plan') return withheld(whole, 'spec.mode is Plan');
  return isUnchanged(object)
    ? { ...NOTHING, says: 'The declared state is the one last confirmed, so nothing is sent' }
    : whole;
}

function withheld(whole: Preview, why: string): Preview {
  return {
    ...whole,
    does: 'withheld',
    says: `Nothing is sent, because ${why}; else: ${whole.says}`,
  };
}

function wholePreview(object: KubeObject, now: number): Preview {
  if (object.kind === organizationType.kind) return ofOrganization(object as Organization, now);
  if (object.kind === activityType.kind) return ofActivity(object as Activity);
  return ofPipeSettings(object as PipeSettings);
}

/** Each change of a spec makes a new generation, so that this one's request was the same. */
function isUnchanged(object: KubeObject): boolean {
  const { applied } = (object.status ?? {}) as { readonly applied?: { generation: number } };
  return applied?.generation === generationOf(object) && isReady(object);
}

function ofPipeSettings(object: PipeSettings): Preview {
  const spec = read(parseSpec(object));
  const request = settingsRequest(UNKNOWN_API, spec);
  const reported = reportedBy(object.status, apiHashIn(object));
  const { plan } = previewOf(object, { spec, request, reported, isLast: true, planOnly: false });
  // Of this kind, a preview's plan is `status.plan` without its time.
  const { basis, requests, changes } = plan as NonNullable<PipeSettingsStatus['plan']>;
  return {
    does: 'send',
    says: `One PUT with ${counted(request.keys.length, 'setting')}`,
    requests,
    changes,
    ...comparedWith(basis, object),
  };
}

function ofOrganization(object: Organization, now: number): Preview {
  const spec = read(parseOrganization(object));
  const goal = goalOf(spec);
  const outlook = outlookOf(object, factsOf(object), { spec, goal, now });
  const { path, bodies, changes, says, blocked, basis } = outlook;
  return {
    does: blocked.length > 0 ? 'blocked' : 'send',
    says: says.charAt(0).toUpperCase() + says.slice(1),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    ...comparedWith(basis, object),
  };
}

function ofActivity(object: Activity): Preview {
  const spec = read(parseActivity(object));
  if (object.status?.activity)
    return { ...NOTHING, says: 'The record is in status.activity already' };
  const requests = [{ method: 'GET', path: encodePath(pathOf(spec)) }];
  return { does: 'send', says: 'One GET fetches the record', requests, changes: [] };
}

function read<Spec>(
  parsed: { readonly ok: true; readonly spec: Spec } | { readonly ok: false; message: string },
): Spec {
  if (parsed.ok) return parsed.spec;
  throw new Error(`a spec that is not valid was planned: ${parsed.message}`);
}

/** Only the hash of a request has it, which is not shown. */
const UNKNOWN_API = '';

/** The API that the status speaks of is taken to be the one that is called. */
function apiHashIn({ status }: KubeObject): string {
  return ((status ?? {}) as ProvableStatus).proof?.apiHash ?? '';
}

function comparedWith(basis: string, { status }: KubeObject): Pick<Preview, 'response'> {
  const { proof, applied, lastRequest } = (status ?? {}) as ProvableStatus &
    CommonStatus & { readonly applied?: { readonly time: string; readonly requestId?: string } };
  const time = proof?.time ?? applied?.time;
  if (basis === 'Unknown' || time === undefined) return {};
  const source = [lastRequest, applied].find((one) => one?.time === time);
  return { response: { time, requestId: source?.requestId } };
}

/** As if it were alone, and nothing of it in flight. */
function factsOf(object: Organization): Parameters<typeof outlookOf>[1] {
  const apiHash = apiHashIn(object);
  const secret = { secret: { state: 'unknown' }, triedSecret: undefined } as const;
  return {
    ...secret,
    standing: {
      own: claimOf(object, { apiHash, mayAct: true, ...secret }),
      others: [],
      waits: false,
      unlisted: false,
      atWorkMs: AT_WORK_AFTER_TIMEOUT_MS,
      unsettledMs: undefined,
      courtesyMs: 0,
    },
    hasUnrecordedWrite: false,
    baseUrl: UNKNOWN_API,
    apiHash,
    planOnly: false,
    listedByOthers: [],
    notes: new Notebook(AT_WORK_AFTER_TIMEOUT_MS).of(object, 0),
    monotonic: 0,
    cleanupDeadlineMs: 0,
  };
}
