import { defineKind, type Kind } from '../../controller/kind.ts';
import { attempt } from '../engine/api-call.ts';
import type { KindContext } from '../engine/context.ts';
import { openKind } from '../engine/open-kind.ts';
import { status } from './definition.ts';
import { type ActivityDone, type Plan, plan } from './plan.ts';
import { report } from './report.ts';
import { type Activity, activityType, GET_ACTIVITY, pathOf } from './resource.ts';

/** `operation` is what metrics call its requests. */
export const activity = { create, operation: GET_ACTIVITY };

/**
 * One audit record, fetched by GET and kept. Any number of objects may stand for one record:
 * reading is no rivalry.
 */
function create(context: KindContext): Kind {
  const { basics, calls, factsOf } = openKind<Activity>(activityType, context, status);
  return defineKind({
    ...basics,
    load: factsOf,
    plan,
    async act(object: Activity, planned: Plan): Promise<ActivityDone> {
      if (planned.do !== 'call') return planned;
      const came = await attempt(
        {
          object,
          ref: planned.spec.credentialsSecretRef,
          // Reading disturbs nobody: two objects with one record need not wait for one another.
          target: object.metadata.uid,
          lane: planned.lane,
          probe: planned.probe,
          write: false,
          of: 'record',
          request: { operation: GET_ACTIVITY, method: 'GET', path: pathOf(planned.spec) },
        },
        calls,
      );
      return { ...planned, came };
    },
    report,
  });
}
