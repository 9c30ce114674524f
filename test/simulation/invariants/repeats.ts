import type { Change, Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, statusOf } from '../record/objects.ts';
import { type PatchView, shown } from './calls.ts';
import type { Candidate, Court, Judge } from './court.ts';
import { isIn, type Look, type Trails, truthKey } from './trail.ts';

/** What the contract allows. */
const MOST = 3;

type Way = 'add' | 'remove';

/** An endpoint, and what is to be done with it. */
interface Move {
  readonly way: Way;
  readonly endpoint: EndpointView;
}

/**
 * How often an endpoint was sent to be added, or to be removed, by one process, for one generation
 * of one object, and no list has shown it done since.
 */
interface Sends extends Move {
  /** At least so often: without what a restore may have taken off the record. */
  count: number;
  /**
   * With that: it was sent all the same, and a process that had settled it before the restore
   * counts it.
   */
  most: number;
  /** When the last of them was over, until a list shows it. */
  openSince: number | undefined;
}

/** What a status says is being done. */
interface Open extends Move {
  /**
   * When the intent for it was written, by the status: the next one may be for the same endpoint.
   * None: it is settled, and not seen yet.
   */
  readonly intent: string | undefined;
}

interface Counts {
  /** Of the object. */
  readonly key: string;
  readonly generation: number | undefined;
  /** By `sendKey`. */
  readonly sends: Map<string, Sends>;
  /**
   * How often another process has spoken for the object before this one did again: it may have
   * settled what was open, and counted that.
   */
  returns: number;
}

/**
 * I4: an endpoint that does not appear is not sent for ever: at most three unconfirmed changes of
 * one endpoint in a generation.
 */
