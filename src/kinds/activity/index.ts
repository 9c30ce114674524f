import type { Kind } from '../../controller/kind.ts';
import type { KindContext } from '../shared/context.ts';
import { createKind } from '../shared/objects.ts';
import { decide } from './decide.ts';
import { report } from './report.ts';
import { type Activity, activityType, GET_ACTIVITY, pathOf, status } from './resource.ts';

/** One audit record, fetched by GET and kept. Reading disturbs nobody: it has no target. */
export function activity(context: KindContext): Kind {
  const kind = { type: activityType, status, targetOf: () => undefined };
  return createKind<Activity>(context, kind, async (object, attempt, { caller }) => {
    const decided = decide(object, caller.factsOf(object), attempt.now());
    if (decided.type === 'done') return decided.result;
    const { spec, due } = decided;
    const wish = { ref: spec.credentialsSecretRef, ...due };
    return caller.perform(object, attempt, wish, async (calls, none) => {
      // Nobody else brings the record, so what was decided before the wait holds.
      const wire = { operation: GET_ACTIVITY, method: 'GET', path: pathOf(spec) } as const;
      const answer = none ?? (await calls.send({ ...wire, write: false, of: 'record' }));
      return report(attempt.object(), spec, answer, attempt.now());
    });
  });
}
