import type { Fact } from '../record/facts.ts';
import type { Judge } from './court.ts';

/** An event that the operator sent, or tried to. */
export interface Note {
  readonly at: number;
  readonly uid: string;
  readonly reason: string;
  readonly text: string;
}

interface EventBody {
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly uid?: string };
}

/** What is told of an endpoint that the ledger lets go of. */
const LOSSES: ReadonlySet<string> = new Set([
  'AddNotConfirmed',
  'CleanupAbandoned',
  'DriftDetected',
  'EndpointLeft',
  'OwnershipLost',
  'OwnershipUnknown',
]);
/** The same event is not sent again within this time, and none waits longer in line. */
const REPEAT_MS = 10 * 60_000;
/** What running passes may take beside their calls when the process is told to end. */
const RECONCILE_GRACE_MS = 5_000;

/**
 * The events of every object. One that the API server did not take was told all the same: events
 * are sent beside everything else.
 */
export class Notes implements Judge {
  readonly #notes = new Map<string, Note[]>();
  /** When each process came to a sudden end: what it had to say then was not said. */
  readonly #dead = new Map<string, number>();
  /** Processes whose last event has had no answer: others may stand in line behind it. */
  readonly #waiting = new Set<string>();
  readonly #toldToEnd = new Map<string, number>();
  readonly #graceMs: number;

  constructor({ timeoutSeconds }: { readonly timeoutSeconds: number }) {
    this.#graceMs = timeoutSeconds * 1_000 + RECONCILE_GRACE_MS;
  }

  see(fact: Fact): void {
    if (fact.what === 'process' && this.#isSudden(fact)) this.#dead.set(fact.process, fact.at);
    if (fact.what === 'process' && fact.did === 'told-to-end')
      this.#toldToEnd.set(fact.process, fact.at);
    if (fact.what !== 'asked' || fact.ask.method !== 'POST' || !fact.ask.path.endsWith('/events'))
      return;
    if (fact.ask.status === undefined) this.#waiting.add(fact.process);
    else this.#waiting.delete(fact.process);
    const { reason = '', note = '', regarding } = JSON.parse(fact.ask.body) as EventBody;
    const uid = regarding?.uid ?? '';
    const notes = this.#notes.get(uid) ?? [];
    notes.push({ at: fact.at, uid, reason, text: note });
    this.#notes.set(uid, notes);
  }

  /**
   * Whether a process is gone that cannot say what it wrote last: a write may arrive when its
   * sender is dead.
   */
  isDead(process: string): boolean {
    return this.#dead.has(process);
  }

  /**
   * Whether a process was gone so soon after it had written something that it may not have told of
   * it.
   */
  diedWithin(
    process: string,
    { from, withinMs }: { readonly from: number; readonly withinMs: number },
  ): boolean {
    return (this.#dead.get(process) ?? Number.POSITIVE_INFINITY) <= from + withinMs;
  }

  /**
   * Whether a process was told to end so long before that it need not wait for running passes any
   * more.
   */
  hadItsGrace(process: string, at: number): boolean {
    return at - (this.#toldToEnd.get(process) ?? at) >= this.#graceMs;
  }

  #isSudden({ process, did, at }: Extract<Fact, { what: 'process' }>): boolean {
    if (did === 'died' || did === 'killed') return true;
    return did === 'ended' && (this.hadItsGrace(process, at) || this.#waiting.has(process));
  }

  of(uid: string): readonly Note[] {
    return this.#notes.get(uid) ?? [];
  }

  /**
   * Whether an event of the object names this within some time after, in whatever letters, or says
   * what is left behind but only counts it. A loss that was told in the same words shortly before
   * is not told again, and one that is told may stand in line while the API server hangs.
   */
  names(
    uid: string,
    what: string,
    about: { readonly from: number; readonly withinMs: number },
  ): 'yes' | 'no' | 'cut' {
    const { from, withinMs } = about;
    const isNear = (at: number): boolean => at >= from - 5_000 && at <= from + withinMs;
    const near = this.of(uid).filter(({ at, reason }) => isNear(at) && reason !== 'Applied');
    const told = this.of(uid).filter(
      ({ at, reason }) => LOSSES.has(reason) && Math.abs(at - from) <= REPEAT_MS,
    );
    if ([...near, ...told].some((note) => isNamedIn(note, what))) return 'yes';
    return near.some(
      ({ reason, text }) => reason === 'CleanupAbandoned' && /and \d+ more/.test(text),
    )
      ? 'cut'
      : 'no';
  }

  /** Whether the object has ever said that this may be its own no more. */
  gaveUp(uid: string, what: string): boolean {
    return this.of(uid).some((note) => LOSSES.has(note.reason) && isNamedIn(note, what));
  }
}

/** psc-10 does not name psc-1. */
function isNamedIn({ text }: Note, what: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\w-]+/)
    .includes(what.trim().toLowerCase());
}
