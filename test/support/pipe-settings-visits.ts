import type { Reply } from '../../src/api/reply.ts';
import { judge } from '../../src/api/verdict.ts';
import type { Result } from '../../src/controller/kind.ts';
import { declaredPipe } from '../../src/kinds/pipe-settings/index.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import { report } from '../../src/kinds/pipe-settings/report.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
  status as schema,
} from '../../src/kinds/pipe-settings/resource.ts';
import type { Answer, NoCall } from '../../src/kinds/shared/calls.ts';
import { digestOf } from '../../src/kinds/shared/canonical.ts';
import { type DeclaredFacts, decideDeclared } from '../../src/kinds/shared/declared.ts';
import { fitTo } from '../../src/kinds/shared/fit.ts';
import { anAnswer, aPipeSettings, BASE_URL, SECOND, T0, type Wanted } from './objects.ts';

/** `--api-timeout` and a minute. */
const SETTLES_IN = 95 * SECOND;

/** What is known of an object and of the API that it is sent to. */
export interface Facts extends Omit<DeclaredFacts<PipeSettings>, 'now'> {
  readonly baseUrl: string;
  readonly planOnly: boolean;
}

/** An object that is alone, with a Secret that was tried and has not changed. */
function factsOf(more: Partial<Facts> = {}): Facts {
  return {
    secret: { state: 'present', resourceVersion: '1' },
    triedSecret: '1',
    isHeld: true,
    others: [],
    baseUrl: BASE_URL,
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
  readonly decision: 'done' | 'act';
  readonly result: Result;
  readonly status: PipeSettingsStatus | undefined;
  /** The object with that status. */
  readonly object: PipeSettings;
}

/** One attempt, with an echo of what is declared where nothing else is answered. */
export function visit(
  object: PipeSettings,
  options: { now?: number; answer?: Answer | NoCall; facts?: Partial<Facts> } = {},
): Visit {
  const { now = T0, facts = {} } = options;
  const { baseUrl, planOnly, ...known } = factsOf(facts);
  const apiHash = digestOf(baseUrl);
  const declared = declaredPipe(baseUrl, planOnly);
  const decision = decideDeclared(object, declared, { ...known, now });
  const { settings, additionalSettings } = (object.spec ?? {}) as Partial<PipeSettingsSpec>;
  const answer = options.answer ?? replying({ ...settings, ...additionalSettings }, now);
  const result =
    decision.type === 'done'
      ? decision.result
      : report(
          {
            object,
            apiHash,
            now,
            settlesInMs: SETTLES_IN,
            spec: decision.spec,
            request: settingsRequest(baseUrl, decision.spec),
          },
          answer,
        );
  // As the engine writes it.
  const status = result.status ? fitTo(schema, result.status) : object.status;
  return { decision: decision.type, result, status, object: { ...object, status } as PipeSettings };
}

/** An object that was applied at `now`, as the operator leaves it. */
export function anApplied(wanted: Omit<Wanted, 'status'> = {}, now = T0): PipeSettings {
  return visit(aPipeSettings(wanted), { now }).object;
}
