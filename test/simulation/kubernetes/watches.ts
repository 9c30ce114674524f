import type { Timeline } from '../engine/timeline.ts';
import type { WireStream } from '../network/wire.ts';
import { apiVersionOf, type ServedKind } from './kinds.ts';
import type { Change, Objects } from './objects.ts';
import { Refusal } from './refusal.ts';

/** What a list or watch is about; namespace '': all of them. */
export interface Collection {
  readonly kind: ServedKind;
  readonly namespace: string;
}

interface Stream {
  readonly host: string;
  readonly tell: (change: Change) => void;
  readonly end: (broken: boolean) => void;
}

const BOOKMARK_BEFORE_END_MS = 2_000;

/** The open watches. Each brings its changes in their order. */
export class Watches {
  readonly #timeline: Timeline;
  readonly #objects: Objects;
  readonly #streams = new Set<Stream>();

  constructor(timeline: Timeline, objects: Objects) {
    this.#timeline = timeline;
    this.#objects = objects;
  }

  /** A watch from a version on, which must not be forgotten; it ends by itself after its time. */
  open(host: string, { kind, namespace }: Collection, query: URLSearchParams): WireStream {
    const from = Number(query.get('resourceVersion') ?? 0);
    const ms = Number(query.get('timeoutSeconds') ?? 1_800) * 1_000;
    return (to) => {
      const send = (type: string, object: object): void => {
        const says = { type, object };
        this.#timeline.quietlyAt(0, () => {
          if (this.#streams.has(stream)) to.data(`${JSON.stringify(says)}\n`, says);
        });
      };
      const stream: Stream = {
        host,
        tell: (change) => {
          const isInIt = namespace === '' || change.now.metadata.namespace === namespace;
          if (change.revision > from && change.kind === kind && isInIt)
            send(change.type, change.now);
        },
        end: (broken) => {
          if (!this.#streams.delete(stream)) return;
          for (const cancel of cancels) cancel();
          to.ended(broken);
        },
      };
      const bookmark = (): void => {
        const metadata = { resourceVersion: String(this.#objects.revision) };
        send('BOOKMARK', { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata });
      };
      const cancels = [
        this.#timeline.quietlyAt(ms, () => stream.end(false)),
        this.#timeline.quietlyAt(ms - BOOKMARK_BEFORE_END_MS, bookmark),
      ];
      this.#streams.add(stream);
      if (from < this.#objects.compactedAt) {
        send('ERROR', new Refusal(410, 'Expired', `too old resource version: ${from}`).body());
        this.#timeline.quietlyAt(0, () => stream.end(false));
      } else {
        for (const change of this.#objects.since(from)) stream.tell(change);
      }
      return () => stream.end(true);
    };
  }

  changed(change: Change): void {
    for (const stream of this.#streams) stream.tell(change);
  }

  /** Ends the watches of a process, or of all. */
  cut(options: { readonly host?: string; readonly broken: boolean }): void {
    for (const stream of this.#streams)
      if (options.host === undefined || stream.host === options.host) stream.end(options.broken);
  }
}
