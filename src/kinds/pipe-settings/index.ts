import { defineKind, type Kind } from '../../runtime/kind.ts';
import { attemptsOf } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { apiHashOf, keepProof } from '../proof.ts';
import { act } from './act.ts';
import { load, targetOf } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type PipeSettings, pipeSettingsType } from './resource.ts';

/** The settings of one existing ingestion pipe, brought about by PUT. */
export function createPipeSettingsKind(context: KindContext): Kind {
  const { api, secrets, unlisted } = context;
  const { baseUrl } = api;
  const { kind } = pipeSettingsType;
  const { store, rivals, locks, contests } = createKindStore<PipeSettings>({ kind, context, targetOf });
  const attempts = attemptsOf(kind, context, locks);
  const apiHash = apiHashOf(baseUrl);
  const known = {
    ...attempts,
    rivals,
    contests,
    secrets,
    baseUrl,
    apiHash,
    unlisted: () => unlisted(pipeSettingsType.plural),
  };
  return defineKind({
    type: pipeSettingsType,
    store,
    load: (object: PipeSettings) => load(object, known),
    plan,
    act: (object, planned) => act(object, planned, { ...attempts, api }),
    report: (object, planned, result, now) => keepProof(report(object, planned, result, now), object, now),
    settle: attempts.settle,
    forget: attempts.forget,
  });
}
