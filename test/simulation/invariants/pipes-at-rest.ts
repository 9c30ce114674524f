import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall } from '../record/facts.ts';
import { readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { Court } from './court.ts';
import { cameUntold, isFromBefore, UNTOLD } from './excused-at-rest.ts';

/**
 * I4, of PipeSettings: what says Applied at rest is what the API has. And what any of them says of
 * its spec is said of the present one.
 */
export class PipesAtRest {
  readonly #court: Court;

  constructor(court: Court) {
    this.#court = court;
  }

  judge(key: string, thing: Thing): void {
    this.#judgeOwnParts(key, thing);
    if (readyOf(thing)?.reason === 'Applied') this.#judgeHeld(key, thing);
  }

  /** What its status repeats of the spec, or has because of it. */
  #judgeOwnParts(key: string, thing: Thing): void {
    const { settings = {}, reassertInterval } = specOf(thing);
    const { plan, applied, nextAttemptTime, differences } = statusOf(thing);
    const { reason } = readyOf(thing) ?? {};
    const report = (text: string): void =>
      this.#court.report('said of-spec', key, `${key} ${text}`);
    if (reason === 'Planned') {
      const { body = '{}' } = plan?.requests?.[0] ?? {};
      if (!isDeepStrictEqual(JSON.parse(body), settings))
        report(`plans to send ${body}, and declares ${JSON.stringify(settings)}`);
    }
    if (reason === 'Applied') {
      const [keys = [], declared] = [applied?.keys?.toSorted(), Object.keys(settings).toSorted()];
      if (!isDeepStrictEqual(keys, declared))
        report(`is Applied with ${keys.join(', ')}, and declares ${declared.join(', ')}`);
      if ((nextAttemptTime === undefined) !== (reassertInterval === undefined))
        report(`has the interval ${reassertInterval}, and next acts at ${nextAttemptTime}`);
    }
    if (reason === 'NotConfirmed' && differences === undefined)
      report('is NotConfirmed, and does not say what differs');
  }

  #judgeHeld(key: string, thing: Thing): void {
    const { settings = {}, organizationId, serviceId, pipeId } = specOf(thing);
    const held = this.#court.life.api.settings.of(`${organizationId}/${serviceId}/${pipeId}`) ?? {};
    const other = Object.entries(settings).find(([name, value]) => held[name] !== value);
    if (
      !other ||
      this.#court.isOverruledElsewhere(thing, targetOfSpec('pipesettings', specOf(thing)))
    )
      return;
    const [name, value] = other;
    if (isFromBefore(thing, this.#court)) return;
    if (this.#wasSilent(thing, name) || this.#cameTwice(thing) || this.#cameUntold(thing)) return;
    this.#court.report(
      this.#overwrittenBy(thing),
      key,
      `${key} says Applied with ${name} ${String(value)}, and the API has ${String(held[name])}`,
    );
  }

  /**
   * The last call was this object's own, and its reply did not speak of the setting: that counts as
   * taken. So it does where the very same request came once more since, late and unanswered: an API
   * that keeps another value then has kept it before.
   */
  #wasSilent(thing: Thing, name: string): boolean {
    const target = targetOfSpec('pipesettings', specOf(thing));
    const { requestId } = statusOf(thing).applied ?? {};
    const own = this.#court
      .carriedOut(target)
      .findLast(({ reply }) => reply !== undefined && reply.requestId === requestId);
    const last = this.#court.carriedOut(target).at(-1);
    const isOwn = last === own || (last?.reply === undefined && last?.text === own?.text);
    return isOwn && own?.reply?.result !== undefined && own.reply.result[name] === undefined;
  }

  /** A call that was answered was carried out once more, long after: no client hears of that. */
  #cameTwice(thing: Thing): boolean {
    const target = targetOfSpec('pipesettings', specOf(thing));
    const last = this.#court.carriedOut(target).at(-1);
    const isSo = last?.reply !== undefined && last.executions.length > 1;
    if (isSo) this.#court.excuse('a call carried out twice');
    return isSo;
  }

  /**
   * No status told of the call that came last, of a process that is gone: none ever did, or the
   * same was confirmed since.
   */
  #cameUntold(thing: Thing): boolean {
    const last = this.#court.carriedOut(targetOfSpec('pipesettings', specOf(thing))).at(-1);
    if (cameUntold(last, thing, this.#court)) return true;
    if (!last || last.reply) return false;
    const isSo = this.#court.wasConfirmedAfter(last, thing) || this.#wasTakenOffRecord(last, thing);
    if (isSo) this.#court.excuse(UNTOLD);
    return isSo;
  }

  /**
   * Another shard's: the word that told of it had given way to one that nothing happened before
   * anybody who sees both was shown it.
   */
  #wasTakenOffRecord(lost: ApiCall, { metadata: { namespace } }: Thing): boolean {
    const { fleet } = this.#court.life;
    const senders = new Set(
      this.#court.candidates(lost).map(({ known }) => known.last.metadata.uid),
    );
    const isConfirmed = this.#court.life
      .objects()
      .some(
        ({ thing }) =>
          senders.has(thing.metadata.uid) && this.#court.confirmedAt(thing) >= lost.leftAt,
      );
    const knowing = [
      lost.process,
      ...[...senders].flatMap((uid) => this.#court.shownTaken(lost, uid)),
    ];
    return !isConfirmed && !knowing.some((process) => fleet.isSeenBy(process, namespace));
  }

  /**
   * Whose call was the last to be carried out: another object's, an earlier one of its own, or
   * nobody's.
   */
  #overwrittenBy(thing: Thing): string {
    const target = targetOfSpec('pipesettings', specOf(thing));
    const last = this.#court.carriedOut(target).at(-1);
    if (!last) return 'I4 not-there';
    const isOwn = this.#court
      .candidates(last)
      .some(({ known }) => known.last.metadata.uid === thing.metadata.uid);
    if (!isOwn) return 'I4 overwritten';
    return last.reply === undefined ? 'I4 late-write' : 'I4 not-there';
  }
}
