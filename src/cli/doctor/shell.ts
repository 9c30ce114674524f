import type { ConnectionFlags } from '../cluster/kubectl.ts';

/**
 * Text for a shell. What doctor itself was told about the cluster is told to every program too, or
 * a command that is pasted would mend another cluster.
 */
export interface Shell {
  /** `kubectl …`, each word quoted where it must be. */
  kubectl(...words: readonly string[]): string;
  /** `kubectl pipewright …`; kubectl takes no flags before the name of a plugin. */
  plugin(...words: readonly string[]): string;
  helm(...words: readonly string[]): string;
}

export function createShell({ kubeconfig, context }: ConnectionFlags): Shell {
  const file = kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`];
  const connection = [...file, ...(context === undefined ? [] : [`--context=${context}`])];
  const forHelm = [...file, ...(context === undefined ? [] : [`--kube-context=${context}`])];
  const joined = (...words: readonly string[]): string => words.map(word).join(' ');
  return {
    kubectl: (...words) => joined('kubectl', ...connection, ...words),
    plugin: (...words) => joined('kubectl', 'pipewright', ...words, ...connection),
    helm: (...words) => joined('helm', ...forHelm, ...words),
  };
}

const HARMLESS = /^[\w@%+=:,./-]+$/;
/** `name="$VARIABLE"`: the shell puts the value in. */
const VARIABLE = /^[\w@%+=:,./-]+="\$\w+"$/;

function word(text: string): string {
  if (HARMLESS.test(text) || VARIABLE.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