export class RepeatJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  /**
   * By process and uid, of the generation that it was at last. What a process has counted goes with
   * it.
   */
  readonly #counts = new Map<string, Counts>();
  /**
   * By uid, generation and `sendKey`: what was open when that spec came, or came back open, or was
   * left so by another process; and how often. They settle, and are counted, in its time.
   */
  readonly #openBefore = new Map<string, Move & { readonly times: number }>();
  /** By the same and the intent, since when that one is off the record. */
  readonly #settledAt = new Map<string, number>();
  /** By uid: which process was the last to write a status. */
  readonly #writers = new Map<string, string>();
  /** By uid, `sendKey` and intent: which process has put that on record. */
  readonly #authors = new Map<string, string>();

  constructor(court: Court, trails: Trails) {
    this.#court = court;
    this.#trails = trails;
  }

  see(fact: Fact): void {
    if (fact.what === 'seen' && fact.thing) this.#noteOpen(fact.thing);
    if (fact.what === 'written') this.#noteSettled(fact.change);
    if (fact.what === 'leaves') this.#noteLeft(fact.call);
    // Another generation begins anew, also one of which nothing was sent.
    if (
      fact.what === 'seen' &&
      fact.thing &&
      this.#counts.has(`${fact.process} ${fact.thing.metadata.uid}`)
    ) {
      this.#countsAt(fact.process, fact.key, fact.thing.metadata);
    }
    if (fact.what === 'seen' && !fact.thing) this.#forget(fact.process, fact.key);
    if (fact.what === 'answered') {
      if (mayBeTaken(fact.call.reply?.status ?? 0)) this.#count(fact.call);
      this.#confirm(fact.call);
    }
    // An answer that breaks off after its status was one.
    if (fact.what === 'unanswered' && !fact.call.reply) this.#count(fact.call);
  }

  /**
   * Whether an endpoint was sent as often as the contract allows, by whichever processes, and no
   * list has shown it done.
   */
  isSpent({ metadata: { uid, generation } }: Thing, way: Way, endpoint: EndpointView): boolean {
    const key = sendKey(way, endpoint);
    const counts = this.#countsOf(uid).filter((one) => one.generation === generation);
    const before = this.#openBefore.get(`${uid} ${generation} ${key}`)?.times ?? 0;
    return counts.reduce((sum, { sends }) => sum + (sends.get(key)?.most ?? 0), before) >= MOST;
  }

  /**
   * What stands open in a status that speaks of another generation than the spec is of, or is open
   * once more by a restore.
   */
  #noteOpen(thing: Thing): void {
    const { uid, generation } = thing.metadata;
    const isOfOther = statusOf(thing).observedGeneration !== generation;
    const restoredAt = this.#court.life.restores.at(-1) ?? -1;
    for (const [open, what] of openIn(thing)) {
      const key = `${uid} ${generation} ${open}`;
      const intent = `${key} ${what.intent}`;
      const isBack = (this.#settledAt.get(intent) ?? Infinity) <= restoredAt;
      const { times = 0 } = this.#openBefore.get(key) ?? {};
      if (isBack) this.#settledAt.delete(intent);
      if (isBack || isOfOther)
        this.#openBefore.set(key, { ...what, times: isBack ? times + 1 : Math.max(times, 1) });
    }
  }

  #noteSettled({ before, now, by }: Change): void {
    const { uid, generation } = now.metadata;
    if (by === 'user' || !before) return;
    const counts = this.#counts.get(`${by} ${uid}`);
    if (counts && (this.#writers.get(uid) ?? by) !== by) counts.returns += 1;
    this.#writers.set(uid, by);
    const open = openIn(now);
    const old = openIn(before);
    for (const [one, { intent }] of open) {
      this.#settledAt.delete(`${uid} ${generation} ${one} ${intent}`);
      if (old.get(one)?.intent !== intent || !old.has(one))
        this.#authors.set(`${uid} ${one} ${intent}`, by);
    }
    for (const [one, { intent }] of old) {
      const isSettled = open.get(one)?.intent !== intent || !open.has(one);
      if (isSettled)
        this.#settledAt.set(`${uid} ${generation} ${one} ${intent}`, this.#court.life.timeline.now);
    }
  }

  /**
   * What another process has left on record, and had no answer to, may have been sent: whoever goes
   * on from there cannot tell.
   */
  #noteLeft(call: ApiCall): void {
    for (const { known } of this.#court.candidates(call)) {
      const { uid, generation } = known.last.metadata;
      for (const [open, what] of openIn(known.last)) {
        const author = this.#authors.get(`${uid} ${open} ${what.intent}`) ?? call.process;
        const isAnswered =
          this.#counts.get(`${author} ${uid}`)?.sends.get(open)?.openSince !== undefined;
        if (author === call.process || isAnswered) continue;
        const key = `${uid} ${generation} ${open}`;
        const { times = 1 } = this.#openBefore.get(key) ?? {};
        this.#openBefore.set(key, { ...what, times });
      }
    }
  }

  /**
   * What a process has counted of an object goes with it, and a restore may bring it back: it may
   * be spent still, and may be sent anew.
   */
  #forget(process: string, key: string): void {
    for (const [id, counts] of this.#counts) {
      if (counts.key !== key || !id.startsWith(`${process} `)) continue;
      this.#counts.delete(id);
      this.#counts.set(`gone ${id}`, counts);
    }
  }

  #countsOf(uid: string): Counts[] {
    return [...this.#counts].flatMap(([key, counts]) => (key.endsWith(` ${uid}`) ? [counts] : []));
  }

  #count(call: ApiCall): void {
    if (call.method !== 'PATCH') return;
    const [candidate, other] = this.#senders(call);
    if (!candidate || other) return;
    const { sends, returns } = this.#countsAt(
      call.process,
      candidate.key,
      candidate.known.last.metadata,
    );
    const { add = [], remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
    for (const endpoint of remove) this.#send(sends, 'remove', endpoint);
    for (const endpoint of add) {
      const count = this.#send(sends, 'add', endpoint);
      if (count > MOST && count <= MOST + returns)
        this.#court.excuse('a change that another process has settled');
      if (count > MOST + returns) {
        this.#court.report(
          'I4 added-again',
          candidate.key,
          `${endpoint.id} is added for the ${count}th time in one generation: ${shown(call)}`,
        );
      }
    }
  }

  /** How often it was sent with this time. */
  #send(sends: Map<string, Sends>, way: Way, endpoint: EndpointView): number {
    const before = sends.get(sendKey(way, endpoint));
    const count = (before?.count ?? 0) + (this.#isForgotten(before) ? 0 : 1);
    const most = (before?.most ?? 0) + 1;
    sends.set(sendKey(way, endpoint), {
      way,
      endpoint,
      count,
      most,
      openSince: this.#court.life.timeline.now,
    });
    return count;
  }

  /**
   * Of several objects that a call may be for, those that have on record that they send just this.
   */
  #senders(call: ApiCall): readonly Candidate[] {
    const candidates = this.#court.candidates(call);
    const sent = keysOf((call.body as PatchView).privateEndpoints);
    const intent = candidates.filter(
      ({ known }) => keysOf(statusOf(known.last).pendingChange) === sent,
    );
    return intent.length > 0 ? intent : candidates;
  }

  /**
   * What was not settled yet when the cluster's storage came back from a copy stands on no record.
   */
  #isForgotten({ openSince = Number.POSITIVE_INFINITY }: Partial<Sends> = {}): boolean {
    const isSo = openSince <= (this.#court.life.restores.at(-1) ?? -1);
    if (isSo) this.#court.excuse('a change that a restore has taken off the record');
    return isSo;
  }

  /** A list that shows it done confirms the last time; whoever undoes it then has it sent anew. */
  #confirm(call: ApiCall): void {
    const { looks } = this.#trails.of(call.host, call.target);
    const look = looks.at(-1);
    if (look?.call !== call || !look.entries) return;
    const before = looks.findLast((one) => one.call !== call && one.call.process === call.process);
    const altered = new Set(alteredIn(look, before).map((endpoint) => sendKey('add', endpoint)));
    const entries = look.entries.map(({ region, ...entry }) => ({
      ...entry,
      ...(region !== undefined && { region: region.replace(/^r-/i, '') }),
    }));
    const isDone = ({ way, endpoint }: Move): boolean =>
      altered.has(sendKey(way, endpoint)) || isIn(entries, endpoint) === (way === 'add');
    for (const { known } of this.#court.candidates(call)) {
      for (const [key, open] of this.#openBefore) {
        if (key.startsWith(`${known.last.metadata.uid} `) && isDone(open))
          this.#openBefore.delete(key);
      }
      const sends = this.#countsOf(known.last.metadata.uid).flatMap((counts) => [
        ...counts.sends.values(),
      ]);
      for (const send of sends) {
        if (send.openSince === undefined || !isDone(send)) continue;
        send.count -= 1;
        send.most -= 1;
        send.openSince = undefined;
      }
    }
  }

  #countsAt(process: string, key: string, { uid, generation }: Thing['metadata']): Counts {
    const id = `${process} ${uid}`;
    const before = this.#counts.get(id);
    if (before && before.generation === generation) return before;
    // An older one that a restore brings back is another wish than the last, too.
    const counts: Counts = { key, generation, sends: new Map(), returns: 0 };
    this.#counts.set(id, counts);
    return counts;
  }
}

