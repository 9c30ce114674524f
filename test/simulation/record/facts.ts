import type { EndpointMoves } from '../../simulator/organization-patch.ts';
import type { Change, Thing } from '../kubernetes/objects.ts';

/**
 * What a call of the operator did at the management API: none where it never arrived, two where it
 * arrived twice.
 */
export interface Execution {
  readonly at: number;
  readonly status: number;
  readonly applied: boolean;
  readonly requestId: string | undefined;
  readonly moves: EndpointMoves | undefined;
}

/** One call of the operator to the management API; filled in as it goes on. */
export interface ApiCall {
  readonly id: number;
  readonly process: string;
  /** Which API it went to: the host of its base address. */
  readonly host: string;
  readonly method: string;
  readonly path: string;
  /** The body as text, and as what it says. */
  readonly text: string;
  readonly body: unknown;
  readonly credential: { readonly keyId: string; readonly secret: string };
  /** What it is about: `pipe o/s/p`, `organization o` or `activity o/a`. */
  readonly target: string;
  readonly leftAt: number;
  readonly executions: Execution[];
  /** What reached the process. */
  reply?: Reply;
  /** The process has given it up, or its connection broke. */
  unanswered?: { readonly at: number; readonly why: string };
}

export interface Reply {
  readonly at: number;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly error: string | undefined;
  /** Of a body in JSON. */
  readonly result: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Something that happened. Times are milliseconds since the beginning of the life. */
export type Fact = { readonly at: number } & (
  | { readonly what: 'act'; readonly id: string; readonly text: string }
  | {
      readonly what: 'process';
      readonly process: string;
      readonly did: ProcessEvent;
      readonly text?: string;
    }
  | { readonly what: 'leaves' | 'done' | 'answered' | 'unanswered'; readonly call: ApiCall }
  /** A call found nobody to connect to: nothing of it has left. */
  | { readonly what: 'unreached'; readonly process: string; readonly target: string }
  | {
      readonly what: 'other';
      readonly host: string;
      readonly organizationId: string;
      readonly moves: EndpointMoves;
    }
  | { readonly what: 'written'; readonly change: Change }
  | {
      readonly what: 'seen';
      readonly process: string;
      readonly key: string;
      readonly thing: Thing | undefined;
      /**
       * Shown by a list, or a reply, that counts although it is older than what was seen before.
       */
      readonly wentBack?: boolean;
    }
  | { readonly what: 'asked'; readonly process: string; readonly ask: KubeAsk }
  | { readonly what: 'log'; readonly process: string; readonly line: string }
  /** What a process shows whoever scrapes its metrics. */
  | { readonly what: 'page'; readonly process: string; readonly text: string }
);

export type ProcessEvent =
  | 'starts'
  | 'told-to-end'
  | 'ended'
  | 'failed'
  | 'killed'
  | 'died'
  | 'frozen'
  | 'goes-on'
  | 'clock-jumped';

/** One request to the API server, when it has ended. */
export interface KubeAsk {
  readonly method: string;
  readonly path: string;
  /** undefined: no answer reached the process. */
  readonly status: number | undefined;
  readonly body: string;
  /** Why no answer reached it. */
  readonly failure?: string;
  /** How long the answer took. */
  readonly tookMs?: number;
}

/** Tells whoever listens of every fact, in the order in which they happen. */
export class Chronicle {
  readonly #listeners: ((fact: Fact) => void)[] = [];

  listen(listener: (fact: Fact) => void): void {
    this.#listeners.push(listener);
  }

  add(fact: Fact): void {
    for (const listener of this.#listeners) listener(fact);
  }
}

/** `organizations/team-a/o1`: how an object is called in facts. */
export function keyOf(plural: string, { metadata }: Pick<Thing, 'metadata'>): string {
  return `${plural}/${metadata.namespace}/${metadata.name}`;
}
