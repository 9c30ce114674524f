import type { Answer, Reply } from '../../src/api/reply/reply.ts';
import { judge } from '../../src/api/reply/verdict.ts';
import type { Report } from '../../src/controller/kind.ts';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import {
  type Facts,
  type PipeSettingsDone,
  type Plan,
  plan,
} from '../../src/kinds/pipe-settings/plan.ts';
import { report } from '../../src/kinds/pipe-settings/report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
  parseSpec,
} from '../../src/kinds/pipe-settings/resource.ts';
import { readyOf } from '../../src/kinds/shared/common-status.ts';
import { apiHashOf, keepProof } from '../../src/kinds/target/proof.ts';
import { claimOf } from '../../src/kinds/target/standing.ts';
import type { Claim, Standing } from '../../src/kinds/target/target.ts';

/** The moment at which pure tests take place. */
export const T0 = Date.parse('2026-03-01T12:00:00Z');
export const BASE_URL = 'https://api.example.test';
export const API_HASH = apiHashOf(BASE_URL);
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Wanted {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly created?: string;
  readonly deleting?: boolean;
  /** The value of the one-shot annotation. */
  readonly requested?: string | undefined;
  readonly spec?: Partial<PipeSettingsSpec>;
  /** In place of the whole spec, for what no schema lets in. */
  readonly rawSpec?: unknown;
  readonly status?: PipeSettingsStatus | undefined;
}

/** A valid object that nobody has visited; a test states what it is about. */
export function aPipeSettings(wanted: Wanted = {}): PipeSettings {
  const {
    name = 'orders',
    namespace = 'ingest',
    uid = 'uid-1',
    generation = 1,
    requested,
    status,
  } = wanted;
  const spec: PipeSettingsSpec = {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef: { name: 'api-key' },
    settings: { engine_max_threads: 8 },
    ...wanted.spec,
  };
  return {
    metadata: {
      name,
      namespace,
      uid,
      generation,
      resourceVersion: '1',
      creationTimestamp: wanted.created ?? '2026-03-01T11:00:00Z',
      ...(wanted.deleting && { deletionTimestamp: '2026-03-01T11:59:00Z' }),
      ...(requested !== undefined && { annotations: { [REQUESTED_AT]: requested } }),
    },
    spec: 'rawSpec' in wanted ? wanted.rawSpec : spec,
    ...(status && { status }),
  };
}

/**
 * What `load` would give for an object that has its pipe for itself and a Secret that was tried and
 * has not changed.
 */
function factsFor(object: PipeSettings, facts: Partial<Facts> = {}): Facts {
  const secret = {
    state: 'present',
    resourceVersion: '1',
    type: undefined,
    changedAt: undefined,
  } as const;
  return {
    standing: standingAmong(object, []),
    secret,
    triedSecret: '1',
    hasUnrecordedWrite: false,
    baseUrl: BASE_URL,
    apiHash: apiHashOf(facts.baseUrl ?? BASE_URL),
    planOnly: false,
    atWork: [],
    ...facts,
  };
}

/**
 * Where an object stands among others for its pipe, to a process that has seen them for long, all
 * with the same usable Secret.
 */
export function standingAmong(
  object: PipeSettings,
  others: readonly PipeSettings[],
  more: Partial<Standing> = {},
): Standing {
  const secret = {
    state: 'present',
    resourceVersion: '1',
    type: undefined,
    changedAt: undefined,
  } as const;
  const claim = (one: PipeSettings): Claim =>
    claimOf(one, { apiHash: API_HASH, mayAct: parseSpec(one).ok, secret, triedSecret: '1' });
  return {
    own: claim(object),
    others: others.map(claim),
    waits: readyOf(object.status)?.reason === 'TargetConflict',
    unlisted: false,
    unsettledMs: undefined,
    atWorkMs: 95_000,
    courtesyMs: 0,
    ...more,
  };
}

/** An answer with a JSON body that names a request. */
export function anAnswer(httpStatus: number, more: Partial<Answer> = {}): Answer {
  return { answered: true, httpStatus, requestId: 'req-1', body: 'json', ...more };
}

