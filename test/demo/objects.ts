import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pset } from '../support/scene.ts';

/** All PipeSettings of the cluster as they are now, kept up to date by a watch. */
export interface Objects {
  get(name: string): Pset | undefined;
  /** Resolves with the object as soon as it fits; rejects with its state when the time is over, with the reason of `signal` when that comes. */
  until(name: string, fits: (object: Pset) => boolean, wait: Wait): Promise<Pset>;
  /** Resolves when there is no such object any more. */
  untilGone(name: string, wait: Wait): Promise<void>;
  close(): void;
}

export interface Wait {
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ObjectsOptions {
  readonly kubectl: string;
  readonly env: NodeJS.ProcessEnv;
  /** Objects elsewhere are called namespace/name. */
  readonly namespace: string;
  readonly onChange: (name: string, object: Pset | undefined) => void;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Pset & { readonly metadata: { readonly namespace: string } };
}

const WATCH = '/apis/pipewright.dev/v1alpha1/pipesettings?watch=1';
const AGAIN_MS = 500;

/** Watches with kubectl, so that what is shown is what a user can see. The API server ends a watch after an hour or so; then it starts anew. */
export function watchObjects({ kubectl, env, namespace, onChange }: ObjectsOptions): Objects {
  const objects = new Map<string, Pset>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();

  const apply = ({ type, object }: WatchEvent) => {
    const { metadata } = object;
    const name = metadata.namespace === namespace ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    if (type === 'DELETED') objects.delete(name);
    else if (type === 'ADDED' || type === 'MODIFIED') objects.set(name, object);
    else return;
    onChange(name, objects.get(name));
    for (const look of waiting) look();
  };
  const watch = () => {
    if (stop.signal.aborted) return;
    for (const name of objects.keys()) onChange(name, undefined);
    objects.clear();
    // A group of its own: Ctrl-C in the terminal is for the demo, which ends this one itself.
    const child = spawn(kubectl, ['get', '--raw', WATCH], { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const end = () => child.kill();
    stop.signal.addEventListener('abort', end);
    process.once('exit', end);
    createInterface({ input: child.stdout }).on('line', (line) => apply(JSON.parse(line) as WatchEvent));
    child.once('close', () => {
      stop.signal.removeEventListener('abort', end);
      process.off('exit', end);
      setTimeout(watch, AGAIN_MS).unref();
    });
  };
  watch();

  const until = (isIt: () => boolean, last: () => unknown, { what, timeoutMs, signal }: Wait): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        signal.removeEventListener('abort', aborted);
        end();
      };
      const aborted = () => settle(() => reject(signal.reason as Error));
      const late = () => settle(() => reject(new Error(`${timeoutMs / 1000} s passed without ${what}${seen(last())}`)));
      const look = () => {
        if (isIt()) settle(resolve);
      };
      const timer = setTimeout(late, timeoutMs);
      waiting.add(look);
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
      else look();
    });

  return {
    get: (name) => objects.get(name),
    until: async (name, fits, wait) => {
      let found: Pset | undefined;
      const isIt = () => {
        const object = objects.get(name);
        if (object && fits(object)) found = object;
        return found !== undefined;
      };
      await until(isIt, () => objects.get(name)?.status.conditions, wait);
      if (!found) throw new Error(`${name} was there and is not`);
      return found;
    },
    untilGone: (name, wait) =>
      until(
        () => !objects.has(name),
        () => undefined,
        wait,
      ),
    close: () => stop.abort(),
  };
}

function seen(last: unknown): string {
  return last === undefined ? '' : `; last seen: ${JSON.stringify(last)}`;
}
