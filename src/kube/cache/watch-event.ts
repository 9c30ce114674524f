import { KubeError, refusalInWatch } from '../client/kube-error.ts';
import { isNamed, type KubeObject } from '../resource.ts';

export type WatchEvent = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One line of a watch: a change, or only how far the server has come. */
export type WatchLine<T> =
  | { readonly type: WatchEvent; readonly object: T; readonly resourceVersion: string }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/**
 * Reads one line. Throws KubeError: the server's own for an ERROR event, `Unreadable` for what is
 * no event.
 */
export function parseWatchLine<T extends KubeObject>(path: string, line: string): WatchLine<T> {
  const { type, object } = parse(path, line);
  if (type === 'ERROR') throw refusalInWatch(`GET ${path}`, object);
  const resourceVersion = versionOf(object);
  if (resourceVersion === undefined) throw unreadable(path, 'an event without a resourceVersion');
  switch (type) {
    case 'BOOKMARK':
      return { type, resourceVersion };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!isNamed(object)) throw unreadable(path, 'an event of an object without a name');
      return { type, resourceVersion, object: object as T };
    default:
      throw unreadable(path, 'an event of an unknown type');
  }
}

function parse(path: string, line: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {
    // The parser's message quotes the line, which may hold anything.
  }
  throw unreadable(path, 'a line that is no event');
}

function versionOf(object: unknown): string | undefined {
  const version = (object as KubeObject | undefined)?.metadata?.resourceVersion;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function unreadable(path: string, what: string): KubeError {
  return new KubeError({
    call: `GET ${path}`,
    status: 0,
    reason: 'Unreadable',
    body: `the watch sent ${what}`,
  });
}
