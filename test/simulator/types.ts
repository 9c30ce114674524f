import type { Activity, ActivityBehaviour } from './activities.ts';
import type { EndpointCount } from './endpoint-counts.ts';
import type {
  Organization,
  OrganizationBehaviour,
  OrganizationChange,
} from './organization-types.ts';
import type { SettingsBehaviour } from './pipe-settings.ts';

/** What a scripted answer carries instead of the ordinary envelope. */
export const BODY_KINDS = [
  'envelope',
  'no-request-id',
  'no-status',
  'text',
  'html',
  'empty',
  'truncated',
  'null',
  'wrong-type',
  'message',
  'detail',
  'errors',
  'no-result',
  'error-with-200',
  'result-and-error',
  'proto-keys',
  'megabytes',
] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export const TRANSPORTS = [
  'reset-before',
  'reset-after',
  'no-answer',
  'drip',
  'endless',
  'bomb',
  'truncated',
] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** How the operations behave for one call; what is left out is as `play` said. */
export interface CallBehaviour {
  settings?: Partial<SettingsBehaviour>;
  organization?: Partial<OrganizationBehaviour>;
  activity?: Partial<ActivityBehaviour>;
}

/**
 * Who answers: something in front, which asks for no key and counts nothing, or the operation,
 * which sees only calls that keys and limits let through, while the others are refused as ever and
 * use up no turn. A success can come from the operation alone: left out, a status below 300 and a
 * mere `play` are the operation's, all else is the gateway's.
 */
export const ANSWERERS = ['gateway', 'operation'] as const;
type Answerer = (typeof ANSWERERS)[number];

/** A status in place of the operation's, and what comes with it. */
export interface ScriptedAnswer {
  status: number;
  body?: BodyKind;
  error?: string;
  headers?: Record<string, string>;
  applied?: boolean;
  by?: Answerer;
}

/**
 * What happens to one call instead of, or on top of, the ordinary answer. `applied` says whether
 * the work is done all the same; it is when left out, but for a status of 300 and above, for
 * `reset-before` and for `no-answer`. With `appliesAfterMs` the answer, or its absence, comes first
 * and the work later, as behind a gateway that gave up waiting.
 */
type Oddity =
  | (ScriptedAnswer & { appliesAfterMs?: number })
  | { transport: Transport; applied?: boolean; appliesAfterMs?: number; by?: Answerer }
  | { slowMs: number }
  | { hold: true };

/** An oddity, another behaviour for that call alone, or both. */
export type Fault = (Oddity & { play?: CallBehaviour }) | { play: CallBehaviour };

/** How an answer 429 says when to come back. */
export const RATE_HEADERS = [
  'reset-seconds',
  'reset-epoch',
  'reset-epoch-ms',
  'retry-after',
  'retry-after-date',
  'none',
] as const;
export type RateHeader = (typeof RATE_HEADERS)[number];

/** At most `calls` in any stretch of `perMs`, for each key on its own. */
export interface Rate {
  calls: number;
  perMs: number;
  header?: RateHeader;
}

/** Every field given must fit; `pathIncludes` is compared with the path as sent. */
export interface Match {
  method?: string;
  pathIncludes?: string;
  /** compared with the body's text */
  bodyIncludes?: string;
  keyId?: string;
}

/** One call as it was received. Entries are filled in when the answer leaves, never replaced. */
export interface Call {
  readonly seq: number;
  readonly receivedAt: number;
  answeredAt?: number;
  readonly method: string;
  readonly path: string;
  readonly keyId?: string;
  readonly body?: unknown;
  readonly text: string;
  status?: number;
  /** the transport fault played, or `client-gone` where the caller left before the answer */
  fate?: string;
  requestId?: string;
  /** whether a write took effect */
  applied: boolean;
  /** which connection carried it, counted from 1 */
  readonly connection: number;
}

export interface KeyOptions {
  /** 401 "Key is not active" */
  disabled?: boolean;
  /** 403 for everything but GET */
  readOnly?: boolean;
  /** 404 for every other organization */
  organizations?: string[];
  /** so long from now on it is answered as unknown, as a new key is until it has got around */
  newForMs?: number;
  /** with which status; 401 when absent */
  newStatus?: 401 | 404;
}

