import type { Context, Kind, Result } from '../../controller/kind.ts';
import { createCaller } from '../shared/calls.ts';
import type { KindContext } from '../shared/context.ts';
import { createKind, createKindStore } from '../shared/objects.ts';
import { longWaitStatus } from '../shared/waiting.ts';
import { decide } from './decide.ts';

import { report } from './report.ts';
import { type Activity, activityType, GET_ACTIVITY, pathOf, status } from './resource.ts';

/** `operation` is what metrics call its requests. */
export const activity = { create, operation: GET_ACTIVITY };

/** One audit record, fetched by GET and kept. Reading disturbs nobody: it has no target. */
function create(context: KindContext): Kind {
  const { kind } = activityType;
  const targetOf = (): undefined => undefined;
  const { store } = createKindStore<Activity>({ kind, context, status, targetOf });
  const caller = createCaller<Activity>(kind, context, targetOf);

  async function reconcile(object: Activity, attempt: Context<Activity>): Promise<Result> {
    const decided = decide(object, caller.factsOf(object), attempt.now());
    if (decided.type === 'done') return decided.result;
    const { spec, priority, halfOpen } = decided;
    const calls = caller.open(object, attempt, {
      ref: spec.credentialsSecretRef,
      priority,
      halfOpen,
      onLongWait: (ahead) => longWaitStatus(attempt.object(), ahead, attempt.now()),
    });
    try {
      const none = await calls.permit();
      const newest = attempt.object();
      if (none) return report(newest, spec, none, attempt.now());
      // Nobody else brings the record, so what was decided before the wait holds.
      const wire = { operation: GET_ACTIVITY, method: 'GET', path: pathOf(spec) } as const;
      const answer = await calls.send({ ...wire, write: false, of: 'record' });
      return report(newest, spec, answer, attempt.now());
    } finally {
      calls.end();
    }
  }
  return createKind({ type: activityType, store, caller, reconcile });
}
