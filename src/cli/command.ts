import type { Clock } from '../clock.ts';
import { DNS_LABEL } from '../config/dns-names.ts';
import type { ConnectionFlags, Kubectl } from './cluster/kubectl.ts';
import type { Scope } from './cluster/objects.ts';
import type { Terminal } from './terminal.ts';
import { UserError } from './user-error.ts';

/** What every command gets. */
export interface Context {
  readonly kubectl: Kubectl;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Of this plugin. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C, or by another signal; which one is its reason. */
  readonly stop: AbortSignal;
}

/**
 * 0: fine. 2: "there is something", which each command says what it is. Errors are thrown and give
 * 1.
 */
export type ExitCode = 0 | 2;

/** As kubectl has them. */
export interface ScopeFlags extends ConnectionFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

/**
 * What an unset variable of a script leaves behind, such as -l "$TEAM", would mean every object.
 * Throws UserError.
 */
export function checkFlags(flags: ScopeFlags & { readonly operatorNamespace?: string }): void {
  const { selector, namespace, operatorNamespace } = flags;
  if (selector?.trim() === '')
    throw new UserError(
      '-l is empty, which would choose every object; give labels such as -l team=data, or leave it out',
    );
  if (namespace !== undefined) checkNamespace(namespace, '-n');
  if (operatorNamespace !== undefined) checkNamespace(operatorNamespace, '--operator-namespace');
}

function checkNamespace(name: string, from: string): void {
  if (!DNS_LABEL.test(name))
    throw new UserError(
      `${from}: ${JSON.stringify(name)} is not the name of a namespace; give 1 to 63 of a-z, 0-9 and -, or leave it out`,
    );
}

/** The namespace that the flags, or the kubeconfig, name. */
export async function namespaceOf(
  kubectl: Pick<Kubectl, 'currentNamespace'>,
  flags: ScopeFlags,
): Promise<string> {
  if (flags.namespace !== undefined) return flags.namespace;
  const name = await kubectl.currentNamespace();
  checkNamespace(name, 'the namespace of the kubeconfig');
  return name;
}

export async function scopeOf(kubectl: Kubectl, flags: ScopeFlags): Promise<Scope> {
  const namespace = flags.allNamespaces === true ? undefined : await namespaceOf(kubectl, flags);
  return { namespace, ...(flags.selector !== undefined && { selector: flags.selector }) };
}
