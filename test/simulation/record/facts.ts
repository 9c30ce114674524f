import type { EndpointMoves } from '../../simulator/organization-types.ts';
import type { Change } from '../kubernetes/objects.ts';

/** What a call of the operator did at the management API. */
export interface Execution {
  readonly status: number;
  readonly moves: EndpointMoves | undefined;
}

/** One call of the operator to the management API; filled in as it goes on. */
export interface ApiCall {
  readonly id: number;
  /** `PATCH organization 7f… #3`: the same call of the same story in every telling. */
  readonly name: string;
  readonly process: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly body: CallBody;
  readonly credential: { readonly keyId: string; readonly secret: string };
  /** What it is about: `pipe o/s/p`, `organization o` or `activity o/a`. */
  readonly target: string;
  /** Of its first byte; -1 before that. */
  leftAt: number;
  /** None where it never arrived. */
  readonly executions: Execution[];
  /** What reached the process. */
  reply?: Reply;
  /** The process has given it up, or its connection broke. */
  unanswered?: { readonly at: number; readonly why: string };
}

/** The parts of a PATCH that the contract names. */
export interface CallBody {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly EndpointView[];
    readonly remove?: readonly EndpointView[];
  };
}

export interface EndpointView {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description?: string;
}

export interface Reply {
  readonly at: number;
  readonly status: number;
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
  | { readonly what: 'other'; readonly organizationId: string; readonly moves: EndpointMoves }
  | { readonly what: 'written'; readonly change: Change }
  | { readonly what: 'asked'; readonly process: string; readonly ask: KubeAsk }
  | { readonly what: 'log'; readonly process: string; readonly line: string }
  | { readonly what: 'page'; readonly process: string; readonly text: string }
);

export type ProcessEvent =
  | 'starts'
  | 'is told to end'
  | 'has ended'
  | 'ends with an error'
  | 'is killed, because its grace is over'
  | 'is dead'
  | 'stands still'
  | 'goes on';

/** One request to the API server, when it has ended. */
export interface KubeAsk {
  readonly method: string;
  readonly path: string;
  readonly leftAt: number;
  /** undefined: no answer reached the process. */
  readonly status: number | undefined;
  readonly body: string;
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

/** What a body adds and removes. */
export function endpointsOf({ privateEndpoints: { add = [], remove = [] } = {} }: CallBody): {
  readonly add: readonly EndpointView[];
  readonly remove: readonly EndpointView[];
} {
  return { add, remove };
}
