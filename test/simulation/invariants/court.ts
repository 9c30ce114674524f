import type { Thing } from '../kubernetes/objects.ts';
import type { Life } from '../life/life.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import type { Known } from '../record/knowledge.ts';
import { specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import { isMisdated } from './misdated.ts';
import { Told } from './told.ts';

/** Something that must not be. */
export interface Violation {
  /** The invariant and its part, as in README.md: `I2 was-there`. */
  readonly rule: string;
  /** What it befell: an object, a target or a process. */
  readonly subject: string;
  readonly at: number;
  /** What broke, in one plain sentence. */
  readonly text: string;
}

/**
 * Watches over one invariant, from what both servers have seen and what stands in the cluster; it
 * knows nothing of the code.
 */
export interface Judge {
  see(fact: Fact): void;
  /** The life is over. */
  end?(): void;
}

/**
 * An object that a call may have been made for: its target fits, and the key is of a Secret of its
 * namespace.
 */
export interface Candidate {
  readonly key: string;
  readonly known: Known;
}

/** A visit that has begun reads a Secret, and is in line for its slot. */
const HANDOVER_MS = 30_000;

/** What follows from an old state of the cluster, by how its name begins. */
const AFTERMATH = [
  'held two-ready',
  'I3',
  'I4',
  'I5',
  'promise',
  'said applied',
  'call again',
  'call ghost',
  'held blocked',
  'activity lost-ready',
];

/** Where judges bring what they find. The same breach of the same thing is heard once. */
export class Court {
  readonly life: Life;
  readonly violations: Violation[] = [];
  /** Breaches that no client could have avoided, by kind. */
  readonly excused = new Map<string, number>();
  /**
   * By API and target: the calls in the order in which they were carried out, the present one at
   * its last.
   */
  readonly #carried = new Map<string, ApiCall[]>();
  /** By API and organization: the call of the operator that was the last to give it a name. */
  readonly lastNamed = new Map<string, ApiCall>();
  /** A life that goes round and round has shown what it has to show. */
  isAdjourned = false;
  readonly #told = new Told();
  /** By resourceVersion: who wrote it. */
  readonly #written = new Map<string, string>();
  /** By request id: the replies of 200. */
  readonly #confirmed = new Map<string, ApiCall>();
  /** API and uid of every object for which a call can have been made that was confirmed. */
  readonly #proven = new Set<string>();
  /**
   * By call: for which objects it may have been that the process knew from before a restore, and
   * had not been told of again.
   */
  readonly #forgotten = new Map<number, readonly Thing[]>();
  /**
   * By call: writes of other processes that may have been at work when it left, and no status told
   * of them.
   */
  readonly #untold = new Map<ApiCall, ApiCall[]>();
  readonly #heard = new Set<string>();
  /** Calls that have left, and of which nobody has heard yet. */
  readonly underWay = new Set<ApiCall>();
  readonly #candidates = new Map<number, readonly Candidate[]>();

  constructor(life: Life) {
    this.life = life;
  }

  /** `at`: where it is found out later than it happened. */
  report(broken: string, subject: string, text: string, at: number = this.life.timeline.now): void {
    const rule = this.#named(broken, at);
    const key = `${rule} ${subject}`;
    if (this.#heard.has(key)) return;
    this.#heard.add(key);
    this.violations.push({ rule, subject, at, text });
  }

  /** After a restore of the cluster, whatever an object comes to is one and the same fault. */
  #named(rule: string, at: number): string {
    const { restores, wentBackFrom } = this.life;
    if (
      !restores.some((restored) => restored <= at) ||
      !AFTERMATH.some((start) => rule.startsWith(start))
    )
      return rule;
    return wentBackFrom !== undefined ? 'restore backwards' : 'restore forwards';
  }

  see(fact: Fact): void {
    this.#told.see(fact);
    switch (fact.what) {
      case 'written':
        this.#written.set(fact.change.now.metadata.resourceVersion, fact.change.by);
        return;
      case 'leaves':
        // Noted now, as they are known when it leaves.
        this.candidates(fact.call);
        this.#noteForgotten(fact.call);
        this.underWay.add(fact.call);
        return;
      case 'done':
        if (fact.call.executions.at(-1)?.applied) this.#carry(fact.call);
        return;
      case 'unanswered':
        this.underWay.delete(fact.call);
        return;
      case 'answered': {
        this.underWay.delete(fact.call);
        const { requestId } = fact.call.reply ?? {};
        if (isSuccess(fact.call) && requestId !== undefined)
          this.#confirmed.set(requestId, fact.call);
        if (isSuccess(fact.call)) this.#prove(fact.call);
        return;
      }
      default:
    }
  }

  /** Whether a process that is to see it cannot have heard of this version. */
  isMissed(plural: string, thing: Thing): boolean {
    const { fleet, kubernetesSide } = this.life;
    return fleet.processes.some(
      ({ name }) =>
        fleet.isSeenBy(name, thing.metadata.namespace) &&
        kubernetesSide.isMissedBy(name, plural, thing),
    );
  }

  /**
   * Whether what a status says of its Secret may be from before a restore whose versions were as
   * high again: the Secret's watch went on from there.
   */
  isSecretMissed(thing: Thing, reason: string): boolean {
    const { wentBackFrom } = this.life;
    if (wentBackFrom === undefined || !reason.startsWith('Secret')) return false;
    const { name = '' } = specOf(thing).credentialsSecretRef ?? {};
    const secret = this.life.stored('secrets', thing.metadata.namespace, name);
    return secret === undefined || Number(secret.metadata.resourceVersion) <= wentBackFrom;
  }

  #noteForgotten(call: ApiCall): void {
    const forgotten = [...this.life.knowledge.forgottenBy(call.process)];
    const objects = forgotten.flatMap(([key, thing]) =>
      this.#isFor(call, key, thing) ? [thing] : [],
    );
    if (objects.length > 0) this.#forgotten.set(call.id, objects);
  }

  #prove(call: ApiCall): void {
    for (const { metadata } of this.objectsOf(call))
      this.#proven.add(`${call.host} ${metadata.uid}`);
  }

  #isFor({ target, credential }: ApiCall, key: string, thing: Thing): boolean {
    const [plural = '', namespace = ''] = key.split('/');
    return targetOfSpec(plural, specOf(thing)) === target && this.holds(namespace, credential);
  }

  /** Whether the API that is in use now has ever taken the key of this object for its target. */
  isProven({ metadata }: Thing): boolean {
    return this.#proven.has(`${this.life.apiHost} ${metadata.uid}`);
  }

  #carry(call: ApiCall): void {
    const target = `${call.host} ${call.target}`;
    this.#carried.set(target, [...(this.#carried.get(target) ?? []), call]);
    if (call.method !== 'PATCH') return;
    const { name } = call.body as { readonly name?: string };
    if (name !== undefined) this.lastNamed.set(target, call);
  }

  /** The calls that were carried out for a target, in that order, at the API that is in use now. */
  carriedOut(target: string): readonly ApiCall[] {
    return this.#carried.get(`${this.life.apiHost} ${target}`) ?? [];
  }

  /**
   * Whether the same was confirmed after a call without an answer had left, and what came then is
   * another process's.
   */
  wasConfirmedAfter(lost: ApiCall, thing: Thing): boolean {
    const calls = this.#carried.get(`${lost.host} ${lost.target}`) ?? [];
    const own = this.#confirmed.get(statusOf(thing).applied?.requestId ?? '');
    if (!own || own.process === lost.process) return false;
    return calls.some(
      (call) =>
        call !== lost && call.leftAt > lost.leftAt && call.text === lost.text && isSuccess(call),
    );
  }

  /** Whether its process has written the status of this object since it ended. */
  isTold(call: ApiCall, uid: string): boolean {
    return this.#told.has(call, uid);
  }

  /**
   * Which processes were shown since it ended that the API has taken something of this object, or
   * may have.
   */
  shownTaken(call: ApiCall, uid: string): readonly string[] {
    return this.#told.shownTo(call, uid);
  }

  /**
   * No client could have waited with this call for that write: it is not to blame for what the
   * write overwrites.
   */
  leftUntold(call: ApiCall, write: ApiCall): void {
    this.#untold.set(call, [...(this.#untold.get(call) ?? []), write]);
  }

  /** Whether the call that confirmed this object left when nobody could know of this write. */
  wasUntold(write: ApiCall, thing: Thing): boolean {
    const own = this.confirmedBy(thing);
    return own !== undefined && this.hasLeftUntold(own, write);
  }

  /** Whether this call left when nobody could know of that write. */
  hasLeftUntold(call: ApiCall, write: ApiCall): boolean {
    return (this.#untold.get(call) ?? []).includes(write);
  }

  /**
   * Whether a process that does not see this object has had a call carried out for its target since
   * it was last confirmed; or one that did not see it then, for an object that is gone, or over
   * whose status another process had spoken: none that is left tells of the call.
   */
  isOverruledElsewhere(thing: Thing, target: string): boolean {
    const calls = this.carriedOut(target);
    const own = this.confirmedBy(thing);
    const since = own ? calls.slice(calls.indexOf(own) + 1) : calls;
    const { fleet } = this.life;
    const { namespace } = thing.metadata;
    const telling = new Set(
      this.life
        .objects()
        .flatMap(({ thing: one }) => (tellsOfCalls(one) ? [one.metadata.uid] : [])),
    );
    return since.some((call) => {
      const objects = this.candidates(call).map(({ known }) => known.last.metadata);
      if (!objects.some((one) => fleet.sees(one.namespace, namespace))) return true;
      if (isMisdated(call, { thing, confirmedAt: this.confirmedAt(thing), life: this.life }))
        return true;
      const isTold = objects.some(({ uid }) => telling.has(uid) && this.isTold(call, uid));
      return !fleet.isSeenBy(call.process, namespace) && !isTold;
    });
  }

  /** Whether the API that is in use now has confirmed this very generation. */
  isConfirmed(thing: Thing): boolean {
    const { applied, lastRequest } = statusOf(thing);
    const isHere = this.confirmedBy(thing)?.host === this.life.apiHost;
    return (
      isHere &&
      applied?.generation === thing.metadata.generation &&
      lastRequest?.outcome === 'Succeeded'
    );
  }

  confirmedBy(thing: Thing): ApiCall | undefined {
    return this.#confirmed.get(statusOf(thing).applied?.requestId ?? '');
  }

  /**
   * When its declared state was last confirmed; by its own word, which a wrong clock may have
   * written, only where the reply had no id.
   */
  confirmedAt(thing: Thing): number {
    return (
      this.confirmedBy(thing)?.reply?.at ??
      Date.parse(statusOf(thing).applied?.time ?? '') - this.life.wall
    );
  }

  /** Ends the life here: how it would come out is not judged. */
  adjourn(): void {
    this.isAdjourned = true;
    this.life.timeline.stop();
  }

  excuse(kind: string): void {
    this.excused.set(kind, (this.excused.get(kind) ?? 0) + 1);
  }

  /** For which objects a call can have been made, as the process knew them when it left. */
  candidates(call: ApiCall): readonly Candidate[] {
    const known = this.#candidates.get(call.id);
    if (known) return known;
    const found: Candidate[] = [];
    for (const [key, one] of this.life.knowledge.of(call.process)) {
      if (this.#isFor(call, key, one.last)) found.push({ key, known: one });
    }
    this.#candidates.set(call.id, found);
    return found;
  }

  /**
   * The same, and what the process held when the versions went back, and had been told nothing of
   * since: it may have gone by that.
   */
  objectsOf(call: ApiCall): readonly Thing[] {
    return [
      ...this.candidates(call).map(({ known }) => known.last),
      ...(this.#forgotten.get(call.id) ?? []),
    ];
  }

  /**
   * A visit may have begun before the process was told of what another one has written last, or of
   * what a restore has brought back.
   */
  isLateWord({ last, isFirst, isRestored, at }: Known, process: string): boolean {
    const isOwn = this.#written.get(last.metadata.resourceVersion) === process;
    if (isFirst || (isOwn && !isRestored)) return false;
    return this.life.timeline.now - at <= HANDOVER_MS;
  }

  /**
   * Whether this key has stood in a Secret of the namespace: in the one of this name, where a name
   * is given.
   */
  holds(namespace: string, { keyId, secret }: ApiCall['credential'], name?: string): boolean {
    return this.life.secrets.some(
      (draft) =>
        draft.namespace === namespace &&
        (name === undefined || draft.name === name) &&
        draft.keyId === keyId &&
        draft.secret === secret,
    );
  }
}

/** Whether a reply confirms what was asked: a result, and no error of whatever form beside it. */
export function isSuccess({ reply }: ApiCall): boolean {
  return reply?.status === 200 && reply.error === undefined && reply.result !== undefined;
}

/** Whether an answer says that nothing happened. */
export function isRefused({ reply }: ApiCall): boolean {
  return reply !== undefined && reply.status >= 400 && reply.status < 500 && reply.status !== 408;
}

function tellsOfCalls(thing: Thing): boolean {
  const { applied, lastRequest, proof } = statusOf(thing);
  return [applied, lastRequest, proof].some((one) => one !== undefined);
}
