import type { Reply } from '../../src/api/reply/reply.ts';
import { judge } from '../../src/api/reply/verdict.ts';
import type { Result } from '../../src/controller/kind.ts';
import { declared } from '../../src/kinds/pipe-settings/decide.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import { report } from '../../src/kinds/pipe-settings/report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
  status as schema,
} from '../../src/kinds/pipe-settings/resource.ts';
import type { Answer } from '../../src/kinds/shared/calls.ts';
import {
  type Decision,
  type DeclaredFacts,
  decideDeclared,
} from '../../src/kinds/shared/declared.ts';
import { fitTo } from '../../src/kinds/shared/fit.ts';
import { API_HASH, anAnswer, aPipeSettings, BASE_URL, SECOND, T0, type Wanted } from './objects.ts';

/** `--api-timeout` and a minute. */
export const SETTLES_IN = 95 * SECOND;

export interface Facts extends Omit<DeclaredFacts<PipeSettings>, 'now'> {
  readonly baseUrl: string;
}

/** An object that is alone, with a Secret that was tried and has not changed. */
export function factsOf(more: Partial<Facts> = {}): Facts {
  return {
    secret: { state: 'present', resourceVersion: '1', type: undefined, changedAt: undefined },
    triedSecret: '1',
    hasSlot: false,
    others: [],
    baseUrl: BASE_URL,
    apiHash: API_HASH,
    planOnly: false,
    ...more,
  };
}

/** What the calls of an attempt make of a reply to its PUT. */
export function answerOf(reply: Reply, sentAt = T0): Answer {
  const verdict = judge(reply, { write: true, of: 'pipe' });
  return verdict.ok ? { type: 'success', verdict, sentAt } : { type: 'failure', verdict, sentAt };
}

/** HTTP 200 with these settings. */
export function replying(result: Readonly<Record<string, unknown>>, sentAt = T0): Answer {
  return answerOf(anAnswer(200, { result }), sentAt);
}

/** A PUT of which nobody knows whether it took effect. */
export function lost(sentAt = T0): Answer {
  return answerOf({ answered: false, sent: true, cause: 'no answer' }, sentAt);
}

export interface Visit {
  readonly decision: Decision<PipeSettingsSpec>['type'];
  readonly result: Result;
  readonly status: PipeSettingsStatus | undefined;
  /** The object with that status. */
  readonly object: PipeSettings;
}

/** What is to be done about an object. */
export function decideAlone(
  object: PipeSettings,
  more: Partial<Facts> = {},
  now = T0,
): Decision<PipeSettingsSpec> {
  const facts = factsOf(more);
  return decideDeclared(object, declared(facts, now), { ...facts, now });
}

/** What is sent for it. */
export function sentFor(spec: PipeSettingsSpec, now = T0) {
  const request = settingsRequest(BASE_URL, spec);
  return { spec, request, apiHash: API_HASH, settlesInMs: SETTLES_IN, now };
}

/** As JSON holds it. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** One attempt, with an echo of what is declared where nothing else is answered. */
export function visit(
  object: PipeSettings,
  options: { now?: number; answer?: Answer; facts?: Partial<Facts> } = {},
): Visit {
  const { now = T0 } = options;
  const decision = decideAlone(object, options.facts, now);
  const { settings, additionalSettings } = (object.spec ?? {}) as Partial<PipeSettingsSpec>;
  const answer = options.answer ?? replying({ ...settings, ...additionalSettings }, now);
  const result =
    decision.type === 'done'
      ? decision.result
      : report(object, sentFor(decision.spec, now), answer);
  // As the engine writes it.
  const status: PipeSettingsStatus | undefined = result.status
    ? plain(fitTo(schema, result.status))
    : object.status;
  return { decision: decision.type, result, status, object: { ...object, status } as PipeSettings };
}

/** An object that was applied at `now`, as the operator leaves it. */
export function anApplied(wanted: Omit<Wanted, 'status'> = {}, now = T0): PipeSettings {
  return visit(aPipeSettings(wanted), { now }).object;
}
