import { kindOf } from '../kubernetes/kinds.ts';
import type { ApiCall, Fact, KubeAsk } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import { shown } from './calls.ts';
import type { Candidate, Court, Judge } from './court.ts';
import { isLook } from './messages.ts';
import type { Notes } from './notes.ts';
import type { Overruled } from './overruled.ts';

/**
 * So long nobody may hold the Lease while everything works: one that died without a word is given
 * up after 15 s.
 */
const LEADERLESS_MS = 75_000;
const LOOK_EVERY_MS = 15_000;
/**
 * Requests to the API server in a minute about the Lease, or about anything else, for a handful of
 * objects that nobody edits.
 */
const MOST_REQUESTS = 180;
/** An edit of a user is followed by an intent, a last word, an event, and a read of the Secret. */
const FOR_EACH_EDIT = 4;
/**
 * A key that a user has written is read, and every object that goes by it may be tried and told of
 * at once.
 */
const FOR_EACH_KEY = 10;
/**
 * While a Secret's watch does not say which version is the present one, as after a restore, the key
 * is read up to three times before a call.
 */
const FOR_EACH_CALL = 3;
const MINUTE = 60_000;

/**
 * Processes end when they are told to, in order; one of them leads whenever one could; none of them
 * spins.
 */
export class ProcessJudge implements Judge {
  readonly #court: Court;
  readonly #asked = new Map<string, number[]>();
  /** When users wrote Secrets. */
  readonly #keys: number[] = [];
  /** When they wrote objects. */
  readonly #edits: number[] = [];
  /** When calls to the management API left. */
  readonly #calls: number[] = [];
  readonly #frozen = new Set<string>();
  /** When a write of a process was last refused, because somebody else had written before it. */
  readonly #overtaken = new Map<string, number>();
  /** The answer that was the last thing that a process had of the API. */
  readonly #last = new Map<string, ApiCall>();
  /** By process: what it was asking of the API server when it broke that off to end. */
  readonly #brokenOff = new Map<string, string[]>();
  readonly #notes: Notes;
  readonly #overruled: Overruled;
  #disturbedAt = 0;
  #renewedAt = 0;

