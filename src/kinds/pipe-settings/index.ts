import type { Kind } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Declared, reconcileDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { previewOf } from './preview.ts';
import { settingsRequest } from './remote.ts';
import { isSettled, report } from './report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  parseSpec,
  pipeSettingsType,
  status,
  targetOf,
} from './resource.ts';

/** The settings of one existing ingestion pipe, brought about by PUT. */
export function pipeSettings(context: KindContext): Kind {
  const { apiTimeoutMs, planOnly } = context;
  const { baseUrl } = context.api;
  const settlesInMs = apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const kind = { type: pipeSettingsType, status, targetOf };
  const declared = declaredPipe(baseUrl, planOnly);
  const { apiHash } = declared;
  return createKind<PipeSettings>(context, kind, (object, attempt, shared) =>
    reconcileDeclared(object, attempt, shared, declared, async (began, { spec }, calls, none) => {
      const request = settingsRequest(baseUrl, spec);
      const answer = none ?? (await calls.send(request.call));
      const now = attempt.now();
      return report({ object: began, spec, request, apiHash, settlesInMs, now }, answer);
    }),
  );
}

/** What is declared of a pipe, for the decision that all such kinds make in the same way. */
function declaredPipe(
  baseUrl: string,
  planOnly: boolean,
): Declared<PipeSettings, PipeSettingsSpec> {
  const apiHash = digestOf(baseUrl);
  return {
    apiHash,
    planOnly,
    parse: parseSpec,
    contested: ({ pipeId }) => ({
      kind: 'PipeSettings',
      what: 'pipe',
      beforeDeletion: 'Deleting a PipeSettings sends nothing; a new owner then sends its settings',
      find: `kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=${pipeId}`,
    }),
    hashOf: (spec) => settingsRequest(baseUrl, spec).hash,
    isSettled,
    preview: ({ status: known = {} }, spec) => previewOf(known, spec, apiHash),
  };
}
