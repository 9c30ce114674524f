import type { Kind } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Decision, type Declared, decideDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { previewOf } from './preview.ts';
import { settingsRequest, UPDATE_PIPE_SETTINGS } from './remote.ts';
import { isSettled, report } from './report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  parseSpec,
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
      const known = { others: others(newest), apiHash, planOnly, now: attempt.now() };
      const facts = { ...caller.factsOf(newest, hasPermit), ...known };
      return decideDeclared(newest, declaredPipe(baseUrl), facts);
    };
    const first = decide(object);
    if (first.type === 'done') return first.result;
    const wish = { ref: first.spec.credentialsSecretRef, ...first.due };
    return caller.perform(object, attempt, wish, async (calls, none) => {
      const newest = attempt.object();
      // What was true before the wait need not be any more.
      const decided = none ? first : decide(newest, true);
      if (decided.type === 'done') return decided.result;
      const { spec } = decided;
      const request = settingsRequest(baseUrl, spec);
      const answer = none ?? (await calls.send(request.call));
      const now = attempt.now();
      return report({ object: newest, spec, request, apiHash, settlesInMs, now }, answer);
    });
  });
}

/** What is declared of a pipe, for the decision that all such kinds make in the same way. */
export function declaredPipe(baseUrl: string): Declared<PipeSettings, PipeSettingsSpec> {
  return {
    parse: parseSpec,
    contested: ({ pipeId }) => ({
      kind: 'PipeSettings',
      what: 'the pipe',
      find: `kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=${pipeId}`,
    }),
    hashOf: (spec) => settingsRequest(baseUrl, spec).hash,
    isSettled,
    preview: (object, spec) => previewOf(object, spec, digestOf(baseUrl)),
  };
}