/** By `sendKey`. */
function openIn(thing: Thing): ReadonlyMap<string, Open> {
  const { pendingChange, privateEndpoints = [] } = statusOf(thing);
  const opened = ([way, awaited]: readonly [Way, string]): [string, Open][] => {
    const unseen = privateEndpoints.filter(({ state }) => state === awaited);
    const intended = pendingChange?.[way] ?? [];
    return [
      ...unseen.map((endpoint): Open => ({ way, endpoint, intent: undefined })),
      ...intended.map((endpoint): Open => ({ way, endpoint, intent: pendingChange?.time })),
    ].map((open) => [sendKey(way, open.endpoint), open]);
  };
  return new Map([...opened(['add', 'Unconfirmed']), ...opened(['remove', 'Removing'])]);
}

function sendKey(way: Way, endpoint: EndpointView): string {
  return `${way} ${truthKey(endpoint)}`;
}

/**
 * What the answer to an add shows with other fields, by an entry with its id that the look before
 * lacked: that is the object's, as reported.
 */
function alteredIn(
  { call, entries = [] }: Look,
  before: Look | undefined,
): readonly EndpointView[] {
  const old = new Set((before?.entries ?? []).map(bytesOf));
  const ids = new Set(
    entries.filter((entry) => !old.has(bytesOf(entry))).map(({ id }) => idKey(id)),
  );
  const { add = [] } = (call.body as PatchView).privateEndpoints ?? {};
  return add.filter(({ id }) => ids.has(idKey(id)));
}

function bytesOf({ id, cloudProvider, region }: Partial<EndpointView>): string {
  return JSON.stringify([id, cloudProvider, region]);
}

function idKey(id: string | undefined): string | undefined {
  return id?.trim().toLowerCase();
}

function keysOf({
  add = [],
  remove = [],
}: NonNullable<PatchView['privateEndpoints']> = {}): string {
  return [...add.map((one) => sendKey('add', one)), ...remove.map((one) => sendKey('remove', one))]
    .sort()
    .join();
}

/** An answer that does not say that nothing happened: a success, or one that leaves it open. */
function mayBeTaken(status: number): boolean {
  return status < 400 || status === 408 || status >= 500;
}
