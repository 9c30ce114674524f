import { isDeepStrictEqual } from 'node:util';
import { defineKind, type Kind } from '../../controller/kind.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { KindContext } from '../engine/context.ts';
import { openHeldKind } from '../engine/open-kind.ts';
import { keepProof } from '../target/proof.ts';
import { type Acting, act } from './act.ts';
import { Notebook } from './attempt/notebook.ts';
import { load } from './load.ts';
import { type Plan, plan } from './plan.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import { report, reportUnproven } from './report.ts';
import { type Organization, organizationType, parseSpec, targetOf } from './resource.ts';
import { status } from './status.ts';

/** `operation` is what metrics call its requests. */
export const organization = { create, operation: UPDATE_ORGANIZATION };

/**
 * The name and private endpoints of one existing organization, brought about by PATCH, which is
 * also the only way to see them.
 */
function create(context: KindContext): Kind {
  const { cleanupDeadlineMs, log } = context;
  const { kind } = organizationType;
  const { basics, calls, factsOf, rivals, locks, unrecorded } = openHeldKind<Organization>(
    organizationType,
    context,
    {
      status,
      targetOf,
      isValid: (object) => parseSpec(object).ok,
      // What another process has open counts from now on, also for one that stands by.
      onStatus: (object) => void notebook.of(object, context.clock.monotonic()),
    },
  );
  const { store } = basics;
  const notebook = new Notebook(locks.atWorkMs);
  const known = {
    notebook,
    rivals,
    factsOf,
    cleanupDeadlineMs,
    monotonic: calls.monotonic,
  };
  const acting: Acting = {
    ...calls,
    notebook,
    async writeFinalizers(object, finalizers) {
      const written = await context.writeFinalizers(organizationType, object, finalizers);
      // The reply has the shape of the collection it comes from, which the CRD's schema has
      // checked.
      if (written) store.put(written as Organization, object);
      else store.drop(object);
      return (
        written === undefined || isDeepStrictEqual(written.metadata.finalizers ?? [], finalizers)
      );
    },
    emit: (object, notice) => context.emit(object, organizationType, notice),
    onAbandoned({ metadata: { namespace, name } }: KubeObject, left) {
      log.warn(
        { kind, namespace, name, left },
        'deleting an Organization with private endpoints left at the API',
      );
    },
  };
  return defineKind({
    ...basics,
    load: (object: Organization) => load(object, known),
    plan,
    act: (object, planned: Plan) => act(object, planned, acting),
    report(object, done, now) {
      const { notes, finalizerRemoved, ...said } = report(object, done, now);
      if (notes) notebook.set(object, notes);
      else if (done.do !== 'end' && done.do !== 'intend' && done.do !== 'call') {
        // What was sent in an attempt that ends here is not told by the status that comes now.
        unrecorded.lost(keyOf(object));
        notebook.endSession(object);
        if (finalizerRemoved) notebook.finalizerRemoved(object, calls.monotonic());
      }
      return reportUnproven(keepProof(said, object, now), object);
    },
    recorded(key, how) {
      basics.recorded(key, how);
      if (how === 'written') notebook.written(key);
      if (how === 'lost') notebook.lost(key, store.get(key), calls.monotonic());
    },
    takeOver() {
      basics.takeOver();
      // What another process has recorded meanwhile need not show in what ends an attempt: a ledger
      // that was given up does not.
      for (const object of store.values()) notebook.takeOver(object);
    },
    forget(key) {
      basics.forget(key);
      notebook.forget(key);
    },
  });
}
