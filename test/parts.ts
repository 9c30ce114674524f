import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { elapsed } from './controlplane/progress.ts';

/** One program that a command runs to its end. */
export interface Part {
  readonly name: string;
  /** Arguments of node: a script of ours or of a package. */
  readonly run: readonly string[];
  /** Begins when these parts, named before it, have passed; absent: at once. */
  readonly after?: readonly string[];
  /** Behind all others in priority: it waits for nothing but a processor. */
  readonly isBehind?: true;
  /** `quiet`: shown only where it fails. `terminal`: for one that runs alone. */
  readonly output?: 'quiet' | 'terminal';
  /** What to do when it fails. */
  readonly mend?: string;
}

interface Ended {
  readonly part: Part;
  readonly passed: boolean;
  readonly took: string;
  readonly lines: readonly string[];
}

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Of `nice`: behind what is built, too. */
const BEHIND = 19;
const KEPT_LINES = 5_000;
const MOST_TOLD = 30;
/** What a program has printed is there so long after its end. */
const LAST_LINES_MS = 2_000;
/** As vitest and our own programs say it, as the hunt does, and as Node ends. */
const TELLS = /^\s*(?:FAIL\b|FAILED\b|BROKEN\b|\S+ breaks \w|==>|Again: |\w*Error\b.*:)/;

/**
 * Runs parts at once, as far as each need not wait for another; after a failure none begins. Says
 * at the end of each what it took, and last of all what failed. Resolves to whether all passed.
 */
export async function runParts(parts: readonly Part[]): Promise<boolean> {
  const running = new Set<ChildProcess>();
  const ended: Ended[] = [];
  let isStopped = false;
  const stop = (signal: NodeJS.Signals): void => {
    isStopped = true;
    // Ctrl-C in a terminal reaches the children by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY)
      for (const child of running) child.kill(signal);
  };
  const begin = async (part: Part, before: readonly unknown[]): Promise<void> => {
    await Promise.all(before);
    if (isStopped || ended.some(({ passed }) => !passed)) return;
    const end = await run(part, running);
    // What was broken off has not been found wrong.
    if (isStopped && !end.passed) return;
    ended.push(end);
    console.log(lineOf(end));
    if (!end.passed && part.output === 'quiet') console.log(end.lines.join('\n'));
  };
  for (const signal of ENDINGS) process.on(signal, stop);
  const ends = new Map<string, Promise<void>>();
  for (const part of parts) {
    const before = (part.after ?? []).map((name) => ends.get(name));
    if (before.includes(undefined)) throw new Error(`${part.name} is after what is not before it`);
    ends.set(part.name, begin(part, before));
  }
  await Promise.all(ends.values());
  for (const signal of ENDINGS) process.off(signal, stop);
  if (isStopped) console.log('Stopped before its end.');
  if (parts.filter(({ output }) => output === undefined).length > 1) tell(parts, ended);
  return !isStopped && ended.length === parts.length && ended.every(({ passed }) => passed);
}

async function run(part: Part, running: Set<ChildProcess>): Promise<Ended> {
  const since = performance.now();
  const stdio = part.output === 'terminal' ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, part.run, { stdio: ['inherit', stdio, stdio] });
  running.add(child);
  if (part.isBehind && child.pid !== undefined) setPriority(child.pid, BEHIND);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (part.output !== 'quiet') console.log(line);
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
  }
  // A child that it has left behind may hold them open for ever.
  const close = (): void => [child.stdout, child.stderr].forEach((stream) => stream?.destroy());
  child.once('exit', () => setTimeout(close, LAST_LINES_MS).unref());
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', ({ message }) => {
      lines.push(`Error: it could not be started: ${message}`);
      resolve(null);
    });
    child.once('close', resolve);
  });
  running.delete(child);
  return { part, passed: code === 0, took: elapsed(since), lines };
}

function lineOf({ part: { name, mend }, passed, took }: Ended): string {
  const what = passed || mend === undefined ? name : `${name}: ${mend}`;
  return `${passed ? 'ok  ' : 'FAIL'} ${took.padStart(12)}  ${what}`;
}

/** All parts once more, and at the very end what failed, as that is what is read first. */
function tell(parts: readonly Part[], ended: readonly Ended[]): void {
  const [passed, failed] = [true, false].map((is) => ended.filter((end) => end.passed === is));
  for (const end of passed ?? []) console.log(lineOf(end));
  for (const part of parts)
    if (!ended.some((end) => end.part === part)) console.log(`not run           ${part.name}`);
  for (const end of failed ?? []) {
    const lines = end.lines.map((line) => stripVTControlCharacters(line).trimEnd());
    const telling = [...new Set(lines.filter((line) => TELLS.test(line)))].slice(0, MOST_TOLD);
    console.log([lineOf(end), ...(telling.length > 0 ? telling : lines.slice(-8))].join('\n  '));
  }
}
