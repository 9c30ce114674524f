import type { Change } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { REQUESTED_AT, specOf, targetOfSpec } from '../record/objects.ts';
import { shown } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { isLook } from './messages.ts';

interface Pace {
  /** When the last calls left. */
  readonly left: number[];
  /** The same, of calls that are alike in everything. */
  readonly alike: Map<string, number[]>;
  readonly inFlight: Set<number>;
  pausedUntil: number;
}

const IN_FLIGHT = 4;
/**
 * The same call may leave so often in a minute: a change of twenty endpoints that are refused one
 * by one looks between them.
 */
const MOST_ALIKE = 40;
const MINUTE = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** The least that the operator waits after a 429 by itself: 10 s, less a fifth. */
const OWN_PAUSE_MS = 8_000;
/** Clocks differ, and headers count in whole seconds. */
const SLACK_MS = 2_000;

/**
 * Each process keeps each key within --api-rate, within four calls at once, and silent for as long
 * as the API asks; one call at a time for one target.
 */
export class PaceJudge implements Judge {
  readonly #court: Court;
  readonly #paces = new Map<string, Pace>();
  readonly #targets = new Map<string, ApiCall>();
  /** When calls left with keys of which no process has heard that they work, by process. */
  readonly #untried = new Map<string, number[]>();
  readonly #worked = new Set<string>();
  /** By target: when users asked for a try. */
  readonly #asks = new Map<string, number[]>();
  readonly #rate: { readonly calls: number; readonly perMs: number } | undefined;

