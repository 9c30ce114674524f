import type { ConnectionFlags } from './cluster/kubectl.ts';

/** A word of a command; with a variable, the shell puts its value behind the text. */
export type Word = string | { readonly before: string; readonly variable: string };

/**
 * Text for a shell. What the command itself was told about the cluster is told to every program
 * too, or a command that is pasted would mend another cluster.
 */
export interface Shell {
  /** `kubectl …`, each word quoted where it must be. */
  kubectl(...words: readonly Word[]): string;
  /** Applies what another command prints. */
  applied(manifest: string): string;
  /** `kubectl pipewright …`; kubectl takes no flags before the name of a plugin. */
  plugin(...words: readonly Word[]): string;
  helm(...words: readonly Word[]): string;
}

export function createShell({ kubeconfig, context }: ConnectionFlags): Shell {
  const file = kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`];
  const connection = [...file, ...(context === undefined ? [] : [`--context=${context}`])];
  const forHelm = [...file, ...(context === undefined ? [] : [`--kube-context=${context}`])];
  const joined = (...words: readonly Word[]): string => words.map(written).join(' ');
  const kubectl = (...words: readonly Word[]): string => joined('kubectl', ...connection, ...words);
  const apply = kubectl('apply', '--server-side', '--force-conflicts', '-f', '-');
  return {
    kubectl,
    applied: (manifest) => `${manifest} | ${apply}`,
    plugin: (...words) => joined('kubectl', 'pipewright', ...words, ...connection),
    helm: (...words) => joined('helm', ...forHelm, ...words),
  };
}

const HARMLESS = /^[\w@%+=:,./-]+$/;

function written(word: Word): string {
  if (typeof word !== 'string') return `${written(word.before)}"$${word.variable}"`;
  if (HARMLESS.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
