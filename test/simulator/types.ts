import type { OrganizationBehaviour, SettingsBehaviour } from './manners.ts';
import type { Organization, OrganizationChange } from './organization-types.ts';
import type { Lateness } from './records.ts';

/** What a scripted answer carries; `no-result` is an envelope without one. */
export type BodyKind = 'envelope' | 'html' | 'empty' | 'truncated' | 'no-result' | 'text';

/** The connection is reset before the work or after it; or nothing is done and nothing comes. */
type Transport = 'reset-before' | 'reset-after' | 'no-answer';

/** How the operations behave; what is left out stays as it is. */
export interface CallBehaviour {
  settings?: Partial<SettingsBehaviour>;
  organization?: Partial<OrganizationBehaviour>;
}

/**
 * A status in place of the operation's. `applied`: the work is done all the same; left out, it is
 * below 300. `result` stands in the envelope of a success in place of the operation's.
 */
export interface ScriptedAnswer {
  status: number;
  body?: BodyKind;
  error?: string;
  result?: unknown;
  headers?: Record<string, string>;
  applied?: boolean;
}

/**
 * What happens to a call; `play` is how the operations behave for it alone. Transports and statuses
 * from 300 on come from something in front of the API, which asks for no key and counts nothing;
 * all else is for calls that keys and limits let through.
 */
export type Fault = { play?: CallBehaviour } & (
  | ScriptedAnswer
  | { transport: Transport; applied?: boolean }
  | { slowMs: number }
  | { hold: true }
  | { play: CallBehaviour }
);

/** At most `calls` in any stretch of `perMs`, for each key. */
export interface Rate {
  calls: number;
  perMs: number;
  /** How an answer 429 says when to come back: by X-RateLimit-Reset, or by Retry-After. */
  header?: 'reset-seconds' | 'retry-after';
}

/** Every field given must fit; the texts of path and body as they were sent. */
export interface Match {
  method?: string;
  pathIncludes?: string;
  bodyIncludes?: string;
  keyId?: string;
}

/** One call as it was received; filled in when the answer leaves, never replaced. */
export interface Call {
  readonly seq: number;
  readonly receivedAt: number;
  answeredAt?: number;
  readonly method: string;
  readonly path: string;
  readonly keyId?: string;
  /** Undefined where the text is no JSON. */
  readonly body?: unknown;
  readonly text: string;
  status?: number;
  /** The transport that was played, or `client-gone` where the caller left before the answer. */
  fate?: string;
  requestId?: string;
  /** Whether a write took effect. */
  applied: boolean;
}

export interface KeyOptions {
  /** 401 "Key is not active" */
  disabled?: boolean;
  /** 403 for everything but GET */
  readOnly?: boolean;
  /** 404 for every other organization */
  organizations?: string[];
}

/** What to change about how the API behaves; `rate: undefined` lifts the limit. */
export interface Behaviour extends CallBehaviour {
  latencyMs?: number;
  rate?: Rate | undefined;
}

/** What exists from the start. */
export interface Given {
  /** Secret by key id; absent: every well-formed credential is accepted. */
  keys?: Record<string, string>;
  /** As 'org/service/pipe'. */
  pipes?: string[];
  /** Every pipe and organization exists, whether named or not; true where absent. */
  anyPipe?: boolean;
}

export interface SimulatorOptions extends Given, Behaviour {
  /** 0 or absent: one that is free. */
  port?: number;
  /** PEM texts; absent: plain HTTP. */
  tls?: { cert: string; key: string };
  /** false: no call is kept. */
  keepLog?: boolean;
  /** Told of each call once its answer has left or its connection is gone. */
  onCall?: (call: Call) => void;
}

/** Where the simulated API takes its time from, in milliseconds. */
export interface Time {
  /** From an arbitrary start; never jumps. */
  passed(): number;
  /** Epoch. */
  now(): number;
}

/** For how many calls a fault is, one where absent, and for which. */
export interface Turns {
  times?: number;
  match?: Match;
}

export interface WaitOptions {
  match?: Match;
  /** 30 s where absent. */
  timeoutMs?: number;
}

/** A running simulated API, with everything a test reads and sets. */
export interface Simulator {
  readonly url: string;
  /** In order of arrival, answered or not. */
  readonly log: readonly Call[];
  callCount(match?: Match): number;
  calls(match?: Match): Call[];
  /** Resolves as soon as that many calls have arrived; rejects after `timeoutMs`. */
  waitForCalls(count: number, options?: WaitOptions): Promise<Call[]>;
  /** What was set on a pipe, without defaults; undefined where there is no such pipe. */
  settingsOf(pipe: string): Record<string, unknown> | undefined;
  /** Someone else changes a pipe: merged, neither checked nor logged. */
  setSettings(pipe: string, settings: Record<string, unknown>): void;
  organization(id: string): Organization | undefined;
  /** Someone else changes an organization, which is made where it does not exist. */
  setOrganization(id: string, change: OrganizationChange): void;
  /** What a GET of this path answers from now on. */
  setRecord(path: string, record: object, late?: Lateness): void;
  play(behaviour: Behaviour): void;
  /** For the next calls that fit; goes before what `always` says. */
  next(fault: Fault, options?: Turns): void;
  /** Every fitting call from now on; what was said last wins. */
  always(fault: Fault, match?: Match): void;
  /** Takes back `next` and `always`; what is held stays held. */
  clear(): void;
  /** Without a secret the key is unknown from now on. */
  setKey(id: string, secret: string | undefined, options?: KeyOptions): void;
  /** Refuses connections and cuts those there are. */
  down(): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
  /** Lets the answers go that `hold` keeps back. */
  release(): void;
  stop(): Promise<void>;
}
