import type { Result } from '../../controller/kind.ts';
import type { Priority } from '../../controller/queue.ts';
import type { KubeObject } from '../../kube/resource.ts';
import * as checks from '../shared/checks.ts';
import { generationOf } from '../shared/common-status.ts';
import { type CallFacts, reassertMsOf, whenDue } from '../shared/due.ts';
import { ownershipOf, rivalConfirmedLater } from '../shared/target.ts';
import { plan } from './preview.ts';
import { type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** What a reconcile knows besides the object itself. */
export interface Facts extends CallFacts {
  /** The other objects for the same pipe. */
  readonly others: readonly PipeSettings[];
  /** Normalised base address of the API, and what identifies it in a status. */
  readonly baseUrl: string;
  readonly apiHash: string;
  /** `--plan-only`. */
  readonly planOnly: boolean;
}

/** The declared settings are to be sent. */
export interface Send {
  readonly type: 'send';
  readonly spec: PipeSettingsSpec;
  readonly request: SettingsRequest;
  readonly priority: Priority;
  readonly halfOpen: boolean;
}

export type Decision = Send | { readonly type: 'done'; readonly result: Result };

/** The order of the checks is the order of precedence. */
export function decide(object: PipeSettings, facts: Facts, now: number): Decision {
  const parsed = parseSpec(object);
  const deleted = checks.refuseDeleted(object);
  if (deleted) return done(deleted);
  if (!parsed.ok) return done(checks.refuseSpec(object, parsed.message, now));
  const { spec } = parsed;
  const { others, apiHash, planOnly } = facts;
  const request = settingsRequest(facts.baseUrl, spec);
  const isLast = !rivalConfirmedLater(object, others);
  const isHeld = isLast && isConfirmed(object, request);
  if (spec.suspend) return done(checks.refuseSuspended(object, { ...suspended(isHeld), now }));
  const ownership = ownershipOf(object, others, { apiHash, isValid });
  const notOwner = checks.refuseOthers(object, { ownership, contested: contested(spec), now });
  if (notOwner) return done(notOwner);
  if (spec.mode === 'Plan' || planOnly) {
    const planned = plan(object, { spec, request, isLast, planOnly, apiHash });
    return done(checks.showPlan(object, { ...planned, now }));
  }
  const isSent = object.status?.applied?.generation === generationOf(object);
  const asked = { confirmed: isHeld && isSent, reassertMs: reassertMsOf(spec), now };
  const due = whenDue(object, facts, asked);
  if (due.type === 'later') return done(checks.notDue(due));
  return { ...due, type: 'send', spec, request };
}

function done(result: Result): Decision {
  return { type: 'done', result };
}

function isValid(object: KubeObject): boolean {
  return parseSpec(object).ok;
}

function contested({ pipeId }: PipeSettingsSpec): checks.Contested {
  const find = `kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=${pipeId}`;
  return { kind: 'PipeSettings', what: 'the pipe', find };
}

function suspended(isHeld: boolean): { readonly ready: boolean; readonly says: string } {
  return isHeld
    ? { ready: true, says: 'The declared settings are the ones last confirmed' }
    : {
        ready: false,
        says: 'The declared settings have not been confirmed. Set spec.suspend to false to send them',
      };
}

/**
 * Whether what the API last confirmed is what is declared now, nothing has been tried in vain
 * since, and no earlier request may still take effect.
 */
export function isConfirmed({ status }: PipeSettings, { hash }: SettingsRequest): boolean {
  const { applied, lastRequest, differences = [], unconfirmedWrite } = status ?? {};
  return (
    applied?.requestHash === hash &&
    lastRequest?.time === applied.time &&
    lastRequest.outcome === 'Succeeded' &&
    differences.length === 0 &&
    unconfirmedWrite === undefined
  );
}
