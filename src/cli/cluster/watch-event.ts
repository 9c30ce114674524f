import { isNamed, type KubeObject } from '../../kube/resource.ts';

/** What happened to an object. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/**
 * A line of a watch. Undefined where it tells of no object: the server has forgotten the version,
 * or a proxy has ended the stream with something else.
 */
export function readEvent(line: string): WatchEvent | undefined {
  const { type, object } = parsed(line);
  const isChange = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
  return isChange && isNamed(object) ? { type, object } : undefined;
}

function parsed(line: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    return Object(JSON.parse(line)) as { type?: unknown };
  } catch {
    return {};
  }
}
