import { expect } from 'vitest';
import type { Reply } from '../../src/api/reply/reply.ts';
import { judge } from '../../src/api/reply/verdict.ts';
import type { Report } from '../../src/controller/kind.ts';
import { status as schema } from '../../src/kinds/activity/definition.ts';
import { type ActivityDone, type Plan, plan } from '../../src/kinds/activity/plan.ts';
import { report } from '../../src/kinds/activity/report.ts';
import type { Activity, ActivitySpec, ActivityStatus } from '../../src/kinds/activity/resource.ts';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import type { CallFacts } from '../../src/kinds/status/due.ts';
import { anAnswer, REQUESTED_AT, T0 } from './objects.ts';
import { expectReadable } from './status-law.ts';

/**
 * A record as the API's document describes it: all ten fields, each with a value found nowhere
 * else.
 */
export const RECORD = {
  id: 'record-1',
  createdAt: '2026-02-28T23:59:58.123Z',
  type: 'create_organization',
  actorType: 'user',
  actorId: 'actor-9c41',
  actorDetails: 'jane.roe@example.org',
  actorIpAddress: '203.0.113.77',
  organizationId: 'org',
  serviceId: 'service-5d20',
  userAgent: 'Mozilla/5.0 (canary-agent)',
} as const;

export interface WantedActivity {
  readonly generation?: number;
  readonly created?: string;
  readonly deleting?: boolean;
  /** The value of the one-shot annotation. */
  readonly requested?: string | undefined;
  readonly spec?: Partial<ActivitySpec>;
  /** In place of the whole spec, for what no schema lets in. */
  readonly rawSpec?: unknown;
  readonly status?: ActivityStatus | undefined;
}

/** A valid object that nobody has visited, made when the pure tests take place. */
export function anActivity(wanted: WantedActivity = {}): Activity {
  const { generation = 1, requested, status, created = '2026-03-01T12:00:00Z' } = wanted;
  const spec: ActivitySpec = {
    organizationId: 'org',
    activityId: RECORD.id,
    credentialsSecretRef: { name: 'api-key' },
    ...wanted.spec,
  };
  return {
    metadata: {
      name: 'who',
      namespace: 'audit',
      uid: 'uid-1',
      generation,
      resourceVersion: '1',
      creationTimestamp: created,
      ...(wanted.deleting && { deletionTimestamp: '2026-03-01T11:59:00Z' }),
      ...(requested !== undefined && { annotations: { [REQUESTED_AT]: requested } }),
    },
    spec: 'rawSpec' in wanted ? wanted.rawSpec : spec,
    ...(status && { status }),
  };
}

/** A Secret that was tried and has not changed. */
export const FACTS: CallFacts = {
  secret: { state: 'present', resourceVersion: '1', type: undefined, changedAt: undefined },
  triedSecret: '1',
  hasSlot: false,
};

/** What the operator makes of a reply to its GET. */
export function attemptOf(reply: Reply): Attempt {
  const verdict = judge(reply, { write: false, of: 'record' });
  return verdict.ok ? { got: 'success', verdict, secretVersion: '1' } : { got: 'failure', verdict };
}

/** An answer of 200 with this result. */
export function answeredWith(
  result: Readonly<Record<string, unknown>>,
  requestId = 'req-1',
): Attempt {
  return attemptOf(anAnswer(200, { result, requestId }));
}

export interface ActivityVisit {
  readonly plan: Plan;
  readonly report: Report;
  /** The status as it stands after the visit. */
  readonly status: ActivityStatus | undefined;
  /** The object with that status. */
  readonly object: Activity;
}

/** One pass, with `attempt` (or the record) for the call where the plan makes one. */
export function visit(
  object: Activity,
  options: {
    readonly now?: number;
    readonly facts?: Partial<CallFacts>;
    readonly attempt?: Attempt;
  } = {},
): ActivityVisit {
  const { now = T0, attempt = answeredWith(RECORD) } = options;
  const planned = plan(object, { ...FACTS, ...options.facts }, now);
  const done: ActivityDone = planned.do === 'call' ? { ...planned, came: attempt } : planned;
  const reported = report(object, done, now);
  const status: ActivityStatus | undefined = reported.status ?? object.status;
  return {
    plan: planned,
    report: reported,
    status,
    object: { ...object, ...(status && { status }) },
  };
}

/** An object whose record was fetched at T0, as the operator leaves it. */
export function aFetchedActivity(wanted: Omit<WantedActivity, 'status'> = {}): Activity {
  return visit(anActivity(wanted)).object;
}

/** The object after an edit: a new generation with another spec. */
export function edited(object: Activity, spec: Partial<ActivitySpec>): Activity {
  const { generation = 0 } = object.metadata;
  const metadata = { ...object.metadata, generation: generation + 1 };
  return { ...object, metadata, spec: { ...(object.spec as ActivitySpec), ...spec } };
}

/** The object with another value in the one-shot annotation. */
export function asking(object: Activity, requested: string): Activity {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { [REQUESTED_AT]: requested } },
  };
}

/**
 * Fails where the API server would refuse or change a status, or where a message is not one that a
 * person can read.
 */
export function expectLawful(status: ActivityStatus | undefined): void {
  const checked = schema.safeParse(status);
  expect(checked.error?.issues).toBeUndefined();
  expect(checked.data, 'something the schema does not have').toStrictEqual(status);
  expect(JSON.parse(JSON.stringify(status)), 'something JSON cannot hold').toStrictEqual(status);
  expectReadable(status?.conditions?.map(({ message }) => message) ?? []);
  const [ready, ...others] = status?.conditions ?? [];
  expect(ready?.type).toBe('Ready');
  expect(others.length).toBeLessThanOrEqual(1);
  for (const { reason, message, observedGeneration, status: is } of others) {
    expect(is).toBe('True');
    expect({ reason, message }).toEqual({ reason: ready?.reason, message: ready?.message });
    expect(observedGeneration).toBe(status?.observedGeneration);
  }
}
