import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { printable } from '../text.ts';
import { UserError } from './user-error.ts';

/** The flags that are passed on to kubectl as they are. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl did not do what it was asked for; the message is what it said. */
export class KubectlError extends UserError {
  /** The user lacks a right: what else may be read goes on. */
  get isForbidden(): boolean {
    return this.message.includes('(Forbidden)');
  }
}

/**
 * The cluster, by the kubectl that is on the PATH: so every kubeconfig, login program and proxy
 * that works for kubectl works here, and no key of the cluster is in this process.
 */
export interface Kubectl {
  /** Gives what kubectl printed, whatever its exit code. */
  run(args: readonly string[], input?: string): Promise<Ran>;
  /** The same, and throws KubectlError unless the exit code is 0; gives stdout. */
  succeed(args: readonly string[], input?: string): Promise<string>;
  /** The objects that `kubectl get … -o json` prints; throws KubectlError. */
  get<T>(args: readonly string[]): Promise<readonly T[]>;
}

export function createKubectl({ kubeconfig, context }: ConnectionFlags): Kubectl {
  const connection = [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
  const run: Kubectl['run'] = (args, input) => runKubectl([...args, ...connection], input);
  const succeed = async (args: readonly string[], input?: string): Promise<string> => {
    const ran = await run(args, input);
    if (ran.code === 0) return ran.stdout;
    throw new KubectlError(complaintOf(ran, args));
  };
  return {
    run,
    succeed,
    async get<T>(args: readonly string[]) {
      const printed = await succeed(['get', ...args, '-o', 'json']);
      // With --ignore-not-found nothing at all is printed for nothing.
      if (printed.trim() === '') return [];
      const read = JSON.parse(printed) as { readonly items?: readonly T[] };
      return read.items ?? [read as T];
    },
  };
}

/** A refused `kubectl apply` prints all that it sent before it says why. */
const WHOLE_PATCH = /error when applying patch:.*?; for: "[^"]*": error when patching "[^"]*": /g;

/** So many kubectl run at a time: -A may find objects in hundreds of namespaces. */
const AT_ONCE = 8;

/** Does this for every item, eight at a time; gives the results in the order of the items. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))));
  return results;
}

/** What kubectl said, as one line. */
export function complaintOf({ stderr, code }: Ran, args: readonly string[]): string {
  const lines = stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('Warning: '))
    .map((line) => printable(line.replace(/^error: /, '')).trim());
  const said = lines.join('; ').replace(WHOLE_PATCH, '');
  if (said === '') return `kubectl ${args[0]} ended with ${code} and gave no reason`;
  return /doesn't have a resource type|no matches for kind/.test(said)
    ? `${said}. The CRDs of Pipewright are not installed: kubectl pipewright check`
    : said;
}

/** What kubectl has said for so long, and still runs, is for somebody who has to log in. */
const SHOWN_AFTER_MS = 2_000;

async function runKubectl(args: readonly string[], input?: string): Promise<Ran> {
  const child = spawn('kubectl', args, {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'pipe', 'pipe'],
    // What kuberc makes a flag's default would change what is read here.
    env: { ...process.env, KUBERC: 'off' },
  });
  // kubectl that ends before it has read all of its input says why on stderr.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', ({ message }: Error) =>
      reject(new UserError(`kubectl cannot be started: ${message}; install it, or mend the PATH`)),
    );
    child.once('close', (code, signal) =>
      signal ? reject(new UserError(`kubectl was ended by ${signal}`)) : resolve(code ?? 1),
    );
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('a child process has no pipes');
  const [code, printed, said] = await Promise.all([ended, text(stdout), heard(stderr)]);
  return { code, stdout: printed, stderr: said };
}

/** Gives what kubectl says, and shows what it has said while it still runs. */
async function heard(stream: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  let shown = 0;
  // By pieces, not by lines: a question that somebody is to answer does not end with one.
  const timer = setInterval(() => {
    process.stderr.write(withoutKlog(said.slice(shown)));
    shown = said.length;
  }, SHOWN_AFTER_MS);
  try {
    for await (const chunk of stream) said += String(chunk);
  } finally {
    clearInterval(timer);
  }
  return withoutKlog(said);
}

/** klog prints what kubectl then says in a sentence. */
function withoutKlog(text: string): string {
  return text.replaceAll(/^[EWI]\d{4} [\d:.]+.*\n?/gm, '');
}