/** All that is stored, as a copy. */
interface State {
  pipes: Record<string, Record<string, unknown>>;
  organizations: Record<string, Organization>;
  activities: Record<string, Activity>;
}

/**
 * What to change about how the API behaves; what is left out stays, `rate: undefined` lifts the
 * limit.
 */
export interface Behaviour extends CallBehaviour {
  latencyMs?: number;
  rate?: Rate | undefined;
}

export interface SimulatorOptions {
  /** 0 or absent: one that is free */
  port?: number;
  /** PEM texts; absent: plain HTTP */
  tls?: { cert: string; key: string };
  /** secret by key id; absent: every well-formed credential is accepted */
  keys?: Record<string, string>;
  /** pipes that exist, as 'org/service/pipe' */
  pipes?: string[];
  /** organizations that exist, each with two endpoints of others */
  organizations?: string[];
  /** activities that exist, as 'organization/activity', with a plausible record */
  activities?: string[];
  /** accept every pipe and organization, whether named or not; true when absent */
  anyPipe?: boolean;
  /** how long each answer takes; the work is done on arrival */
  latencyMs?: number;
  rate?: Rate;
  /** most entries kept, 100,000 when absent; false keeps none and still counts */
  keepLog?: number | false;
  /** serve `/_control/<verb>` */
  control?: boolean;
  settings?: Partial<SettingsBehaviour>;
  organization?: Partial<OrganizationBehaviour>;
  activity?: Partial<ActivityBehaviour>;
  /** told of each call once its answer has left or its connection is gone */
  onCall?: (call: Call) => void;
}

/** For how many calls a fault is, and for which. */
export interface Turns {
  times?: number;
  match?: Match;
}

export interface InFlight {
  now: number;
  highest: number;
}

export interface WaitOptions {
  match?: Match;
  timeoutMs?: number;
}

/** A running simulated API, with everything a test reads and sets. */
export interface Simulator {
  readonly url: string;
  /** in order of arrival, the oldest dropped once there are `keepLog` */
  readonly log: readonly Call[];
  /** Calls ever received; with `pathIncludes` or `bodyIncludes`, of those still in the log. */
  callCount(match?: Match): number;
  calls(match?: Match): Call[];
  /**
   * Resolves as soon as that many calls have arrived, answered or not; rejects after `timeoutMs`,
   * 30 s when absent.
   */
  waitForCalls(count: number, options?: WaitOptions): Promise<Call[]>;
  /** What was set on a pipe, without defaults; undefined where there is no such pipe. */
  settingsOf(pipe: string): Record<string, unknown> | undefined;
  /** Someone else changes a pipe: merged, neither checked nor logged. */
  setSettings(pipe: string, settings: Record<string, unknown>): void;
  organization(id: string): Organization | undefined;
  /** Someone else changes an organization, which is made where it does not exist. */
  setOrganization(id: string, change: OrganizationChange): void;
  /**
   * How often each private endpoint was in an `add` and in a `remove` that arrived, whatever became
   * of it, and how often it really went in and out, by `provider/region/id`. What `setOrganization`
   * does is not counted, nor is a changed description.
   */
  endpointCounts(organizationId: string, by?: { keyId?: string }): Record<string, EndpointCount>;
  /** Stores an activity; `lateCalls` GETs and `lateMs` from now on it is still answered 404. */
  setActivity(
    organizationId: string,
    activity: Activity,
    late?: { lateCalls?: number; lateMs?: number },
  ): void;
  dump(): State;
  play(behaviour: Behaviour): void;
  /** The next `times` fitting calls, one when absent; goes before what `always` says. */
  next(fault: Fault, options?: Turns): void;
  /** Every fitting call from now on; the one said last wins. */
  always(fault: Fault, match?: Match): void;
  /** Takes back `next` and `always`; what is held stays held. */
  clear(): void;
  /** Without a secret the key is unknown from now on. */
  setKey(id: string, secret: string | undefined, options?: KeyOptions): void;
  inFlight(keyId?: string): InFlight;
  /** Refuses connections and cuts those there are; with `forMs`, comes back by itself. */
  down(options?: { forMs?: number }): Promise<void>;
  /** Listens again on the same port. */
  up(): Promise<void>;
  /** Lets the answers go that `hold` keeps back. */
  release(): void;
  stop(): Promise<void>;
}
