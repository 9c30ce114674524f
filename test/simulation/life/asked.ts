import type { Thing } from '../kubernetes/objects.ts';
import type { Crossing } from '../network/wire.ts';
import { nameOf } from './kube-paths.ts';

/** What the processes held of an object when they asked the API server something about it. */
export class Asked {
  readonly #held = new WeakMap<Crossing, Thing>();
  /**
   * By process and name: what was asked in vain. What is read instead, in the same moment, goes by
   * what was held then.
   */
  readonly #inVain = new Map<string, { readonly at: number; readonly held: Thing | undefined }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  asks(crossing: Crossing, heldNow: Thing | undefined): void {
    const before =
      crossing.request.method === 'GET' ? this.#inVain.get(subjectOf(crossing)) : undefined;
    const held = before?.at === this.#now() ? before.held : heldNow;
    if (held) this.#held.set(crossing, held);
  }

  inVain(crossing: Crossing): void {
    this.#inVain.set(subjectOf(crossing), { at: this.#now(), held: this.heldFor(crossing) });
  }

  heldFor(crossing: Crossing): Thing | undefined {
    return this.#held.get(crossing);
  }
}

function subjectOf({ host, request }: Crossing): string {
  return `${host} ${nameOf(request.path)}`;
}
