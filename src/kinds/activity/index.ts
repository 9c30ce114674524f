import { keyOf } from '../../kube/resource.ts';
import { queueKey } from '../../runtime/controller.ts';
import { defineKind, type Kind } from '../../runtime/kind.ts';
import type { Memory } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { act } from './act.ts';
import { load } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type Activity, activityType } from './resource.ts';

/** One audit record, fetched by GET and kept. */
export function createActivityKind(context: KindContext): Kind {
  const { api, pacer, secrets, readCredential, clock } = context;
  const pacingKey = (key: string): string => queueKey(activityType.kind, key);
  const memory: Memory = { acting: new Set(), triedSecret: new Map() };
  const store = createKindStore<Activity>({
    enqueue: (key, lane) => context.enqueue(pacingKey(key), lane),
    secrets,
    ownerOf: pacingKey,
    // Reading is no rivalry: any number of objects may stand for one record.
    targetOf: () => undefined,
  });
  context.onSecretChange((secret) => {
    for (const object of store.byIndex('secret', secret)) context.enqueue(pacingKey(keyOf(object)), 'scheduled');
  });
  return defineKind({
    type: activityType,
    store,
    load: (object: Activity) => load(object, { secrets, memory, hasSlot: (key) => pacer.hasSlot(pacingKey(key)) }),
    plan,
    act: (object, planned) =>
      act(object, planned, { api, pacer, readCredential, memory, monotonic: () => clock.monotonic(), pacingKey }),
    report,
    settle(key, { unwritten }) {
      pacer.settle(pacingKey(key));
      if (!unwritten) memory.acting.delete(key);
    },
    forget(key) {
      pacer.forget(pacingKey(key));
      memory.triedSecret.delete(key);
    },
  });
}
