import type { Behaviour, Simulator } from '../../../simulator/types.ts';
import type { Once } from '../../management/api.ts';

export interface Key {
  readonly id: string;
  readonly secret: string;
}

/** One call. What is left out is as a right caller has it. */
export interface Ask {
  readonly method: string;
  /** as it goes over the wire: nothing is encoded or normalised */
  readonly path: string;
  /** a string as it is, anything else as JSON; absent: none */
  readonly body?: unknown;
  readonly key?: Key;
  /** in lower case, in place of those that `key` and JSON ask for; undefined leaves one out */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly once?: Once;
}

export interface Answer {
  readonly status: number;
  /** by name in lower case */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** empty where the text is no JSON object */
  readonly body: {
    status?: unknown;
    requestId?: unknown;
    error?: string;
    result?: Record<string, unknown>;
  };
}

/**
 * A management API, whatever it runs on. Keys are known as soon as they are set and no sooner;
 * `KEY` is one of them. Everything but `send`, `begin` and `later` happens at once and without a
 * call.
 */
export interface ManagementUnderTest
  extends Pick<
    Simulator,
    'setKey' | 'settingsOf' | 'setSettings' | 'organization' | 'setOrganization' | 'setActivity'
  > {
  send(ask: Ask): Promise<Answer>;
  /** Sends a call whose work is done when this resolves, and whose answer leaves at `finish`. */
  begin(ask: Ask): Promise<{ finish(): Promise<Answer> }>;
  play(behaviour: Omit<Behaviour, 'latencyMs'>): void;
  /** Its wall clock, in epoch ms. */
  now(): number;
  /**
   * Resolves when nothing in `check` throws any more: at the latest when so much of its time has
   * passed.
   */
  later(ms: number, check: () => Promise<void>): Promise<void>;
}

export interface Existing {
  /** pipes that exist from the start, as 'org/service/pipe' */
  readonly pipes?: string[];
  /** whether every other pipe and organization exists too; true when absent */
  readonly anyPipe?: boolean;
}

/** Starts one for the test that runs, with `KEY`; it ends with the test. */
export type Open = (existing?: Existing) => Promise<ManagementUnderTest>;

export const KEY: Key = { id: 'key', secret: 'secret' };
