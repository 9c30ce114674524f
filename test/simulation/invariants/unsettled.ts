import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import { changes, type PatchView, shown } from './calls.ts';
import { type Candidate, type Court, isRefused, isSuccess, type Judge } from './court.ts';
import { type Intents, removalOf } from './intents.ts';
import { isIn, type Trails, truthKey } from './trail.ts';

/** An intent leaves at most so long after it was written. */
const FRESH_INTENT_MS = 5_000;

/**
 * I6: no other object calls for a target before a write of unknown outcome is settled, and no
 * endpoint is sent twice before it is.
 */
export class UnsettledJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #intents: Intents;
  /** Writes of unknown outcome, by API and target: whoever made them. */
  readonly #open = new Map<string, ApiCall[]>();
  /** Calls under way: nobody will tell what becomes of them when their process dies. */
  readonly #openCalls = new Set<ApiCall>();
  /**
   * By write: the processes that were told of it before one of their calls. Their own words over
   * that take nothing back.
   */
  readonly #toldTo = new Map<ApiCall, Set<string>>();
  /** By object and word: whoever was the first to say so, and when. */
  readonly #authors = new Map<string, { readonly by: string; readonly at: number }>();
  /**
   * By process and object: the word that the process was shown last, and since when it is that one.
   */
  readonly #shown = new Map<string, { readonly word: string; readonly at: number }>();

  constructor(court: Court, trails: Trails, intents: Intents) {
    this.#court = court;
    this.#trails = trails;
    this.#intents = intents;
  }

  see(fact: Fact): void {
    if (fact.what === 'written') {
      const word = wordOf(fact.change.now);
      if (!this.#authors.has(word)) this.#authors.set(word, { by: fact.change.by, at: fact.at });
    }
    if (fact.what === 'seen' && fact.thing) {
      const word = wordOf(fact.thing);
      const of = `${fact.process} ${fact.key}`;
      if (this.#shown.get(of)?.word !== word) this.#shown.set(of, { word, at: fact.at });
    }
    if (fact.what === 'process' && (fact.did === 'died' || fact.did === 'killed'))
      this.#died(fact.process);
    if (fact.what === 'answered' || fact.what === 'unanswered') this.#openCalls.delete(fact.call);
    if (fact.what === 'leaves') {
      this.#leaves(fact.call);
      this.#openCalls.add(fact.call);
    }
    // Where the answer broke off in its body, its status had come before.
    if (fact.what === 'unanswered' && !isRefused(fact.call)) this.#keep(fact.call);
    if (fact.what === 'answered' && !isSuccess(fact.call) && !isRefused(fact.call))
      this.#keep(fact.call);
  }

  /**
   * When the writes of unknown outcome are settled that hold back this object of a target, ms; 0:
   * there are none. Those of another process count from when this one was told of them, `toldAt` or
   * when it first saw the intent; and so does what a restored status says of one that was settled
   * long ago.
   */
  settledAt(
    target: string,
    to: { readonly key: string; readonly process: string; readonly toldAt: number },
  ): number {
    const isOwn = ({ process }: ApiCall): boolean => process === to.process;
    const seenAt = (call: ApiCall): number | undefined =>
      this.#sightOf(to.process, call, this.#court.life.timeline.now);
    const starts = (this.#open.get(`${this.#court.life.apiHost} ${target}`) ?? [])
      .filter((call) => {
        const theirs = this.#court.candidates(call);
        // Where it may be this one's as well, that of another with the same key holds it back all
        // the same.
        return this.#couldKnow(to, theirs) && theirs.some(({ key }) => key !== to.key);
      })
      .filter((call) => isOwn(call) || this.#isTold(call) || seenAt(call) !== undefined)
      .map((call) =>
        isOwn(call) ? call.leftAt : Math.max(call.leftAt, to.toldAt, seenAt(call) ?? 0),
      );
    starts.push(...this.#openWords(target, to));
    return starts.length === 0 ? 0 : Math.max(...starts) + this.#court.life.atWorkMs;
  }

  /**
   * Since when a process has been shown that a call which another one made for another object of
   * the target may be under way.
   */
  #openWords(
    target: string,
    { key, process }: { readonly key: string; readonly process: string },
  ): number[] {
    return [...this.#court.life.knowledge.of(process)].flatMap(([other, { last }]) => {
      const shownLast = this.#shown.get(`${process} ${other}`);
      const { pendingChange, lastRequest } = statusOf(last);
      const isOpen = pendingChange !== undefined || lastRequest?.outcome === 'Unknown';
      if (
        !shownLast ||
        !isOpen ||
        other === key ||
        this.#authors.get(shownLast.word)?.by === process
      )
        return [];
      return targetOfSpec(other.split('/')[0] ?? '', specOf(last)) === target ? [shownLast.at] : [];
    });
  }

  /** Whether a status of an object that it can be for tells of it. */
  #isTold(call: ApiCall): boolean {
    return this.#court
      .candidates(call)
      .some(({ known }) => this.#court.isTold(call, known.last.metadata.uid));
  }

  /** Across shards nothing is seen; nor by one that is still ending when they have been merged. */
  #couldKnow({ process }: Pick<ApiCall, 'process'>, theirs: readonly Candidate[]): boolean {
    return theirs.some((other) => this.#court.life.fleet.isSeenBy(process, namespaceOf(other)));
  }

  /**
   * Whether it is another process's, and no status tells of it that the process of this call was
   * shown.
   */
  #isUntold(call: ApiCall, before: ApiCall): boolean {
    if (call.process === before.process || !changes(before)) return false;
    const told = this.#toldTo.get(before) ?? new Set();
    if (this.#court.candidates(before).some((one) => this.#isOnRecord(one, before, call.process))) {
      this.#toldTo.set(before, told.add(call.process));
    }
    return !told.has(call.process);
  }

  /**
   * Whether this process was told of its object, also where that is gone by now, and the status
   * said last that a write may be under way. What this process has said itself is of its own calls,
   * and an intent of what it names.
   */
  #isOnRecord({ key, known }: Candidate, write: ApiCall, process: string): boolean {
    const { knowledge, timeline } = this.#court.life;
    const told = knowledge.of(process).get(key)?.last ?? knowledge.forgottenBy(process).get(key);
    if (told?.metadata.uid !== known.last.metadata.uid) return false;
    const author = this.#authors.get(wordOf(told));
    if (author?.by === process) return false;
    const { pendingChange, lastRequest } = statusOf(told);
    if (pendingChange && this.#sightOf(process, write, timeline.now) !== undefined) return true;
    return lastRequest?.outcome === 'Unknown' && author !== undefined && author.at >= write.leftAt;
  }

  #died(process: string): void {
    for (const call of this.#openCalls) {
      if (call.process !== process) continue;
      this.#openCalls.delete(call);
      this.#keep(call);
    }
  }

  #keep(call: ApiCall): void {
    if (!changes(call)) return;
    const key = keyOf(call);
    this.#open.set(key, [...(this.#open.get(key) ?? []), call]);
  }

  #leaves(call: ApiCall): void {
    const open = (this.#open.get(keyOf(call)) ?? []).filter(
      ({ leftAt }) => call.leftAt < leftAt + this.#court.life.atWorkMs,
    );
    this.#open.set(keyOf(call), open);
    const mine = this.#court.candidates(call);
    // Of a process that stands still, or has lost the lead; not of another shard, which tells of it
    // when they are merged.
    for (const before of this.#openCalls) {
      const isNear =
        keyOf(before) === keyOf(call) && this.#couldKnow(call, this.#court.candidates(before));
      if (isNear && this.#isUntold(call, before)) this.#court.leftUntold(call, before);
    }
    for (const before of open) {
      if (call.leftAt >= this.#firstSeenAt(call.process, before) + this.#court.life.atWorkMs)
        continue;
      const theirs = this.#court.candidates(before);
      const isUntold = this.#isUntold(call, before);
      if (isUntold) this.#court.leftUntold(call, before);
      if (
        theirs.length > 0 &&
        !mine.some((one) => theirs.some((other) => uidOf(one) === uidOf(other)))
      ) {
        // Right after a restore nobody can say for which object it leaves.
        if (mine.length === 0 || !this.#couldKnow(call, theirs)) continue;
        if (isUntold) {
          this.#court.excuse('a write that no status tells of, of a process that is gone');
          continue;
        }
        this.#court.report(
          'I6 unsettled',
          call.target,
          `${shown(call)} leaves for one object, while nobody knows what became of ${shown(before)} for another`,
        );
      } else this.#judgeAgain(call, before);
    }
  }

  /**
   * What another process sends counts from when its intent was first seen, which is a little before
   * it leaves.
   */
  #firstSeenAt(process: string, write: ApiCall): number {
    const { leftAt } = write;
    if (process === write.process) return leftAt;
    return Math.min(leftAt, this.#sightOf(process, write, leftAt) ?? leftAt);
  }

  /** When a process first saw the intent of a write, until then; undefined: it did not. */
  #sightOf(process: string, write: ApiCall, until: number): number | undefined {
    const { add = [], remove = [] } = (write.body as PatchView).privateEndpoints ?? {};
    const sent = [...add.map(truthKey), ...remove.map(removalOf)];
    const window = { from: write.leftAt - FRESH_INTENT_MS, to: until };
    const seen = this.#court
      .candidates(write)
      .flatMap((one) =>
        sent.flatMap(
          (what) => this.#intents.firstSights(uidOf(one), what, window).get(process) ?? [],
        ),
      );
    return seen.length === 0 ? undefined : Math.min(...seen);
  }

  /** Sent again too early, where its absence from a list proves nothing yet. */
  #judgeAgain(call: ApiCall, before: ApiCall): void {
    if (call.method !== 'PATCH') return;
    const { add = [] } = (call.body as PatchView).privateEndpoints ?? {};
    const sent = (before.body as PatchView).privateEndpoints?.add ?? [];
    const again = add.find((endpoint) =>
      sent.some((other) => truthKey(other) === truthKey(endpoint)),
    );
    if (!again) return;
    const { looks } = this.#trails.of(call.host, call.target);
    const wasSeen = looks.some(
      ({ at, entries }) => at > before.leftAt && entries && isIn(entries, again),
    );
    if (wasSeen) return;
    // The intent stood in a status that a restore has taken away.
    if (this.#court.life.restores.some((at) => at >= before.leftAt && at <= call.leftAt)) {
      this.#court.excuse('an intent that a restore has taken off the record');
      return;
    }
    if (this.#wentUnseen(call, before, truthKey(again))) {
      this.#court.excuse('an intent that went with its object before this process was told of it');
      return;
    }
    const seconds = Math.round((call.leftAt - before.leftAt) / 1_000);
    this.#court.report(
      'I6 again',
      call.target,
      `${shown(call)} leaves ${seconds} s after ${again.id} was sent for the first time, when that may still be carried out`,
    );
  }

  /**
   * The object that had it on record is known, and this process was never told of it: a write
   * counts from when it is first seen.
   */
  #wentUnseen(call: ApiCall, before: ApiCall, endpoint: string): boolean {
    const senders = this.#court
      .candidates(before)
      .map(uidOf)
      .filter((uid) => this.#intents.hadOnRecord(uid, endpoint, before.leftAt));
    const window = { from: before.leftAt - FRESH_INTENT_MS, to: call.leftAt };
    const wasTold = (uid: string): boolean =>
      this.#intents.firstSights(uid, endpoint, window).has(call.process);
    return senders.length > 0 && !senders.some(wasTold);
  }
}

/** What the status of an object says of calls. */
function wordOf(thing: Thing): string {
  const { pendingChange, lastRequest } = statusOf(thing);
  return JSON.stringify([thing.metadata.uid, pendingChange, lastRequest]);
}

function keyOf({ host, target }: ApiCall): string {
  return `${host} ${target}`;
}

function uidOf({ known }: Candidate): string {
  return known.last.metadata.uid;
}

function namespaceOf({ known }: Candidate): string {
  return known.last.metadata.namespace;
}
