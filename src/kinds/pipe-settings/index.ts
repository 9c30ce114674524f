import type { Context, Kind, Result } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { createCaller } from '../shared/calls.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { createKind, createKindStore } from '../shared/objects.ts';
import { longWaitStatus } from '../shared/waiting.ts';
import { type Decision, decide } from './decide.ts';

import { callOf, UPDATE_PIPE_SETTINGS } from './remote.ts';
import { report, reportUnsent } from './report.ts';
import { type PipeSettings, pipeSettingsType, status, targetOf } from './resource.ts';

/** `operation` is what metrics call its requests. */
export const pipeSettings = { create, operation: UPDATE_PIPE_SETTINGS };

/** The settings of one existing ingestion pipe, brought about by PUT. */
function create(context: KindContext): Kind {
  const { kind } = pipeSettingsType;
  const { apiTimeoutMs, planOnly } = context;
  const { baseUrl } = context.api;
  const apiHash = digestOf(baseUrl);
  const { store, others } = createKindStore<PipeSettings>({ kind, context, status, targetOf });
  const caller = createCaller<PipeSettings>(kind, context, targetOf);

  const decideNow = (object: PipeSettings, now: number, hasPermit = false): Decision => {
    const { hasSlot, ...facts } = caller.factsOf(object);
    const known = { ...facts, others: others(object), baseUrl, apiHash, planOnly };
    return decide(object, { ...known, hasSlot: hasSlot || hasPermit }, now);
  };

  async function reconcile(object: PipeSettings, attempt: Context<PipeSettings>): Promise<Result> {
    const first = decideNow(object, attempt.now());
    if (first.type === 'done') return first.result;
    const calls = caller.open(object, attempt, {
      ref: first.spec.credentialsSecretRef,
      priority: first.priority,
      halfOpen: first.halfOpen,
      onLongWait: (ahead) => longWaitStatus(attempt.object(), ahead, attempt.now()),
    });
    try {
      const none = await calls.permit();
      const newest = attempt.object();
      if (none) return reportUnsent(newest, first, none, attempt.now());
      // What was true before the wait need not be any more.
      const decided = decideNow(newest, attempt.now(), true);
      if (decided.type === 'done') return decided.result;
      const answer = await calls.send(callOf(decided.request));
      const facts = { apiHash, settlesInMs: apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS };
      return report(newest, { ...decided, ...facts, now: attempt.now() }, answer);
    } finally {
      calls.end();
    }
  }
  return createKind({ type: pipeSettingsType, store, caller, reconcile });
}
