import { defineKind, type Kind } from '../../controller/kind.ts';
import { attempt } from '../engine/api-call.ts';
import type { KindContext } from '../engine/context.ts';
import { openHeldKind } from '../engine/open-kind.ts';
import { keepProof } from '../target/proof.ts';
import { Unsettled } from '../target/unsettled.ts';
import { status } from './definition.ts';
import { type PipeSettingsDone, type Plan, plan } from './plan.ts';
import { UPDATE_PIPE_SETTINGS } from './remote.ts';
import { report } from './report.ts';
import { type PipeSettings, parseSpec, pipeSettingsType, targetOf } from './resource.ts';

/** `operation` is what metrics call its requests. */
export const pipeSettings = { create, operation: UPDATE_PIPE_SETTINGS };

/** The settings of one existing ingestion pipe, brought about by PUT. */
function create(context: KindContext): Kind {
  const { basics, calls, factsOf, locks } = openHeldKind<PipeSettings>(pipeSettingsType, context, {
    status,
    targetOf,
    isValid: (object) => parseSpec(object).ok,
  });
  const unsettled = new Unsettled({ monotonic: calls.monotonic, settlesInMs: locks.atWorkMs });
  return defineKind({
    ...basics,
    load: (object: PipeSettings) => ({ ...factsOf(object), atWork: unsettled.of(object) }),
    plan,
    async act(object: PipeSettings, planned: Plan): Promise<PipeSettingsDone> {
      if (planned.do !== 'call') return planned;
      const { method, segments, body, hash } = planned.request;
      const came = await attempt(
        {
          object,
          ref: planned.spec.credentialsSecretRef,
          target: targetOf(object) ?? object.metadata.uid,
          lane: planned.lane,
          probe: planned.probe,
          write: true,
          of: 'pipe',
          request: { operation: UPDATE_PIPE_SETTINGS, method, path: segments, body },
        },
        calls,
      );
      const isLost = came.got === 'failure' && came.verdict.outcome === 'Unknown';
      if (isLost) unsettled.add(object, hash, came.leftAt ?? calls.monotonic());
      return { ...planned, came };
    },
    report(object, done, now) {
      const said = keepProof(report(object, done, now), object, now);
      if (said.status) unsettled.tells(object, said.status);
      return said;
    },
    forget(key) {
      basics.forget(key);
      unsettled.forget(key);
    },
  });
}
