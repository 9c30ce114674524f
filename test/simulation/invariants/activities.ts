import type { Fact } from '../record/facts.ts';
import { isStalled, readyOf, specOf, statusOf } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';
import { asMeant } from './twice.ts';

/** Records appear late; the clocks of server and operator may differ a little. */
const LATE_MS = 9.5 * 60_000;

/** A record that is held stays Ready; one that is late is waited for. */
export class ActivityJudge implements Judge {
  readonly #court: Court;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (
      fact.what !== 'written' ||
      fact.change.kind.plural !== 'activities' ||
      fact.change.by === 'user'
    )
      return;
    const { now } = asMeant(fact.change, this.#court.life);
    const { namespace, name, creationTimestamp } = now.metadata;
    const key = `activities/${namespace}/${name}`;
    const status = statusOf(now);
    const ready = readyOf(now);
    if (status.activity && ready?.status !== 'True' && !specOf(now).suspend) {
      this.#court.report(
        'activity lost-ready',
        key,
        `${key} holds its record and says ${ready?.reason}`,
      );
    }
    const age = this.#court.life.kube.now() - Date.parse(creationTimestamp);
    const late = status.lastRequest?.httpStatus === 404 || status.lastRequest?.httpStatus === 400;
    const isTheirs = ready?.reason === 'NotFound' || ready?.reason === 'Rejected';
    if (isStalled(now) && late && isTheirs && age < LATE_MS - this.#court.life.fleet.clocksOffMs) {
      const minutes = Math.floor(age / 60_000);
      this.#court.report(
        'activity early-stall',
        key,
        `${key} is Stalled by a ${status.lastRequest?.httpStatus} when it is ${minutes} min old`,
      );
    }
  }
}
