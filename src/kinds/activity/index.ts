import { defineKind, type Kind } from '../../controller/kind.ts';
import { attemptsOf } from '../engine/api-call.ts';
import type { KindContext } from '../engine/context.ts';
import { createKindStore } from '../engine/kind-store.ts';
import { recordsIn } from '../status/common-status.ts';
import { act } from './act.ts';
import { load } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type Activity, activityType } from './resource.ts';

/**
 * One audit record, fetched by GET and kept. Any number of objects may stand for one record:
 * reading is no rivalry.
 */
export function createActivityKind(context: KindContext): Kind {
  const { api, secrets } = context;
  const { kind } = activityType;
  const { store, locks, unrecorded } = createKindStore<Activity>({
    kind,
    context,
    targetOf: () => undefined,
  });
  const attempts = attemptsOf(kind, context, { store, locks, unrecorded });
  return defineKind({
    type: activityType,
    store,
    recordsIn,
    load: (object: Activity) => load(object, { ...attempts, secrets }),
    plan,
    act: (object, planned) => act(object, planned, { ...attempts, api }),
    report,
    recorded: attempts.recorded,
    release: attempts.release,
    takeOver: attempts.takeOver,
    forget: attempts.forget,
  });
}
