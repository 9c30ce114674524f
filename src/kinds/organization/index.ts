import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import { queueKey } from '../../runtime/controller.ts';
import { defineKind, type Kind } from '../../runtime/kind.ts';
import type { Memory } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { type Acting, act } from './act.ts';
import { load, targetOf } from './load.ts';
import { Memos } from './memo.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type Organization, organizationType } from './resource.ts';

/** The name and private endpoints of one existing organization, brought about by PATCH, which is also the only way to see them. */
export function createOrganizationKind(context: KindContext): Kind {
  const { api, pacer, secrets, readCredential, clock, apiTimeoutMs, cleanupDeadlineMs, log } = context;
  const pacingKey = (key: string): string => queueKey(organizationType.kind, key);
  const memory: Memory = { acting: new Set(), triedSecret: new Map() };
  const memos = new Memos();
  const store = createKindStore<Organization>({
    enqueue: (key, lane) => context.enqueue(pacingKey(key), lane),
    secrets,
    ownerOf: pacingKey,
    targetOf,
    rivalsSee,
  });
  context.onSecretChange((secret) => {
    for (const object of store.byIndex('secret', secret)) context.enqueue(pacingKey(keyOf(object)), 'scheduled');
  });
  const acting: Acting = {
    api,
    pacer,
    readCredential,
    memory,
    memos,
    monotonic: () => clock.monotonic(),
    pacingKey,
    async writeFinalizers(object, finalizers) {
      const written = await context.writeFinalizers(organizationType, object, finalizers);
      // The reply has the shape of the collection it comes from, which the CRD's schema has checked.
      if (written) store.put(written as Organization);
      return written === undefined || isDeepStrictEqual(written.metadata.finalizers ?? [], finalizers);
    },
    onAbandoned({ metadata: { namespace, name } }: KubeObject, left) {
      log.warn(
        { kind: organizationType.kind, key: `${namespace}/${name}`, left },
        'let go at --cleanup-deadline with private endpoints left at the API',
      );
    },
  };
  return defineKind({
    type: organizationType,
    store,
    load: (object: Organization) =>
      load(object, {
        store,
        secrets,
        memory,
        memos,
        hasSlot: (key) => pacer.hasSlot(pacingKey(key)),
        baseUrl: api.baseUrl,
        apiTimeoutMs,
        cleanupDeadlineMs,
      }),
    plan,
    act: (object, planned) => act(object, planned, acting),
    report(object, planned, result, now) {
      const { memo, ...said } = report(object, planned, result, now);
      if (memo) memos.set(object, memo);
      return said;
    },
    settle(key, { unwritten }) {
      pacer.settle(pacingKey(key));
      if (!unwritten) memory.acting.delete(key);
    },
    forget(key) {
      pacer.forget(pacingKey(key));
      memory.triedSecret.delete(key);
      memos.forget(key);
    },
  });
}

/** What an object adds and removes, lists and whether it is going matters to those that wait for its organization. */
function rivalsSee(now: Organization, before: Organization): boolean {
  if (now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  if (now.metadata.generation !== before.metadata.generation) return true;
  return (
    !isDeepStrictEqual(now.status?.privateEndpoints, before.status?.privateEndpoints) ||
    !isDeepStrictEqual(now.status?.pendingChange, before.status?.pendingChange)
  );
}