/** What the operator makes of a reply to its PUT. */
export function attemptOf(reply: Reply, pausedMs?: number): Attempt {
  const verdict = judge(reply, { write: true, of: 'pipe' });
  if (verdict.ok) return { got: 'success', verdict, secretVersion: '1' };
  return { got: 'failure', verdict, ...(pausedMs !== undefined && { pausedMs }) };
}

/** What is to be done with an object, everything else being as `factsFor` has it. */
export function planned(object: PipeSettings, facts: Partial<Facts> = {}, now = T0): Plan {
  return plan(object, factsFor(object, facts), now);
}

export interface Visit {
  readonly plan: Plan;
  readonly report: Report;
  /** The status as it stands after the visit. */
  readonly status: PipeSettingsStatus | undefined;
  /** The object with that status. */
  readonly object: PipeSettings;
}

/**
 * One pass, with `attempt` (or an answer of 200 that echoes what was declared) for the call where
 * the plan makes one.
 */
export function visit(
  object: PipeSettings,
  options: {
    readonly now?: number;
    readonly facts?: Partial<Facts>;
    readonly attempt?: Attempt;
  } = {},
): Visit {
  const { now = T0 } = options;
  const toDo = planned(object, options.facts, now);
  const attempt = options.attempt ?? confirming(object);
  const done: PipeSettingsDone = toDo.do === 'call' ? { ...toDo, came: attempt } : toDo;
  const said = report(object, done, now);
  const reported = keepProof(said, object, now);
  const status: PipeSettingsStatus | undefined = reported.status ?? object.status;
  return {
    plan: toDo,
    report: reported,
    status,
    object: { ...object, ...(status && { status }) },
  };
}

/** The visits of one object, each a minute after the one before unless it says when. */
export function visits(object: PipeSettings, attempts: readonly Attempt[], now = T0): Visit[] {
  const done: Visit[] = [];
  for (const attempt of attempts) {
    const before = done.at(-1);
    const due = Date.parse(before?.status?.nextAttemptTime ?? '') || now;
    done.push(visit(before?.object ?? object, { now: due, attempt }));
  }
  return done;
}

/** How long the status has the next attempt wait from this time on. */
export function waitAfter(visited: Visit, at: number): number {
  return Date.parse(visited.status?.nextAttemptTime ?? '') - at;
}

/** By how much a wait misses the contract's ±20 %; times have whole seconds, rounded up. */
export function astray(wait: number, contract: number): number {
  return Math.max(contract * 0.8 - wait, 0) + Math.max(wait - contract * 1.2 - SECOND, 0);
}

/** The object after an edit: a new generation with another spec. */
export function edited(object: PipeSettings, spec: Partial<PipeSettingsSpec>): PipeSettings {
  const { generation = 0 } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, generation: generation + 1 },
    spec: { ...(object.spec as PipeSettingsSpec), ...spec },
  };
}

/** The object with this value of the one-shot annotation. */
export function asking(object: PipeSettings, requested: string): PipeSettings {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { [REQUESTED_AT]: requested } },
  };
}

/** An answer of 200 with these settings. */
export function confirmedWith(
  result: Readonly<Record<string, unknown>>,
  requestId = 'req-1',
): Attempt {
  return attemptOf(anAnswer(200, { result, requestId }));
}

/** An object that was applied at `now`, as the operator leaves it. */
export function anAppliedPipeSettings(wanted: Omit<Wanted, 'status'> = {}, now = T0): PipeSettings {
  return visit(aPipeSettings(wanted), { now }).object;
}

/** Facts about an object whose pipe another one of its namespace holds, with the name `other`. */
export function heldByAnother(): Partial<Facts> {
  const other = anAppliedPipeSettings({ name: 'other', uid: 'uid-2' });
  return { standing: standingAmong(aPipeSettings(), [other]) };
}

/** `Ready` of a status; throws where there is none. */
export function readyIn(status: PipeSettingsStatus | undefined) {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) throw new Error('The status has no Ready condition');
  return ready;
}

/** `Reconciling`, `Stalled` or undefined. */
export function sideIn(status: PipeSettingsStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type !== 'Ready')?.type;
}

function confirming(object: PipeSettings): Attempt {
  const { settings } = (object.spec ?? {}) as Partial<PipeSettingsSpec>;
  return confirmedWith({ ...settings });
}
