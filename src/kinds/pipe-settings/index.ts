import { defineKind, type Kind } from '../../controller/kind.ts';
import { keyOf } from '../../kube/resource.ts';
import { attemptsOf } from '../engine/api-call.ts';
import type { KindContext } from '../engine/context.ts';
import { createKindStore } from '../engine/kind-store.ts';
import { recordsIn } from '../status/common-status.ts';
import { apiHashOf, keepProof } from '../target/proof.ts';
import { stillHolds } from '../target/standing.ts';
import { Unsettled } from '../target/unsettled.ts';
import { type Acting, act } from './act.ts';
import { load, targetOf } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type PipeSettings, parseSpec, pipeSettingsType } from './resource.ts';

/** The settings of one existing ingestion pipe, brought about by PUT. */
export function createPipeSettingsKind(context: KindContext): Kind {
  const { api, secrets, planOnly } = context;
  const { baseUrl } = api;
  const { kind, plural } = pipeSettingsType;
  const unlisted = () => context.unlisted(plural);
  const { store, rivals, locks, contests, departed, unrecorded } = createKindStore<PipeSettings>({
    kind,
    context,
    targetOf,
    unlisted,
  });
  const attempts = attemptsOf(kind, context, { store, locks, unrecorded });
  const apiHash = apiHashOf(baseUrl);
  const unsettled = new Unsettled({ monotonic: attempts.monotonic, settlesInMs: locks.atWorkMs });
  const known = {
    ...attempts,
    unsettled,
    planOnly,
    targetOf,
    mayAct: (rival: PipeSettings) => !planOnly && parseSpec(rival).ok,
    rivals,
    contests,
    departed,
    secrets,
    baseUrl,
    apiHash,
    unlisted,
  };
  const acting: Acting = {
    ...attempts,
    api,
    unsettled,
    stillWanted: (object) =>
      attempts.stillWanted(object) &&
      stillHolds(store.get(keyOf(object)), known, context.clock.now()),
  };
  return defineKind({
    type: pipeSettingsType,
    store,
    recordsIn,
    load: (object: PipeSettings) => load(object, known),
    plan,
    act: (object, planned) => act(object, planned, acting),
    report(object, planned, result, now) {
      const said = keepProof(report(object, planned, result, now), object, now);
      if (said.status) unsettled.tells(object, said.status);
      return said;
    },
    recorded: attempts.recorded,
    release: attempts.release,
    takeOver: attempts.takeOver,
    forget(key) {
      attempts.forget(key);
      unsettled.forget(key);
    },
  });
}
