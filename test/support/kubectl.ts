import { kubectl } from '../controlplane/client.ts';

/** Arguments, input, and the kubeconfig of another user than the administrator. */
type Given = Parameters<typeof kubectl>;

/** Runs kubectl and gives what it printed; throws with its complaint where it fails. */
export async function succeed(...given: Given): Promise<string> {
  const { code, stdout, stderr } = await kubectl(...given);
  if (code !== 0) throw new Error(`kubectl ${given[0].join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Runs kubectl that should fail, and gives its complaint; throws where it succeeds. */
export async function complaint(...given: Given): Promise<string> {
  const { code, stdout, stderr } = await kubectl(...given);
  if (code === 0) throw new Error(`kubectl ${given[0].join(' ')} succeeded: ${stdout}`);
  return stderr;
}

/** `kubectl apply`, into `namespace` where a document names none. */
export function applyYaml(text: string, namespace = 'default'): Promise<string> {
  return succeed(['apply', '-n', namespace, '-f', '-'], text);
}

/** The rows that `kubectl get …` prints, by column; an empty cell is an empty text. */
export async function printedTable(args: readonly string[]) {
  const printed = await succeed(['get', ...args]);
  const [header = '', ...lines] = printed.trimEnd().split('\n');
  const titles = [...header.matchAll(/\S+(?: \S+)*/g)];
  return lines.map((line): Readonly<Record<string, string>> => {
    const cells = titles.map(({ 0: title, index }, at) => [
      title,
      line.slice(index, titles[at + 1]?.index).trim(),
    ]);
    return Object.fromEntries(cells) as Record<string, string>;
  });
}
