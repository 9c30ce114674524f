import type { KubeError } from './kube-error.ts';

export interface Denied {
  readonly error: KubeError;
  /** What was tried, where the server's text does not say. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** Absent: the rule cannot be cut down to one name, as for `create`. */
  readonly name?: string;
  /**
   * Everything the operator needs on it: the rule names all, so that it need not be mended twice.
   */
  readonly needs: readonly string[];
}

/**
 * One line for a 403: what was refused, to whom, and the Role rule to add. The same for the same
 * cause.
 */
export function missingRule(denied: Denied): string {
  const { error, group, resource, namespace, name } = denied;
  const verb = /\bcannot (\w+) resource\b/.exec(error.body)?.[1];
  const user = /^(?:.*? )?User "([^"]+)"/.exec(error.body)?.[1];
  const what =
    name === undefined ? `in namespace "${namespace}"` : `"${name}" in namespace "${namespace}"`;
  const names = name === undefined ? '' : `, resourceNames: ["${name}"]`;
  const rule = `{apiGroups: ["${group}"], resources: ["${resource}"]${names}, verbs: [${denied.needs.map(quoted).join(', ')}]}`;
  // Not every 403 is RBAC's: an admission plug-in or webhook says why in its own words.
  const why = verb === undefined && error.body !== '' ? ` (${error.body})` : '';
  const where = `a Role in namespace "${namespace}" bound to ${user ?? "the operator's service account"}`;
  return `${user ?? 'the operator'} may not ${verb ?? denied.verb} ${resource} ${what}${why}; add to ${where} the rule ${rule}`;
}

function quoted(text: string): string {
  return `"${text}"`;
}