  constructor(court: Court, seen: { readonly notes: Notes; readonly overruled: Overruled }) {
    this.#court = court;
    this.#notes = seen.notes;
    this.#overruled = seen.overruled;
    if (court.life.world.elected) this.#watchLease();
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'process':
        this.#process(fact);
        return;
      case 'asked':
        this.#ask(fact.process, fact.ask, fact.at);
        if (fact.ask.status === 409) this.#overtaken.set(fact.process, fact.at);
        if (isTrouble(fact.ask)) this.#disturbedAt = fact.at;
        else if (fact.ask.status === undefined) this.#breakOff(fact.process, fact.ask);
        else if (fact.ask.status === 200 && fact.ask.path.endsWith('/status'))
          this.#noteTold(fact.process, fact.ask);
        return;
      case 'answered':
        this.#last.set(fact.call.process, fact.call);
        return;
      case 'leaves':
        this.#calls.push(fact.at);
        this.#last.delete(fact.call.process);
        return;
      case 'written':
        if (fact.change.kind.plural === 'leases' && fact.change.type !== 'DELETED')
          this.#renewedAt = fact.at;
        if (fact.change.kind.plural === 'secrets') this.#keys.push(fact.at);
        if (fact.change.kind.schema && fact.change.by === 'user') this.#edits.push(fact.at);
        return;
      case 'log':
        this.#read(fact.process, fact.line);
        return;
      default:
    }
  }

  #process({ process, did, text, at }: Extract<Fact, { what: 'process' }>): void {
    if (did === 'frozen') this.#frozen.add(process);
    if (did === 'goes-on' || did === 'starts') this.#disturbedAt = at;
    // Whoever has lost its Lease ends, and stands by again when it has been started anew.
    if (did === 'failed' && !text?.startsWith('the leadership was lost'))
      this.#court.report('process failed', process, `${process} ended with an error: ${text}`);
    if (did === 'killed' && !this.#frozen.has(process)) {
      this.#court.report(
        'process overdue',
        process,
        `${process} was told to end and had not ended when its grace was over`,
      );
    }
    if (did === 'ended') this.#ended(process, at);
  }

  /** What ends in order leaves a Lease that is free, and a status for every answer that it had. */
  #ended(process: string, at: number): void {
    const { kube, restores, kubeDisturbedAt } = this.#court.life;
    const disturbedAt = Math.max(this.#disturbedAt, kubeDisturbedAt);
    if (at - disturbedAt < 60_000 || this.#frozen.has(process) || restores.length > 0) return;
    const lease = kube.objects.list(kindOf('leases'), '')[0];
    const holder = (lease?.spec as { readonly holderIdentity?: string } | undefined)
      ?.holderIdentity;
    if (holder === process)
      this.#court.report(
        'process lease-kept',
        process,
        `${process} ended in order and still holds the Lease`,
      );
    const last = this.#last.get(process);
    const overtakenAt = this.#overtaken.get(process) ?? 0;
    if (last?.reply && at - last.reply.at < 60_000 && overtakenAt < last.reply.at)
      this.#judgeLost(process, last, at);
  }

  #judgeLost(process: string, call: ApiCall, at: number): void {
    const { requestId } = call.reply ?? {};
    // One that is too long is no answer to its process. What a look or the answer to a name showed
    // is kept in memory only, until the attempt ends.
    if (call.unanswered || requestId === undefined || call.reply?.status !== 200 || isLook(call))
      return;
    const candidates = this.#court.candidates(call);
    const stored = candidates.flatMap(({ key, known }) => {
      const [plural = '', namespace = '', name = ''] = key.split('/');
      const thing = this.#court.life.stored(plural, namespace, name);
      return thing && thing.metadata.uid === known.last.metadata.uid ? [thing] : [];
    });
    // It may have been for an object that is gone.
    if (stored.length < candidates.length) return;
    if (stored.some((thing) => statusOf(thing).lastRequest?.requestId === requestId)) return;
    const isOverruled = (one: Candidate): boolean =>
      this.#overruled.isOthers(call, one.known.last.metadata.uid) && this.#overruled.has(call, one);
    if (candidates.some(isOverruled)) return;
    // The API server may take longer for it than a process has when it is told to end.
    const isOnItsWay = this.#brokenOff.get(process)?.some((body) => body.includes(requestId));
    if (isOnItsWay && this.#notes.hadItsGrace(process, at)) {
      this.#court.excuse('a status on its way when the grace of its writer was used up');
      return;
    }
    this.#court.report(
      'process result-lost',
      process,
      `${process} ended in order, and no status tells of the answer to ${shown(call)}`,
    );
  }

  /** A status has told of it, whatever is written over that later. */
  #noteTold(process: string, { body }: KubeAsk): void {
    const requestId = this.#last.get(process)?.reply?.requestId;
    if (requestId !== undefined && body.includes(requestId)) this.#last.delete(process);
  }

  #breakOff(process: string, { body }: KubeAsk): void {
    this.#brokenOff.set(process, [...(this.#brokenOff.get(process) ?? []), body]);
  }

  #ask(process: string, { path, method, status }: KubeAsk, at: number): void {
    const isGone = method === 'PATCH' && status === 404;
    const rule = path.includes('/leases')
      ? 'process lease-loop'
      : isGone
        ? 'rest gone-loop'
        : 'rest hot-loop';
    const name = `${process} ${rule}`;
    const times = this.#asked.get(name) ?? [];
    this.#asked.set(name, times);
    times.push(at);
    for (const seen of [times, this.#keys, this.#edits, this.#calls])
      while ((seen[0] ?? at) <= at - MINUTE) seen.shift();
    const caused =
      FOR_EACH_EDIT * this.#edits.length +
      FOR_EACH_KEY * this.#keys.length +
      FOR_EACH_CALL * this.#calls.length;
    if (times.length > MOST_REQUESTS + caused) {
      this.#court.report(
        rule,
        process,
        `${process} made ${times.length} requests to the API server in a minute, about ${path}`,
      );
    }
  }

  #watchLease(): void {
    const { timeline, weather, fleet, restores } = this.#court.life;
    timeline.quietlyAt(LOOK_EVERY_MS, () => {
      const { now } = timeline;
      const { kubeDisturbedAt } = this.#court.life;
      const isUp =
        !weather.kubeIsDown &&
        fleet.processes.some(({ host, ending }) => host.alive && !host.frozen && !ending);
      if (!isUp || weather.kubeTrouble) this.#disturbedAt = now;
      const quietSince = Math.max(
        this.#renewedAt,
        this.#disturbedAt,
        kubeDisturbedAt,
        restores.at(-1) ?? 0,
      );
      if (now - quietSince > LEADERLESS_MS) {
        this.#court.report(
          'process nobody-leads',
          'lease',
          `nobody has renewed the Lease for ${Math.round((now - this.#renewedAt) / 1_000)} s, although a process runs and the API server answers`,
        );
      }
      this.#watchLease();
    });
  }

  #read(process: string, line: string): void {
    if (
      !line.includes('"level":"error"') &&
      !line.includes('"level":"fatal"') &&
      !line.includes('a bug')
    )
      return;
    this.#court.report(
      'process bug',
      process,
      `${process} says that it has a bug: ${line.trim().slice(0, 400)}`,
    );
  }
}

/**
 * The API server did not do what it was asked for; what the process itself broke off is no excuse.
 */
function isTrouble({ status, failure }: KubeAsk): boolean {
  if (status === undefined) return !failure?.includes('client is destroyed');
  return status >= 500 || status === 403;
}
