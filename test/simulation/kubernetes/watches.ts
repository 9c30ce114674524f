import type { Timeline } from '../engine/timeline.ts';
import type { WireStream } from '../network/wire.ts';
import { apiVersionOf } from './kinds.ts';
import type { Change, Objects, Thing } from './objects.ts';
import { expired } from './refusal.ts';
import { METADATA_ONLY, type Selection } from './selection.ts';

type Line = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

interface Stream {
  readonly selection: Selection;
  readonly host: string;
  readonly tell: (change: Change) => void;
  readonly end: (broken: boolean) => void;
  readonly bookmark: () => void;
}

const BOOKMARK_BEFORE_END_MS = 2_000;

/** How late a process hears of a change through its watches, and whether it hears at all. */
export interface WatchWeather {
  /** Milliseconds, for each change and process. */
  lagMs(host: string, change: Change): number;
}

/** The open watches. Each brings its changes in their order, however late. */
export class Watches {
  readonly #timeline: Timeline;
  readonly #objects: Objects;
  readonly #weather: WatchWeather;
  readonly #streams = new Set<Stream>();

  constructor(options: { timeline: Timeline; objects: Objects; weather: WatchWeather }) {
    this.#timeline = options.timeline;
    this.#objects = options.objects;
    this.#weather = options.weather;
  }

  /**
   * A watch from a version on, which must not be forgotten; it ends by itself after its time. From
   * a version that is still to come, as after a restored backup, it hears of nothing until that is
   * over, and is told nothing of it.
   */
  open(host: string, selection: Selection, query: URLSearchParams): WireStream {
    const from = Number(query.get('resourceVersion') ?? 0);
    if (!(from > 0))
      throw new RangeError(
        'a watch that begins with what is there is not played: the operator lists first',
      );
    const ms = (Number(query.get('timeoutSeconds') ?? 0) || 1_800) * 1_000;
    const takesBookmarks = query.get('allowWatchBookmarks') === 'true';
    return (to) => {
      let freeAt = 0;
      const send = (type: Line, object: object, delayMs: number): void => {
        freeAt = Math.max(freeAt, this.#timeline.now + delayMs);
        const says = { type, object };
        const text = `${JSON.stringify(says)}\n`;
        this.#timeline.quietlyAt(freeAt - this.#timeline.now, () => {
          if (this.#streams.has(stream)) to.data(text, says);
        });
      };
      const close = (broken: boolean): void => {
        if (!this.#streams.delete(stream)) return;
        for (const cancel of cancels) cancel();
        to.ended(broken);
      };
      const stream: Stream = {
        selection,
        host,
        tell: (change) => {
          if (change.revision <= from) return;
          const line = lineFor(selection, change);
          if (line) send(line.type, line.object, this.#weather.lagMs(host, change));
        },
        bookmark: () => {
          const { revision } = this.#objects;
          if (takesBookmarks && revision >= from)
            send('BOOKMARK', bookmarkOf(selection, revision), 0);
        },
        end: close,
      };
      const cancels = [this.#timeline.quietlyAt(ms, () => close(false))];
      const lastWordMs = ms - BOOKMARK_BEFORE_END_MS;
      if (lastWordMs > 0)
        cancels.push(this.#timeline.quietlyAt(lastWordMs, () => stream.bookmark()));
      this.#streams.add(stream);
      if (from < this.#objects.compactedAt) {
        send(
          'ERROR',
          expired(`too old resource version: ${from} (${this.#objects.compactedAt})`).body(),
          0,
        );
        this.#timeline.quietlyAt(0, () => close(false));
      } else {
        for (const change of this.#objects.since(from)) stream.tell(change);
      }
      return () => close(true);
    };
  }

  changed(change: Change): void {
    for (const stream of this.#streams) stream.tell(change);
  }

  /** Ends the watches of a process, or of all. */
  cut(options: { readonly host?: string; readonly broken: boolean }): void {
    for (const stream of this.#streams) {
      if (options.host === undefined || stream.host === options.host) stream.end(options.broken);
    }
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.bookmark();
  }
}

/** What a change looks like to a watch that has only some of the objects. */
function lineFor(
  { kind, fits, shown }: Selection,
  change: Change,
): { type: Line; object: object } | undefined {
  if (change.kind !== kind) return undefined;
  const did = change.before !== undefined && fits(change.before);
  const does = change.type !== 'DELETED' && fits(change.now);
  if (did && does) return { type: 'MODIFIED', object: shown(change.now) };
  if (does) return { type: 'ADDED', object: shown(change.now) };
  if (!did) return undefined;
  return { type: 'DELETED', object: shown(lastSeen(change)) };
}

/** An object that has left the selection is shown as it was, with the version of its leaving. */
function lastSeen({ type, now, before }: Change): Thing {
  if (type === 'DELETED' || !before) return now;
  const { resourceVersion } = now.metadata;
  return { ...before, metadata: { ...before.metadata, resourceVersion } };
}

function bookmarkOf({ kind, metadataOnly }: Selection, revision: number): object {
  const type = metadataOnly ? METADATA_ONLY : { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { ...type, metadata: { resourceVersion: String(revision) } };
}
