import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pset } from '../support/scene-objects.ts';

/** What objects of all kinds have in common. */
export type Shown = Pset & { readonly kind: string };

/**
 * All objects of the operator's kinds in the cluster as they are now, kept up to date by watches.
 * They go by `refOf`.
 */
export interface Objects {
  get(ref: string): Shown | undefined;
  /**
   * Resolves with the object as soon as it fits; rejects with its state when the time is over, with
   * the reason of `signal` when that comes.
   */
  until(ref: string, fits: (object: Shown) => boolean, wait: Wait): Promise<Shown>;
  /** Resolves when there is no such object any more. */
  untilGone(ref: string, wait: Wait): Promise<void>;
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
  /** Objects elsewhere have their namespace in front. */
  readonly namespace: string;
  readonly onChange: (ref: string, object: Shown | undefined) => void;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Shown & { readonly metadata: { readonly namespace: string } };
}

/** Kind to short name: by that an object is called, as kubectl takes it. */
const KINDS: Readonly<Record<string, { readonly plural: string; readonly short: string }>> = {
  PipeSettings: { plural: 'pipesettings', short: 'pset' },
  Organization: { plural: 'organizations', short: 'porg' },
  Activity: { plural: 'activities', short: 'pact' },
};
const AGAIN_MS = 500;

/** `pset/orders`: what one would type after `kubectl get`. */
export function refOf({
  kind,
  metadata,
}: Pick<Shown, 'kind'> & { readonly metadata: { readonly name: string } }) {
  return `${KINDS[kind]?.short ?? kind}/${metadata.name}`;
}

/**
 * Watches with kubectl, so that what is shown is what a user can see. The API server ends a watch
 * after an hour or so; then it starts anew.
 */
export function watchObjects({ kubectl, env, namespace, onChange }: ObjectsOptions): Objects {
  const objects = new Map<string, Shown>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();

  const apply = ({ type, object }: WatchEvent) => {
    const ref =
      object.metadata.namespace === namespace
        ? refOf(object)
        : `${object.metadata.namespace}/${refOf(object)}`;
    if (type === 'DELETED') objects.delete(ref);
    else if (type === 'ADDED' || type === 'MODIFIED') objects.set(ref, object);
    else return;
    onChange(ref, objects.get(ref));
    for (const look of waiting) look();
  };
  const watch = (kind: string, plural: string) => {
    if (stop.signal.aborted) return;
    for (const [ref, object] of objects) {
      if (object.kind !== kind) continue;
      objects.delete(ref);
      onChange(ref, undefined);
    }
    // A group of its own: Ctrl-C in the terminal is for the demo, which ends this one itself.
    const path = `/apis/pipewright.dev/v1alpha1/${plural}?watch=1`;
    const child = spawn(kubectl, ['get', '--raw', path], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const end = () => child.kill();
    stop.signal.addEventListener('abort', end);
    process.once('exit', end);
    createInterface({ input: child.stdout }).on('line', (line) =>
      apply(JSON.parse(line) as WatchEvent),
    );
    child.once('close', () => {
      stop.signal.removeEventListener('abort', end);
      process.off('exit', end);
      setTimeout(() => watch(kind, plural), AGAIN_MS).unref();
    });
  };
  for (const [kind, { plural }] of Object.entries(KINDS)) watch(kind, plural);

  const until = (
    isIt: () => boolean,
    last: () => unknown,
    { what, timeoutMs, signal }: Wait,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        signal.removeEventListener('abort', aborted);
        end();
      };
      const aborted = () => settle(() => reject(signal.reason as Error));
      const late = () =>
        settle(() =>
          reject(new Error(`${timeoutMs / 1000} s passed without ${what}${seen(last())}`)),
        );
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
    get: (ref) => objects.get(ref),
    until: async (ref, fits, wait) => {
      let found: Shown | undefined;
      const isIt = () => {
        const object = objects.get(ref);
        if (object && fits(object)) found = object;
        return found !== undefined;
      };
      await until(isIt, () => objects.get(ref)?.status.conditions, wait);
      if (!found) throw new Error(`${ref} was there and is not`);
      return found;
    },
    untilGone: (ref, wait) =>
      until(
        () => !objects.has(ref),
        () => undefined,
        wait,
      ),
    close: () => stop.abort(),
  };
}

function seen(last: unknown): string {
  return last === undefined ? '' : `; last seen: ${JSON.stringify(last)}`;
}
