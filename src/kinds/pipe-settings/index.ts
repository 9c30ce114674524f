import { defineKind, type Kind } from '../../runtime/kind.ts';
import { attemptsOf } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { act } from './act.ts';
import { load, targetOf } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type PipeSettings, pipeSettingsType } from './resource.ts';

/** The settings of one existing ingestion pipe, brought about by PUT. */
export function createPipeSettingsKind(context: KindContext): Kind {
  const { api, secrets } = context;
  const { baseUrl } = api;
  const { kind } = pipeSettingsType;
  const { store, rivals } = createKindStore<PipeSettings>({ kind, context, targetOf });
  const attempts = attemptsOf(kind, context, store);
  return defineKind({
    type: pipeSettingsType,
    store,
    rivals,
    load: (object: PipeSettings) => load(object, { ...attempts, store, secrets, baseUrl }),
    plan,
    act: (object, planned) => act(object, planned, { ...attempts, api }),
    report,
    settle: attempts.settle,
    forget: attempts.forget,
  });
}
