import type { ObjectMeta } from '../../../src/kube/resource.ts';
import type { Right } from '../kubernetes/rights.ts';

/** One request to an API server. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; text as it is. */
  readonly body?: unknown;
  /** Absent: plain JSON. */
  readonly accept?: string;
  /** Absent: that of a merge patch for PATCH, else JSON. */
  readonly contentType?: string;
  /** A user who may do what `give` gave; absent: an administrator. */
  readonly as?: string;
}

/**
 * What a body says: an object, a list of them or a Status. Everything may be absent but metadata,
 * which is empty then, and a list without items may say null.
 */
export interface Told {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: Partial<ObjectMeta> & {
    readonly continue?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec?: object;
  readonly status?: unknown;
  readonly items?: readonly Told[] | null;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
  readonly [field: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: Told;
}

export interface WatchLine {
  readonly type: string;
  readonly object: Told;
}

export interface OpenWatch {
  /**
   * Waits for the next line. Throws when the server ends the watch instead, or nothing comes for
   * long.
   */
  next(): Promise<WatchLine>;
  /** All further lines, up to where the server ends the watch well. Throws when it breaks off. */
  rest(): Promise<WatchLine[]>;
}

/** An API server, whatever it is made of. */
export interface KubernetesUnderTest {
  send(ask: Ask): Promise<Answer>;
  /** A watch that the server has let begin. Throws when it answers anything but 200. */
  watch(ask: Omit<Ask, 'method'>): Promise<OpenWatch>;
  /** Makes a namespace of the caller's own and gives its name. */
  newNamespace(): Promise<string>;
  /** Begins to delete a namespace, which goes on for as long as the test does. */
  terminate(namespace: string): Promise<void>;
  /**
   * A user may do this and nothing else, from when it resolves on. Without it nobody of that name
   * may do anything.
   */
  give(user: string, rules: readonly Right[]): Promise<void>;
  /** Epoch ms by the server's clock. */
  now(): number;
  /** Resolves when the check says yes; time goes by meanwhile. */
  until(what: string, check: () => boolean | Promise<boolean>): Promise<void>;
}

/** Gives the server that a test runs on. */
export type Open = () => KubernetesUnderTest;

/** There is no namespace of this name. */
export const NOWHERE = 'nowhere';
