import type { Stored } from '../../support/cluster.ts';
import type { Handlers, Passing, Watch } from '../proxy.ts';

/** A line of a watch, read. */
export interface Shown {
  readonly type: string;
  /** Of the watch that it came by. */
  readonly plural: string;
  readonly object: { readonly metadata: Stored['metadata'] };
  /**
   * Somebody made, changed or deleted the object; else the operator has written its status or its
   * finalizers.
   */
  readonly isNews: boolean;
  readonly text: string;
}

/**
 * What the operator is shown in place of a line; undefined: the line itself. A promise holds up the
 * rest of the watch.
 */
export type Lens = (
  shown: Shown,
  watch: Watch,
) => readonly string[] | Promise<readonly string[]> | undefined;

/** A write of a status or of finalizers by the operator, and how it was answered. */
export interface Write {
  readonly name: string;
  readonly plural: string;
  readonly body: unknown;
  readonly code: number;
}

/** What operators see of Kubernetes through the proxy that has these handlers. */
export interface View {
  readonly handlers: Handlers;
  /** Every line that came from the server, in order. */
  readonly lines: readonly Shown[];
  readonly writes: readonly Write[];
  /** Looks through this first, until the function that is returned is called. */
  wear(lens: Lens): () => void;
  /** Takes reads and writes before anything else does; true: it has dealt with it. */
  take(first: ((passing: Passing) => Promise<boolean>) | undefined): void;
}

export function createView(): View {
  const lines: Shown[] = [];
  const writes: Write[] = [];
  const lenses = new Set<Lens>();
  const signatures = new Map<string, string>();
  let first: ((passing: Passing) => Promise<boolean>) | undefined;

  function read(text: string, { path }: Watch): Shown {
    const plural = pluralOf(path);
    const { type, object } = JSON.parse(text) as Omit<Shown, 'plural' | 'text' | 'isNews'>;
    const id = `${plural}/${object.metadata.name}`;
    const signature = signatureOf(type, object, plural);
    const isNews = signatures.get(id) !== signature;
    signatures.set(id, signature);
    return { type, object, plural, isNews, text };
  }

  return {
    lines,
    writes,
    wear(lens) {
      lenses.add(lens);
      return () => void lenses.delete(lens);
    },
    take: (next) => void (first = next),
    handlers: {
      line(text, watch) {
        const shown = read(text, watch);
        lines.push(shown);
        for (const lens of lenses) {
          const instead = lens(shown, watch);
          if (instead) return instead;
        }
        return [text];
      },
      async take(passing) {
        if (await first?.(passing)) return;
        const { method, path, body } = passing;
        const plural = pluralOf(path);
        const { status: code } = await passing.forward();
        if (method !== 'GET' && plural !== 'events')
          writes.push({ name: nameOf(path), plural, body, code });
        await passing.reply();
      },
    },
  };
}

/** Lines that do not reach the operator. */
export interface Hidden {
  /** How many it has been. */
  readonly hidden: () => number;
  /** What comes now passes. */
  end(): void;
}

/** Keeps from the operator the lines that fit: the first of them, or so many. */
export function hide(view: View, fits: (shown: Shown) => boolean, times = 1): Hidden {
  let hidden = 0;
  const end = view.wear((shown) => {
    if (!fits(shown)) return undefined;
    hidden += 1;
    if (hidden === times) end();
    return [];
  });
  return { hidden: () => hidden, end };
}

/**
 * Every line comes so much later, as through an API server that lags behind; ends with what is
 * under way not sent.
 */
export function delay(view: View, ms: number): () => void {
  const timers = new Set<NodeJS.Timeout>();
  const takeOff = view.wear(({ text }, watch) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      watch.send(text);
    }, ms);
    timers.add(timer);
    return [];
  });
  return () => {
    takeOff();
    for (const timer of timers) clearTimeout(timer);
  };
}

/** What a server says in a watch that cannot go on from where it was asked to. */
export const EXPIRED = JSON.stringify({
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 410,
    reason: 'Expired',
    message: 'too old',
  },
});

/** `pipesettings` of a path of it, `secrets` of one of those. */
export function pluralOf(path: string): string {
  return partsOf(path)[0] ?? '';
}

/** The name of the object that a path is about; empty for a list. */
export function nameOf(path: string): string {
  return partsOf(path)[1] ?? '';
}

/** What comes after the namespace. */
function partsOf(path: string): readonly string[] {
  const [way = ''] = path.split('?');
  return way.split('/namespaces/')[1]?.split('/').slice(1) ?? [];
}

/** What changes where anybody but the operator has acted. */
function signatureOf(type: string, object: Shown['object'], plural: string): string {
  const { uid, generation, labels, deletionTimestamp, resourceVersion } = object.metadata as Record<
    string,
    unknown
  >;
  const isOver = type === 'DELETED';
  // Of a Secret only metadata come, and the operator never writes to one.
  const version = plural === 'secrets' ? resourceVersion : generation;
  return JSON.stringify([isOver, uid, version, labels, deletionTimestamp]);
}
