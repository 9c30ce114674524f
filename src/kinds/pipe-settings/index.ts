import type { Kind } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Decision, decideDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { declared } from './decide.ts';
import { callOf, settingsRequest, UPDATE_PIPE_SETTINGS } from './remote.ts';
import { report, reportUnsent } from './report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  pipeSettingsType,
  status,
  targetOf,
} from './resource.ts';

/** `operation` is what metrics call its requests. */
export const pipeSettings = { create, operation: UPDATE_PIPE_SETTINGS };

/** The settings of one existing ingestion pipe, brought about by PUT. */
function create(context: KindContext): Kind {
  const { apiTimeoutMs, planOnly } = context;
  const { baseUrl } = context.api;
  const apiHash = digestOf(baseUrl);
  const settlesInMs = apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const kind = { type: pipeSettingsType, status, targetOf };
  return createKind<PipeSettings>(context, kind, async (object, attempt, { caller, others }) => {
    const decide = (newest: PipeSettings, hasPermit = false): Decision<PipeSettingsSpec> => {
      const { hasSlot, ...facts } = caller.factsOf(newest);
      const now = attempt.now();
      const known = { ...facts, others: others(newest), apiHash, planOnly, now };
      const hasTurn = hasSlot || hasPermit;
      return decideDeclared(newest, declared({ baseUrl, apiHash }, now), {
        ...known,
        hasSlot: hasTurn,
      });
    };
    const first = decide(object);
    if (first.type === 'done') return first.result;
    const wish = { ref: first.spec.credentialsSecretRef, ...first.due };
    return caller.perform(object, attempt, wish, async (calls, none) => {
      const newest = attempt.object();
      // What was true before the wait need not be any more.
      const decided = none ? first : decide(newest, true);
      if (decided.type === 'done') return decided.result;
      const request = settingsRequest(baseUrl, decided.spec);
      const send = { spec: decided.spec, request };
      if (none) return reportUnsent(newest, send, none, attempt.now());
      const answer = await calls.send(callOf(request));
      return report(newest, { ...send, apiHash, settlesInMs, now: attempt.now() }, answer);
    });
  });
}
