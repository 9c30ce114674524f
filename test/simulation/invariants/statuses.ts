import { isDeepStrictEqual } from 'node:util';
import type { Change, Thing } from '../kubernetes/objects.ts';
import type { Fact } from '../record/facts.ts';
import { isPlural, type Plural, readyOf, type StatusView, statusOf } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';
import { asMeant } from './twice.ts';

/** What a status has of the way an object is at the moment, and not of its past. */
type Passing = 'attempts' | 'nextAttemptTime' | 'pendingChange' | 'plan' | 'differences';

/** What must not stand beside a reason: it would be of another state, in which the object was. */
const NOT_BESIDE: Readonly<Record<string, readonly Passing[]>> = {
  Applied: ['attempts', 'pendingChange'],
  Fetched: ['attempts', 'nextAttemptTime'],
  Planned: ['attempts', 'nextAttemptTime'],
  Suspended: ['attempts', 'nextAttemptTime'],
  Pending: ['attempts', 'nextAttemptTime'],
  TargetConflict: ['attempts'],
};

/**
 * A message is one line without a time, and not the picture of a value that nobody meant to show.
 */
const UNREADABLE =
  /^\s|\s$|\.$|\.\. [A-Z]|[\p{Cc}\u2028\u2029]|undefined|\[object|\d{4}-\d\d-\d\dT/u;

/**
 * Where an object stands depends on its last spec and on what the API and its Secret are like, and
 * not on the way by which it came there: nothing of an earlier state stays in its status.
 */
export class StatusJudge implements Judge {
  readonly #court: Court;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what !== 'written' || fact.change.by === 'user' || fact.change.type !== 'MODIFIED')
      return;
    const { plural } = fact.change.kind;
    if (isPlural(plural)) this.#judge(plural, asMeant(fact.change, this.#court.life));
  }

  #judge(plural: Plural, { now, before }: Change): void {
    const status = statusOf(now);
    if (!readyOf(now) || isDeepStrictEqual(status, statusOf(before))) return;
    const key = `${plural}/${now.metadata.namespace}/${now.metadata.name}`;
    this.#judgeConditions(key, status);
    this.#judgeLeftOver(plural, key, now);
  }

  /** All conditions tell the same, and of the same generation. */
  #judgeConditions(key: string, { conditions = [], observedGeneration }: StatusView): void {
    const [ready] = conditions;
    const isOne = conditions.every(
      (one) =>
        one.reason === ready?.reason &&
        one.message === ready.message &&
        one.observedGeneration === observedGeneration,
    );
    if (!isOne || ready?.type !== 'Ready')
      this.#court.report('said conditions', key, `the conditions of ${key} do not tell the same`);
    if (ready && UNREADABLE.test(ready.message))
      this.#court.report('said unreadable', key, `${key} says "${ready.message}"`);
  }

  #judgeLeftOver(plural: Plural, key: string, now: Thing): void {
    const { reason = '' } = readyOf(now) ?? {};
    const status = statusOf(now);
    const wrong: Passing[] = [...(NOT_BESIDE[reason] ?? [])];
    if (reason !== 'Planned') wrong.push('plan');
    // Of an Organization a description may differ, which keeps nothing from being Applied.
    if (reason === 'Applied' && plural === 'pipesettings') wrong.push('differences');
    const left = wrong.filter((field) => status[field] !== undefined);
    if (left.length > 0)
      this.#court.report('said left-over', key, `${key} is ${reason}, and has ${left.join(', ')}`);
  }
}
