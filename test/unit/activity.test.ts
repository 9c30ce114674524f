import { describe, expect, test } from 'vitest';
import type { Reply } from '../../src/api/reply.ts';
import { judge } from '../../src/api/verdict.ts';
import { preview } from '../../src/cli/plan/preview.ts';
import type { Result } from '../../src/controller/kind.ts';
import { decide } from '../../src/kinds/activity/decide.ts';
import { report } from '../../src/kinds/activity/report.ts';
import {
  type Activity,
  type ActivityStatus,
  status as schema,
} from '../../src/kinds/activity/resource.ts';
import type { Answer, NoCall } from '../../src/kinds/shared/calls.ts';
import type { CallFacts } from '../../src/kinds/shared/due.ts';
import { anAnswer, HOUR, MINUTE, REQUESTED_AT, SECOND, T0 } from '../support/objects.ts';
import { expectReadable } from '../support/status-law.ts';

const RECORD = { id: 'act-1', type: 'pipe.updated', actorId: 'canary-person' };
const FACTS: CallFacts = { secret: { state: 'unknown' }, triedSecret: '1', isHeld: true };

function anActivity(
  more: {
    status?: ActivityStatus;
    requested?: string;
    suspend?: boolean;
    created?: string;
    deleting?: boolean;
  } = {},
): Activity {
  const { status, requested, suspend, created = '2026-03-01T10:00:00Z', deleting } = more;
  return {
    metadata: {
      name: 'a',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: created,
      ...(deleting && { deletionTimestamp: created }),
      ...(requested && { annotations: { [REQUESTED_AT]: requested } }),
    },
    spec: {
      organizationId: 'org',
      activityId: 'act-1',
      credentialsSecretRef: { name: 'api' },
      ...(suspend !== undefined && { suspend }),
    },
    ...(status && { status }),
  };
}

function answerTo(reply: Reply): Answer {
  const verdict = judge(reply, { write: false, of: 'record' });
  return verdict.ok ? { type: 'success', verdict, sentAt: T0 } : { type: 'failure', verdict };
}

const found = (result: object = RECORD) => answerTo(anAnswer(200, { result: { ...result } }));
const young = '2026-03-01T11:59:00Z';

/** One attempt: its result, and the object with the status that it leaves. */
function visit(object: Activity, answer: NoCall | Answer = found(), now = T0) {
  const decision = decide(object, FACTS, now);
  const result: Result =
    decision.type === 'done' ? decision.result : report(object, decision.spec, answer, now);
  const status: ActivityStatus | undefined = result.status ?? object.status;
  expect(schema.safeParse(status ?? {}).error?.issues).toBeUndefined();
  expectReadable((status?.conditions ?? []).map(({ message }) => message));
  return { decision: decision.type, result, status, object: { ...object, status } as Activity };
}

const readyOf = (status: ActivityStatus | undefined) => status?.conditions?.[0];

describe('a record', () => {
  test('is fetched once, and its content stands nowhere but in status.activity', () => {
    const { status, result, object } = visit(anActivity());
    expect(status?.activity).toEqual(RECORD);
    expect(readyOf(status)).toMatchObject({ status: 'True', reason: 'Fetched' });
    const { activity: _, ...rest } = status ?? {};
    expect(JSON.stringify([rest, result.events, result.facts])).not.toContain('canary-person');
    const again = visit(object, undefined, T0 + 9999 * HOUR);
    expect(again.result).toEqual({ next: 'on-change', did: 'nothing' });
  });

  test('with odd fields is kept as bounded text, and one with none is no record', () => {
    const odd = { id: 7, type: null, actorDetails: { a: 'x'.repeat(2000) } };
    expect(visit(anActivity(), found(odd)).status?.activity).toMatchObject({ id: '7' });
    const none = visit(anActivity(), found({ other: 1 }));
    expect(readyOf(none.status)).toMatchObject({ reason: 'UnexpectedResponse', status: 'False' });
    expect(none.result.facts).toMatchObject({ httpStatus: 200, requestId: 'req-1' });
  });

  test('that has another id is said to', () => {
    expect(readyOf(visit(anActivity(), found({ id: 'other' })).status)?.message).toContain(
      'not spec.activityId',
    );
  });

  test.each([404, 400])('may be late for ten minutes: %i is Reconciling', (code) => {
    const { status } = visit(anActivity({ created: young }), answerTo(anAnswer(code)));
    expect(status?.conditions?.[1]?.type).toBe('Reconciling');
    expect(Date.parse(status?.nextAttemptTime ?? '') - T0).toBeLessThanOrEqual(7 * SECOND);
    expect(readyOf(status)?.message).toContain('can appear minutes late');
  });

  test.each([404, 400])('is not late after that: %i is Stalled', (code) => {
    expect(visit(anActivity(), answerTo(anAnswer(code))).status?.conditions?.[1]?.type).toBe(
      'Stalled',
    );
  });

  test('is asked for at the end of the ten minutes at the latest', () => {
    const created = '2026-03-01T11:50:01Z';
    const { status } = visit(anActivity({ created }), answerTo(anAnswer(404)));
    expect(Date.parse(status?.nextAttemptTime ?? '')).toBeLessThanOrEqual(
      Date.parse(created) + 10 * MINUTE,
    );
  });

  test('that comes after a failure is an event', () => {
    const failed = visit(anActivity(), answerTo(anAnswer(503)));
    expect(readyOf(failed.status)?.reason).toBe('Unavailable');
    const { result } = visit(failed.object, found(), T0 + MINUTE);
    expect(result.events).toMatchObject([
      { reason: 'Fetched', note: expect.stringContaining('after Unavailable') },
    ]);
  });
});

describe('a record that is there', () => {
  const held = visit(anActivity()).status;
  const asking = anActivity({ requested: 'now', ...(held && { status: held }) });

  test('is fetched again on request, and kept with the object Ready where that fails', () => {
    const { status, result } = visit(asking, answerTo(anAnswer(500)));
    expect(status).toMatchObject({ activity: RECORD, lastHandledReconcileAt: 'now' });
    expect(readyOf(status)).toMatchObject({ status: 'True', reason: 'Fetched' });
    expect(readyOf(status)?.message).toContain('Fetching it again failed: ');
    expect(result.next).toBe('on-change');
  });

  test('is left as it is with a refused key', () => {
    expect(visit(asking, { type: 'key-refused' }).result).toEqual({
      next: 'on-change',
      did: 'key-refused',
    });
  });
});

describe('nothing is fetched', () => {
  test.for<[string, Activity, object | undefined]>([
    ['while deleted', anActivity({ deleting: true }), undefined],
    ['while suspended', anActivity({ suspend: true }), { reason: 'Suspended', status: 'False' }],
    ['of a spec that cannot be read', { ...anActivity(), spec: {} }, { reason: 'SpecInvalid' }],
  ])('%s', ([, object, ready]) => {
    const visited = visit(object);
    expect(visited.decision).toBe('done');
    expect({ ready: readyOf(visited.status) }).toMatchObject({ ready });
  });
});

test('a preview shows the GET, and nothing where the record is there', () => {
  const kind = 'Activity';
  expect(preview({ ...anActivity(), kind }, T0)).toMatchObject({
    does: 'send',
    requests: [{ method: 'GET', path: '/v1/organizations/org/activities/act-1' }],
  });
  const fetched = { ...visit(anActivity()).object, kind };
  expect(preview(fetched, T0)).toMatchObject({ does: 'nothing', requests: [] });
});
