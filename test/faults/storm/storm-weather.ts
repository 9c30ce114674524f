import { Draw } from '../../simulation/engine/draw.ts';
import type { Fault, Simulator } from '../../simulator/types.ts';
import type { Handlers, Passing, Proxy, Watch } from '../proxy.ts';

/** What goes wrong while a storm lasts; shares of 1. */
export interface Weather {
  readonly kube?: {
    /** Answered 409 without having reached the API server. */
    readonly updates?: number;
    readonly patches?: number;
    /** Watches closed within their first lines, or their first second. */
    readonly closes?: number;
    /** Requests and watches answered 429 with a second to wait, as priority and fairness does. */
    readonly throttled?: number;
  };
  readonly api?: Faults;
}

/** Which share of the calls of the management API is spoilt, each by one of these. */
export interface Faults {
  readonly share: number;
  readonly faults: readonly Fault[];
}

/** A request of the operator to Kubernetes that is no watch. */
export interface Arrival {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly fate: 'passed' | 'conflict' | 'throttled';
}

/** What stands between the operator and its two APIs. Calm at first. */
export interface Sky {
  /** For the way to Kubernetes. */
  readonly handlers: Handlers;
  readonly arrivals: readonly Arrival[];
  /** Watches that were opened. */
  readonly openings: readonly Pick<Arrival, 'at' | 'path'>[];
  /** From now on everything fails at its rate. */
  rage(on: { readonly kube: Proxy; readonly simulator: Simulator }): void;
  /** From now on nothing fails. */
  calm(): void;
}

const RETRY_AFTER_S = 1;
/** How often it is looked for watches that have been opened. */
const LOOK_MS = 50;
const LONGEST_LIFE_MS = 1_000;
const MOST_CALLS = 2_000;
const UNSPOILT: Fault = { slowMs: 0 };

/** The n-th request of each sort meets the same fate every time. */
export function createSky({ kube = {}, api }: Weather, seed: number): Sky {
  const { updates = 0, patches = 0, closes = 0, throttled = 0 } = kube;
  const storm = new Draw(`storm ${seed}`);
  const draw = {
    throttle: storm.of('throttle'),
    conflict: storm.of('conflict'),
    watch: storm.of('watch'),
  };
  const arrivals: Arrival[] = [];
  const openings: Pick<Arrival, 'at' | 'path'>[] = [];
  /** Lines that a watch still lets through; absent: all. */
  const left = new Map<Watch, number>();
  const known = new WeakSet<Watch>();
  let raging: { readonly simulator: Simulator; readonly looking: NodeJS.Timeout } | undefined;

  function fateOf(method: string): Arrival['fate'] {
    if (!raging) return 'passed';
    if (draw.throttle.chance(throttled)) return 'throttled';
    const share = { PUT: updates, PATCH: patches }[method] ?? 0;
    return share > 0 && draw.conflict.chance(share) ? 'conflict' : 'passed';
  }

  function meet(watch: Watch): void {
    if (known.has(watch)) return;
    known.add(watch);
    openings.push({ at: Date.now(), path: plainPath(watch.path) });
    if (!raging) return;
    if (draw.watch.chance(throttled)) {
      watch.send(JSON.stringify({ type: 'ERROR', object: TOO_MANY }));
      watch.sever();
    } else if (draw.watch.chance(closes)) {
      left.set(watch, draw.watch.between(0, 2));
      setTimeout(() => watch.sever(), draw.watch.between(0, LONGEST_LIFE_MS));
    }
  }

  function line(text: string, watch: Watch): readonly string[] {
    meet(watch);
    const lines = left.get(watch);
    if (lines === undefined) return [text];
    left.set(watch, lines - 1);
    if (lines > 0) return [text];
    watch.sever();
    return [];
  }

  async function take(passing: Passing): Promise<void> {
    const { method, path, arrivedAt: at } = passing;
    const fate = fateOf(method);
    arrivals.push({ at, method, path: plainPath(path), fate });
    if (fate === 'throttled')
      return passing.reply(refusal(TOO_MANY, { 'retry-after': String(RETRY_AFTER_S) }));
    if (fate === 'conflict') return passing.reply(refusal(CONFLICT));
    await passing.forward();
    await passing.reply();
  }

  return {
    handlers: { take, line },
    arrivals,
    openings,
    rage({ kube: { watches }, simulator }) {
      raging = { simulator, looking: setInterval(() => [...watches].forEach(meet), LOOK_MS) };
      // Those that stand would outlive the storm.
      if (closes > 0) for (const watch of watches) watch.sever();
      if (api) spoil(simulator, api, seed + 3);
    },
    calm() {
      clearInterval(raging?.looking);
      raging?.simulator.clear();
      raging = undefined;
      left.clear();
    },
  };
}

/**
 * Decides for each of the calls to come, more than any storm has, whether it is spoilt; until
 * `clear`.
 */
export function spoil(simulator: Simulator, { share, faults }: Faults, seed: number): void {
  const draw = new Draw(`api ${seed}`);
  for (let call = 0; call < MOST_CALLS; call += 1) {
    const fault = draw.chance(share) && faults.length > 0 ? draw.pick(faults) : undefined;
    simulator.next(fault ?? UNSPOILT);
  }
}

function plainPath(path: string): string {
  return path.replace(/\?.*$/, '');
}

interface Refused {
  readonly code: number;
}

function refusal(body: Refused, headers: Readonly<Record<string, string>> = {}) {
  const text = JSON.stringify(body);
  return { status: body.code, headers: { 'content-type': 'application/json', ...headers }, text };
}

const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
const CONFLICT = {
  ...STATUS,
  message:
    'Operation cannot be fulfilled on this object: the object has been modified; please apply your changes to the latest version and try again',
  reason: 'Conflict',
  code: 409,
};
const TOO_MANY = {
  ...STATUS,
  message: 'too many requests, please try again later',
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: RETRY_AFTER_S },
  code: 429,
};
