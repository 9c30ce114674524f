import type { Objection } from '../../api/http/client.ts';
import type { CallWish, Permit } from '../../api/limiter/contract.ts';
import type { Reply } from '../../api/reply/reply.ts';
import { judge } from '../../api/reply/verdict.ts';
import { spread } from '../../backoff.ts';
import { waitAtMost } from '../../clock.ts';
import type { Context } from '../../controller/kind.ts';
import { LONG_WAIT_MS } from '../../waits.ts';
import type { KindContext } from './context.ts';
import type { Answer, CallRequest, Calls, NoCall, Wish } from './contract.ts';
import type { UsableCredential } from './credentials.ts';
import { maskFor, maskTexts } from './masked.ts';
import type { Remembered } from './remembered.ts';
import type { Targets } from './target.ts';
import { longWaitStatus } from './waiting.ts';

export interface AttemptOptions extends Pick<KindContext, 'api' | 'limiter' | 'waiters' | 'clock'> {
  /** The queue key of the object. */
  readonly id: string;
  readonly target: string | undefined;
  readonly targets: Targets;
  readonly context: Context;
  readonly wish: Wish;
  readonly remembered: Remembered;
  /** The version of the Secret that an attempt was made with. */
  readonly onTried: (version: string) => void;
}

const LONG_WAIT_SPREAD_MS = 5_000;
const NOT_WANTED = { type: 'not-wanted' } as const;

interface Granted {
  readonly permit: Permit;
  readonly read: UsableCredential;
}

/** The calls of one attempt, from its first permit to its end. */
export class OneAttempt implements Calls {
  readonly #options: AttemptOptions;
  #granted: Granted | undefined;
  /** Of the last call or permit. */
  #credential: string | undefined;
  #hasTarget = false;
  /** Monotonic ms at which it first had to wait. */
  #waitsSince: number | undefined;
  #hasShownWait = false;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  async permit(): Promise<NoCall | undefined> {
    const { context, remembered, wish, limiter, onTried } = this.#options;
    while (!this.#granted) {
      // Read anew after each wait: the Secret may be another one by now.
      const read = await remembered.read(context.object(), wish.ref);
      if (!context.stillWanted()) return NOT_WANTED;
      if (!read.ok) {
        if (read.resourceVersion !== undefined) onTried(read.resourceVersion);
        return { type: 'no-credential', problem: read.problem };
      }
      const answer = limiter.tryStart(this.#callWish(read));
      if ('start' in answer) return this.#take({ permit: answer.start, read });
      if ('circuitOpen' in answer) return { type: 'key-refused' };
      if (!(await this.#waitForTurn())) return NOT_WANTED;
    }
    return undefined;
  }

  #callWish({ credential }: UsableCredential): CallWish {
    const { id, context, wish } = this.#options;
    return {
      credential: credential.id,
      key: id,
      tenant: context.object().metadata.namespace,
      // Keys that have not worked yet share no pace of their own.
      isProven: true,
      // Targets are taken once the permit is there.
      target: id,
      lane: wish.priority,
      probe: wish.halfOpen,
      goesOn: this.#credential !== undefined,
    };
  }

  /** In this order: who waited for a permit with the target in hand would hold up the other. */
  #take(granted: Granted): NoCall | undefined {
    const { target, targets, id } = this.#options;
    if (target !== undefined && !this.#hasTarget && !targets.enter(target, id)) {
      granted.permit.finish();
      return { type: 'target-busy' };
    }
    this.#hasTarget = target !== undefined;
    this.#granted = granted;
    this.#credential = granted.read.credential.id;
    return undefined;
  }

  /** False: there is nothing to go on with. */
  async #waitForTurn(): Promise<boolean> {
    const { waiters, id, context, clock } = this.#options;
    let isWoken = false;
    // Before anything else, or it might be woken meanwhile and not know it.
    const turn = waiters.wait(id, context.signal).then(() => {
      isWoken = true;
    });
    this.#waitsSince ??= clock.monotonic();
    // A thousand that came together would all write at the same moment.
    const longWaitMs = LONG_WAIT_MS + spread(id, LONG_WAIT_SPREAD_MS);
    const patience = longWaitMs - (clock.monotonic() - this.#waitsSince);
    if (!this.#hasShownWait) await context.parked(() => waitAtMost(clock, patience, turn));
    if (!isWoken && !this.#hasShownWait && !(await this.#showWait())) return false;
    await context.parked(() => turn);
    return context.stillWanted();
  }

  async #showWait(): Promise<boolean> {
    const { context, limiter, id } = this.#options;
    this.#hasShownWait = true;
    const status = longWaitStatus(context.object(), limiter.ahead(id), context.now());
    return status === undefined || context.save(status);
  }

  async send(request: CallRequest, isTooLate = (): boolean => false): Promise<Answer> {
    const { api, clock, context, id, onTried, remembered } = this.#options;
    const granted = this.#granted;
    if (!granted) throw new Error(`${id} calls without a permit`);
    const { permit, read } = granted;
    let sentAt: number | undefined;
    const begin = (): Objection | undefined => {
      if (isTooLate() || !context.stillWanted()) return 'not-wanted';
      if (!permit.begin()) return 'not-permitted';
      sentAt = clock.now();
      onTried(read.resourceVersion);
      remembered.keep(context.object(), read);
      return undefined;
    };
    const { operation, method, path, body } = request;
    const wire = { operation, method, path, ...(body !== undefined && { body }), begin };
    const { credential } = read;
    const { reply, pausedUntil } = await this.#spend(permit, () =>
      // A call may take its whole time-out, and keys must not wait for one another's.
      context.parked(() => api.call({ ...wire, credential })),
    );
    if (!reply.answered && reply.aborted) return { type: 'called-off' };
    const verdict = judge(reply, request);
    if (!verdict.ok) {
      const pausedMs = pausedUntil === undefined ? undefined : pausedUntil - clock.monotonic();
      const doubt = verdict.failure === 'Unauthorized' ? read.doubt : undefined;
      return { type: 'failure', verdict, sentAt, pausedMs, doubt };
    }
    const mask = maskFor(context.object(), (text) => credential.mask(text));
    const result = maskTexts(verdict.result, mask);
    return { type: 'success', verdict: { ...verdict, result }, sentAt: sentAt ?? clock.now() };
  }

  /** Gives the permit back whatever happens to the call. */
  async #spend(
    permit: Permit,
    call: () => Promise<Reply>,
  ): Promise<{ readonly reply: Reply; readonly pausedUntil?: number }> {
    this.#granted = undefined;
    try {
      const reply = await call();
      return { reply, ...permit.finish(reply) };
    } catch (error) {
      permit.finish();
      throw error;
    }
  }

  pausedSince(time: number): boolean {
    const { limiter, clock } = this.#options;
    const at = this.#credential === undefined ? undefined : limiter.pausedAt(this.#credential);
    return at !== undefined && clock.now() - (clock.monotonic() - at) >= time;
  }

  end(): void {
    const { waiters, targets, target, id } = this.#options;
    this.#granted?.permit.finish();
    this.#granted = undefined;
    waiters.woken(id);
    if (this.#hasTarget && target !== undefined) targets.leave(target, id);
    this.#hasTarget = false;
  }
}
