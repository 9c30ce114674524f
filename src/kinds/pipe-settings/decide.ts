import type { Declared } from '../shared/declared.ts';
import { howToSend, showPlan } from '../shared/planned.ts';
import { previewOf } from './preview.ts';
import { type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** What is declared of a pipe, for the decision that all such kinds make in the same way. */
export function declared(
  { baseUrl, apiHash }: { readonly baseUrl: string; readonly apiHash: string },
  now: number,
): Declared<PipeSettings, PipeSettingsSpec> {
  return {
    parse: parseSpec,
    contested: ({ pipeId }) => ({
      kind: 'PipeSettings',
      what: 'the pipe',
      find: `kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=${pipeId}`,
    }),
    isHeld: (object, spec) => isConfirmed(object, settingsRequest(baseUrl, spec)),
    plan: (object, spec, isLast) => {
      const { hash } = settingsRequest(baseUrl, spec);
      const { isEmpty, ...preview } = previewOf(object, spec, apiHash);
      const how = howToSend(spec);
      return showPlan(object, { preview, hash, isEmpty: isEmpty && isLast, how, now });
    },
  };
}

/**
 * Whether what the API last confirmed is what is declared now, nothing has been tried in vain
 * since, and no earlier request may still take effect.
 */
export function isConfirmed({ status }: PipeSettings, { hash }: SettingsRequest): boolean {
  const { applied, lastRequest, differences = [], unconfirmedWrite } = status ?? {};
  return (
    applied?.requestHash === hash &&
    lastRequest?.time === applied.time &&
    lastRequest.outcome === 'Succeeded' &&
    differences.length === 0 &&
    unconfirmedWrite === undefined
  );
}
