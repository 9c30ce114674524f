import { Limiter } from '../../../src/api/limiter.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

type Options = ConstructorParameters<typeof Limiter>[0];
type Asking = Parameters<Limiter['permit']>[0];
type Outcome = Awaited<ReturnType<Limiter['permit']>>;
type Permit = Exclude<Outcome, string>;

interface Wanted extends Partial<Pick<Asking, 'urgency'>> {
  readonly credential?: string;
  readonly mayTry?: boolean;
  /** Aborted where it wants no call any more. */
  readonly unwanted?: AbortSignal | undefined;
}

/** What a call with this HTTP status ended with; 0: no answer. */
export function endOf(httpStatus: number, retryAfterMs = 0) {
  return httpStatus === 0 ? { answered: false } : { answered: true, httpStatus, retryAfterMs };
}

/** Asks as the controller does. */
export function permitOf(limiter: Limiter, id: string, wanted: Wanted = {}): Promise<Outcome> {
  const { credential = 'c1', mayTry = false, unwanted, ...more } = wanted;
  return limiter.permit({
    id,
    wish: async () => ({ credential, mayTry }),
    urgency: 'scheduled',
    onUnwanted: (end) => unwanted?.addEventListener('abort', end),
    parked: (wait) => wait(),
    onLongWait: async () => true,
    ...more,
  });
}

/** A limiter with no limits but those that are given, and who has been woken by it. */
export function rig(more: Partial<Options> = {}) {
  const clock = new FakeClock();
  const woken: string[] = [];
  const unlimited = { calls: 0, perMs: 1_000 };
  const always = { rate: unlimited, rateTotal: unlimited, inFlight: 4, clock };
  const limiter = new Limiter({ ...always, wake: (id) => woken.push(id), ...more });
  const ask = async (id: string, wanted?: Wanted) => {
    const asked: { now: Outcome | 'waits' } = { now: 'waits' };
    void permitOf(limiter, id, wanted).then((outcome) => (asked.now = outcome));
    await settle();
    return asked;
  };
  /** What becomes of it at once; a permit is given back. */
  const says = async (id: string, wanted?: Wanted): Promise<string> => {
    const { now } = await ask(id, wanted);
    if (typeof now === 'string') return now;
    now.finish();
    return 'granted';
  };
  const granted = async (id: string, wanted?: Wanted): Promise<Permit> => {
    const { now } = await ask(id, wanted);
    if (typeof now === 'string') throw new Error(`${id}: ${now}`);
    return now;
  };
  const begun = async (id: string, wanted?: Wanted): Promise<Permit> => {
    const permit = await granted(id, wanted);
    if (!permit.begin()) throw new Error(`${id} may not begin`);
    return permit;
  };
  /** A whole call; returns for how long the key is not used. */
  const call = async (id: string, status: number, wanted: Wanted & { waitMs?: number } = {}) => {
    const until = (await begun(id, wanted)).finish(endOf(status, wanted.waitMs)) ?? Number.NaN;
    await settle();
    return until - clock.monotonic();
  };
  return { clock, limiter, woken, ask, says, granted, begun, call };
}