  constructor(court: Court) {
    this.#court = court;
    const [, calls, seconds] = /^(\d+)\/(\d+)s$/.exec(court.life.world.flags.rate) ?? [];
    this.#rate =
      calls === undefined ? undefined : { calls: Number(calls), perMs: Number(seconds) * 1_000 };
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'leaves':
        this.#leaves(fact.call);
        return;
      case 'answered':
        this.#answered(fact.call);
        this.#over(fact.call);
        return;
      case 'unanswered':
        this.#over(fact.call);
        return;
      case 'written':
        this.#written(fact.change);
        return;
      case 'process':
        if (fact.did === 'died' || fact.did === 'killed' || fact.did === 'ended')
          this.#forget(fact.process);
        return;
      default:
    }
  }

  #written({ kind, now, before }: Change): void {
    const asked = now.metadata.annotations?.[REQUESTED_AT];
    if (asked === undefined || asked === before?.metadata.annotations?.[REQUESTED_AT]) return;
    const target = targetOfSpec(kind.plural, specOf(now));
    this.#asks.set(target, [...this.#asksOf(target), this.#court.life.timeline.now]);
  }

  /** When users asked for a try within the last minute, each of which is one more call. */
  #asksOf(target: string): readonly number[] {
    const { now } = this.#court.life.timeline;
    return (this.#asks.get(target) ?? []).filter((at) => at > now - MINUTE);
  }

  #leaves(call: ApiCall): void {
    const pace = this.#paceOf(call);
    const { now } = this.#court.life.timeline;
    const subject = `${call.process} ${call.credential.keyId}`;
    if (now < pace.pausedUntil) {
      const seconds = Math.round((pace.pausedUntil - now) / 1_000);
      this.#court.report(
        'pace pause',
        subject,
        `${shown(call)} leaves ${seconds} s before the pause is over that the API asked for`,
      );
    }
    pace.left.push(now);
    this.#leavesAgain(call, pace);
    if (this.#rate) {
      const { calls, perMs } = this.#rate;
      while ((pace.left[0] ?? now) <= now - perMs) pace.left.shift();
      if (pace.left.length > calls) {
        this.#court.report(
          'pace rate',
          subject,
          `${pace.left.length} calls leave within ${perMs / 1_000} s, and ${calls} may`,
        );
      }
    }
    this.#leavesUntried(call);
    pace.inFlight.add(call.id);
    if (pace.inFlight.size > IN_FLIGHT) {
      this.#court.report(
        'pace in-flight',
        subject,
        `${pace.inFlight.size} calls are under way at once, and ${IN_FLIGHT} may be`,
      );
    }
    const other = this.#targets.get(`${call.process} ${call.target}`);
    // Reading a record twice at once harms nobody.
    if (other && call.method !== 'GET')
      this.#court.report(
        'I6 at-once',
        call.target,
        `${shown(call)} leaves while ${shown(other)} is under way`,
      );
    this.#targets.set(`${call.process} ${call.target}`, call);
  }

  /** All keys that have never worked share one rate. */
  #leavesUntried(call: ApiCall): void {
    if (!this.#rate || this.#worked.has(keyOf(call))) return;
    const { now } = this.#court.life.timeline;
    const { calls, perMs } = this.#rate;
    const left = this.#untried.get(call.process) ?? [];
    this.#untried.set(call.process, left);
    left.push(now);
    while ((left[0] ?? now) <= now - perMs) left.shift();
    if (left.length > calls)
      this.#court.report(
        'pace untried',
        call.process,
        `${left.length} calls with keys that have never worked leave within ${perMs / 1_000} s, and ${calls} may`,
      );
  }

  #leavesAgain(call: ApiCall, { alike }: Pace): void {
    const { now } = this.#court.life.timeline;
    const name = `${call.method} ${call.target} ${call.text}`;
    const times = alike.get(name) ?? [];
    alike.set(name, times);
    times.push(now);
    while ((times[0] ?? now) <= now - MINUTE) times.shift();
    if (times.length > MOST_ALIKE + this.#asksOf(call.target).length) {
      this.#court.report(
        isLook(call) ? 'pace look-loop' : 'pace repeats',
        call.target,
        `${shown(call)} leaves ${times.length} times within a minute`,
      );
      this.#court.adjourn();
    }
  }

  #answered(call: ApiCall): void {
    const { reply } = call;
    if (!reply) return;
    if (reply.status === 200) this.#worked.add(keyOf(call));
    const asked = waitAsked(reply.headers, reply.status, this.#court.life.wall + reply.at);
    if (reply.status !== 429 && !(reply.status === 503 && asked > 0)) return;
    const pace = this.#paceOf(call);
    const own = reply.status === 429 ? OWN_PAUSE_MS : 0;
    const waitMs = Math.min(Math.max(asked - SLACK_MS, own), LONGEST_PAUSE_MS - SLACK_MS);
    pace.pausedUntil = Math.max(pace.pausedUntil, reply.at + waitMs);
  }

  #over(call: ApiCall): void {
    this.#paceOf(call).inFlight.delete(call.id);
    const target = `${call.process} ${call.target}`;
    if (this.#targets.get(target)?.id === call.id) this.#targets.delete(target);
  }

  #forget(process: string): void {
    for (const key of this.#paces.keys())
      if (key.startsWith(`${process} `)) this.#paces.delete(key);
    this.#untried.delete(process);
    for (const key of this.#targets.keys())
      if (key.startsWith(`${process} `)) this.#targets.delete(key);
  }

  #paceOf(call: ApiCall): Pace {
    const key = `${call.process} ${keyOf(call)}`;
    const pace: Pace = this.#paces.get(key) ?? {
      left: [],
      alike: new Map(),
      inFlight: new Set<number>(),
      pausedUntil: 0,
    };
    this.#paces.set(key, pace);
    return pace;
  }
}

/** A key for one API. */
function keyOf({ host, credential }: ApiCall): string {
  return `${host} ${credential.keyId}:${credential.secret}`;
}

/** How long the API asked to be left alone, by its headers. */
export function waitAsked(
  headers: Readonly<Record<string, string>>,
  status: number,
  now: number,
): number {
  const texts = [headers['retry-after'], status === 429 ? headers['x-ratelimit-reset'] : undefined];
  const waits = texts.flatMap((text) => {
    if (text === undefined) return [];
    const number = Number(text);
    if (Number.isNaN(number)) return [Date.parse(text) - now];
    if (number > 1e12) return [number - now];
    return [number > 1e9 ? number * 1_000 - now : number * 1_000];
  });
  return Math.max(0, ...waits.filter((wait) => !Number.isNaN(wait)));
}
