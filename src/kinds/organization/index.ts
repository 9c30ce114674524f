import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import { defineKind, type Kind } from '../../runtime/kind.ts';
import { goOn } from '../../runtime/outcome.ts';
import { attemptsOf } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { type Acting, act } from './act.ts';
import { heirsOf, load, targetOf } from './load.ts';
import { Memos } from './memo.ts';
import { plan } from './plan.ts';
import { Predecessors } from './predecessors.ts';
import { report } from './report.ts';
import { type Organization, organizationType } from './resource.ts';

/** The name and private endpoints of one existing organization, brought about by PATCH, which is also the only way to see them. */
export function createOrganizationKind(context: KindContext): Kind {
  const { api, secrets, apiTimeoutMs, cleanupDeadlineMs, log } = context;
  const { baseUrl } = api;
  const { kind } = organizationType;
  const memos = new Memos();
  const predecessors = new Predecessors();
  const { store, locks } = createKindStore<Organization>({
    kind,
    context,
    targetOf,
    rivalsSee,
    onGone: (gone, waiting) => predecessors.add(gone, heirsOf(gone, waiting, attempts.memory)),
  });
  const attempts = attemptsOf(kind, context, locks);
  const acting: Acting = {
    ...attempts,
    api,
    memos,
    async writeFinalizers(object, finalizers) {
      const written = await context.writeFinalizers(organizationType, object, finalizers);
      // The reply has the shape of the collection it comes from, which the CRD's schema has checked.
      if (written) store.put(written as Organization);
      else store.drop(object);
      return written === undefined || isDeepStrictEqual(written.metadata.finalizers ?? [], finalizers);
    },
    onAbandoned({ metadata: { namespace, name } }: KubeObject, left) {
      log.warn(
        { kind, key: `${namespace}/${name}`, left },
        'let go at --cleanup-deadline with private endpoints left at the API',
      );
    },
  };
  return defineKind({
    type: organizationType,
    store,
    load: (object: Organization) =>
      load(object, { ...attempts, store, secrets, memos, predecessors, baseUrl, apiTimeoutMs, cleanupDeadlineMs }),
    plan,
    act: (object, planned) => act(object, planned, acting),
    report(object, planned, result, now) {
      const { memo, ...said } = report(object, planned, result, now);
      if (memo) memos.set(object, memo);
      const takesOver = 'inherited' in planned && predecessors.of(object) !== undefined;
      if (!takesOver) return said;
      predecessors.forget(keyOf(object));
      return { ...said, outcome: goOn };
    },
    settle: attempts.settle,
    forget(key) {
      attempts.forget(key);
      memos.forget(key);
      predecessors.forget(key);
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
