import type { Clock } from '../clock.ts';
import type { ConnectionFlags, Kubectl } from './cluster/kubectl.ts';
import type { Scope } from './cluster/objects.ts';
import type { Terminal } from './terminal.ts';

/** What every command gets. */
export interface Context {
  readonly kubectl: Kubectl;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Of this plugin. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
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

/** The namespace that the flags, or the kubeconfig, name. */
export async function namespaceOf(kubectl: Kubectl, flags: ScopeFlags): Promise<string> {
  return flags.namespace ?? (await kubectl.currentNamespace());
}

export async function scopeOf(kubectl: Kubectl, flags: ScopeFlags): Promise<Scope> {
  const namespace = flags.allNamespaces === true ? undefined : await namespaceOf(kubectl, flags);
  return { namespace, ...(flags.selector !== undefined && { selector: flags.selector }) };
}
