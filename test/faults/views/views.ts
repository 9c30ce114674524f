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
  /** Answers every list of these collections, by plural, with this text. */
  answerLists(lists: ReadonlyMap<string, string>): Answered;
  /** Takes reads and writes before anything else does; true: it has dealt with it. */
  take(first: ((passing: Passing) => Promise<boolean>) | undefined): void;
}

/** Lists that are answered with what was. */
export interface Answered {
  /** How many it has been. */
  readonly count: () => number;
  /** The server answers those that come now. */
  end(): void;
}

export function createView(): View {
  const lines: Shown[] = [];
  const writes: Write[] = [];
  const lenses = new Set<Lens>();
  const signatures = new Map<string, string>();
  let past: ReadonlyMap<string, string> | undefined;
  let answers = 0;
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
    answerLists(lists) {
      past = lists;
      answers = 0;
      return { count: () => answers, end: () => void (past = undefined) };
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
        const list = method === 'GET' && isList(path) ? past?.get(plural) : undefined;
        if (list !== undefined) {
          answers += 1;
          return passing.reply({ status: 200, text: list });
        }
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
 * Holds up every line that comes now, and the answers of all watches with it, until the function
 * returned is called.
 */
export function holdUp(view: View): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const takeOff = view.wear(async ({ text }) => {
    await promise;
    return [text];
  });
  return () => {
    takeOff();
    resolve();
  };
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

const CROSSING_MS = 300;

/**
 * A line about an object that is known waits for one about another, which goes first; not for long.
 * A new object is never kept waiting: Kubernetes tells of what it holds in the order of versions,
 * and one that is not held and older than what was told is taken for a dead one.
 */
export function cross(view: View): () => void {
  const waiting = new Map<Watch, { readonly shown: Shown; readonly timer: NodeJS.Timeout }>();
  const takeOut = (watch: Watch): readonly string[] => {
    const late = waiting.get(watch);
    clearTimeout(late?.timer);
    waiting.delete(watch);
    return late ? [late.shown.text] : [];
  };
  const takeOff = view.wear((shown, watch) => {
    const isSame = waiting.get(watch)?.shown.object.metadata.name === shown.object.metadata.name;
    if (waiting.has(watch))
      return isSame ? [...takeOut(watch), shown.text] : [shown.text, ...takeOut(watch)];
    if (shown.type === 'ADDED') return undefined;
    const timer = setTimeout(() => takeOut(watch).forEach((text) => watch.send(text)), CROSSING_MS);
    waiting.set(watch, { shown, timer });
    return [];
  });
  return () => {
    takeOff();
    for (const { timer } of waiting.values()) clearTimeout(timer);
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

function isList(path: string): boolean {
  return partsOf(path).length === 1;
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
