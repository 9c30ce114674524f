import type { Change, Thing } from '../kubernetes/objects.ts';
import { isWatch } from '../life/kube-paths.ts';
import type { ApiCall, Fact, ProcessEvent } from '../record/facts.ts';
import { isIdle, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';
import { waitAsked } from './pace.ts';
import { heldInstead } from './twice.ts';
import type { UnsettledJudge } from './unsettled.ts';

/** Reasons behind which a call stands, and after which another one is promised. */
const CALLED = new Set([
  'Rejected',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'Conflict',
  'DependencyNotReady',
  'Unavailable',
  'OutcomeUnknown',
  'UnexpectedResponse',
  'NotConfirmed',
  'Applied',
]);
/** An attempt may have to stand in line for its slot. */
const SLACK_MS = 20_000;
/** What is to be done at once is done by then. */
const AT_ONCE_MS = 5_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/**
 * A watch that was refused so lately waits half a minute when it ends, and as long again where it
 * has to list anew.
 */
const REFUSED_LATELY_MS = 2 * 60_000;

const GONE: ReadonlySet<ProcessEvent> = new Set(['died', 'killed', 'ended', 'failed']);

interface Promised {
  readonly key: string;
  readonly uid: string;
  readonly resourceGeneration: number;
  readonly secret: string;
  readonly reason: string;
  readonly at: number;
  /** Who wrote the time; absent: nobody has, it is to be done at once. */
  readonly by?: string;
  readonly writtenAt: number;
}

/** What `status.nextAttemptTime` promises is kept, unless something from outside came between. */
export class PromiseJudge implements Judge {
  readonly #court: Court;
  readonly #unsettled: UnsettledJudge;
  readonly #open = new Map<string, Promised>();
  /** Times at which something happened that any promise may suffer from. */
  #disturbedAt = Number.NEGATIVE_INFINITY;
  /** When an answer came that had held up a worker, or the only one, for long. */
  #heldUpAt = Number.NEGATIVE_INFINITY;
  #secretsRefusedAt = Number.NEGATIVE_INFINITY;
  /** The last calls, of all objects. */
  #calls: ApiCall[] = [];

  constructor(court: Court, unsettled: UnsettledJudge) {
    this.#court = court;
    this.#unsettled = unsettled;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'process':
        this.#disturbedAt = fact.at;
        // Nobody waits for the answer to a call whose process is gone.
        if (GONE.has(fact.did))
          this.#calls = this.#calls.filter((call) => call.reply || call.process !== fact.process);
        return;
      case 'asked':
        // Of a list that is older than what was seen before, the watch of a Secret has the same to
        // wait.
        if (this.#areListsOld && fact.ask.path.includes('/secrets?'))
          this.#secretsRefusedAt = fact.at;
        if ((fact.ask.tookMs ?? 0) >= SLACK_MS / 2) this.#heldUpAt = fact.at;
        if (fact.ask.status !== undefined && fact.ask.status < 400) return;
        this.#disturbedAt = fact.at;
        // A Secret that is read by its name and is not there is no failure of its watch.
        if (fact.ask.path.includes('/secrets?')) this.#secretsRefusedAt = fact.at;
        return;
      case 'leaves':
        this.#calls.push(fact.call);
        if (this.#calls.length > 200) this.#calls.shift();
        for (const { key } of this.#court.candidates(fact.call)) this.#open.delete(key);
        return;
      case 'written':
        this.#written(fact.change);
        return;
      default:
    }
  }

  #written(change: Change): void {
    const { kind, now, before, by, type } = change;
    const { namespace, name, uid, generation = 0 } = now.metadata;
    if (kind.plural === 'secrets') {
      const secret = `${namespace}/${name}`;
      for (const [key, promised] of this.#open)
        if (promised.secret === secret) this.#open.delete(key);
      if (type !== 'DELETED' && Object.keys(now.data ?? {}).length > 1)
        this.#secretChanged(namespace, name);
      return;
    }
    if (!kind.schema) return;
    const key = `${kind.plural}/${namespace}/${name}`;
    const spec = specOf(now);
    const isOther =
      type !== 'MODIFIED' || by === 'user' || before?.metadata.generation !== generation;
    // So is what was said of another spec that had this version, too: whoever wrote it is shown
    // this one.
    if (isOther || isIdle(now) || heldInstead(change, this.#court.life)) {
      this.#open.delete(key);
      return;
    }
    const { reason = '', observedGeneration } = readyOf(now) ?? {};
    const promise = statusOf(now).nextAttemptTime;
    // A call that was under way when the Secret changed has ended the wait for it.
    const waited = this.#open.get(key)?.reason;
    if (waited?.startsWith('Secret') && reason !== waited) this.#open.delete(key);
    if (reason === 'Unauthorized' && promise === undefined && this.#isBehindNewKey(now, key))
      this.#open.delete(key);
    // What is said of an older spec promises nothing of this one: it is visited at once.
    if (!CALLED.has(reason) || observedGeneration !== generation) this.#open.delete(key);
    else if (promise !== undefined) {
      const at = Date.parse(promise) - this.#court.life.wall;
      const known = this.#open.get(key);
      if (known && known.at <= at) return;
      const secret = `${namespace}/${spec.credentialsSecretRef?.name}`;
      this.#promise({
        key,
        uid,
        resourceGeneration: generation,
        secret,
        reason,
        at,
        by,
        writtenAt: this.#now(),
      });
    }
  }

  /** Who waits for a Secret goes on at once when it is there. */
  #secretChanged(namespace: string, name: string): void {
    const { life } = this.#court;
    // A watch that is late, or dead without a word, tells of it later.
    if (life.uses('dead connections') || life.uses('lag') || this.#areListsOld) return;
    const now = this.#now();
    if (now - this.#secretsRefusedAt < REFUSED_LATELY_MS) return;
    // One that is not open yet may never be: that is known when its deadline has passed.
    const isItsWatch = (path: string): boolean => isWatch(path) && path.includes('/secrets?');
    if (
      life.fleet.processes.some((process) =>
        life.kubernetesSide.isWaiting(process.name, now, isItsWatch),
      )
    )
      return;
    for (const { plural, thing } of life.objects()) {
      const { uid, generation = 0, ...metadata } = thing.metadata;
      const reason = readyOf(thing)?.reason ?? '';
      const refers =
        metadata.namespace === namespace && specOf(thing).credentialsSecretRef?.name === name;
      if (!refers || isIdle(thing) || (reason !== 'SecretNotFound' && reason !== 'SecretInvalid'))
        continue;
      const key = `${plural}/${namespace}/${metadata.name}`;
      if (!this.#isKnown(key)) continue;
      const secret = `${namespace}/${name}`;
      this.#promise({
        key,
        uid,
        resourceGeneration: generation,
        secret,
        reason,
        at: now + AT_ONCE_MS,
        writtenAt: now,
      });
    }
  }

  /**
   * Whether a process that runs has been told of an object: one whose lists were refused since its
   * start waits for no Secret.
   */
  #isKnown(key: string): boolean {
    const { fleet, knowledge } = this.#court.life;
    return fleet.processes.some(
      ({ name }) =>
        knowledge.of(name).get(key)?.thing !== undefined || knowledge.forgottenBy(name).has(key),
    );
  }

  #promise(promised: Promised): void {
    this.#open.set(promised.key, promised);
    // A status that could not be written for a while speaks of a time that is past when it is
    // written.
    const due = Math.max(promised.at, promised.writtenAt) + SLACK_MS;
    this.#court.life.timeline.quietlyAt(due - this.#now(), () => this.#due(promised));
  }

  #due(promised: Promised): void {
    const { key, reason, at, writtenAt } = promised;
    if (this.#open.get(key) !== promised) return;
    this.#open.delete(key);
    const [plural = '', namespace = '', name = ''] = key.split('/');
    const thing = this.#court.life.stored(plural, namespace, name);
    const isUnanswered = reason.startsWith('Secret') && this.#secretsRefusedAt >= writtenAt;
    if (
      isUnanswered ||
      this.#isExcused(promised) ||
      (thing && this.#court.isSecretMissed(thing, reason))
    )
      return;
    const free = thing ? this.#freeAt(promised, targetOfSpec(plural, specOf(thing))) : 0;
    if (free > at) {
      this.#promise({ ...promised, at: free });
      return;
    }
    const minutes = ((at - writtenAt) / 60_000).toFixed(1);
    this.#court.report(
      this.#isGated(promised) ? 'promise gated' : `promise ${reason}`,
      key,
      `${key} said ${reason} and was to be tried again ${minutes} min later; ${SLACK_MS / 1_000} s after that time no call had left for it`,
    );
  }

  /**
   * Until then it must not call, by I6: nobody knows yet what a write for another object of its
   * target has done.
   */
  #freeAt({ key, by, writtenAt }: Promised, target: string): number {
    return by === undefined
      ? 0
      : this.#unsettled.settledAt(target, { key, process: by, toldAt: writtenAt });
  }

  /** Its key was refused last, to whomever, and it waits for somebody else to try that key. */
  #isGated({ key }: Promised): boolean {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    const thing = this.#court.life.stored(plural, namespace, name);
    if (readyOf(thing)?.reason === 'Unauthorized' && statusOf(thing).nextAttemptTime === undefined)
      return true;
    const last = this.#calls.findLast(
      ({ reply, credential }) => reply && this.#court.holds(namespace, credential),
    );
    return last?.reply?.status === 401;
  }

  /**
   * Its Secret changed while its last call was under way, and the new key was refused to another
   * object: it waits for that one.
   */
  #isBehindNewKey(thing: Thing, key: string): boolean {
    const { namespace } = thing.metadata;
    const { name } = specOf(thing).credentialsSecretRef ?? {};
    const has = this.#court.life.secrets.findLast(
      (draft) => draft.namespace === namespace && draft.name === name,
    );
    const isWithIt = ({ credential }: ApiCall): boolean =>
      credential.keyId === has?.keyId && credential.secret === has.secret;
    const own = this.#calls.findLast((call) =>
      this.#court.candidates(call).some((one) => one.key === key),
    );
    const withIt = this.#calls.findLast((call) => call.reply && isWithIt(call));
    return own !== undefined && !isWithIt(own) && withIt?.reply?.status === 401;
  }

  #isExcused({ at, writtenAt }: Promised): boolean {
    const { world, weather, lastDownAt, kubeDisturbedAt, restores, fleet, kubernetesSide } =
      this.#court.life;
    const wasSlow = (weather.kubeSlow?.until ?? 0) >= writtenAt;
    if (world.means.has('clocks') || weather.apiIsDown || weather.kubeIsDown || wasSlow)
      return true;
    const disturbedAt = Math.max(
      this.#disturbedAt,
      lastDownAt,
      kubeDisturbedAt,
      restores.at(-1) ?? 0,
    );
    if (disturbedAt >= writtenAt || fleet.processes.some(({ host }) => host.frozen)) return true;
    if (this.#heldUpAt >= at) return true;
    // That a request got no answer is told when its deadline has passed; until then it holds up a
    // worker, or the only one.
    const waitingSince = this.#now() - SLACK_MS / 2;
    if (fleet.processes.some(({ name }) => kubernetesSide.isWaiting(name, waitingSince)))
      return true;
    const near = this.#calls.filter(({ leftAt }) => leftAt >= at - 15_000);
    // Others may take the slots, or try the key for it.
    if (near.length >= 2 || near.some(({ reply }) => reply?.status === 401)) return true;
    return this.#calls.some(({ reply, leftAt, unanswered }) => {
      if (!reply && (!unanswered || unanswered.at >= at - SLACK_MS)) return true;
      if (!reply || (reply.status !== 429 && reply.status !== 503)) return leftAt >= at;
      const asked = Math.max(
        waitAsked(reply.headers, reply.status, this.#court.life.wall + reply.at),
        6 * 60_000,
      );
      return reply.at + Math.min(asked, LONGEST_PAUSE_MS) >= at;
    });
  }

  get #areListsOld(): boolean {
    return this.#court.life.kube.lists.old !== undefined;
  }

  #now(): number {
    return this.#court.life.timeline.now;
  }
}
