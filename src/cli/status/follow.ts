import { pause } from '../../clock.ts';
import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { keyOf } from '../../kube/resource.ts';
import { isForbidden, KubectlError } from '../cluster/kubectl.ts';
import { type Found, listKind, pathOfKind, type Scope } from '../cluster/objects.ts';
import { readEvent } from '../cluster/watch-event.ts';
import type { Context } from '../command.ts';

export interface Follow {
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** All objects there are; first when each kind has been listed, then after every change. */
  readonly onChange: (objects: readonly Found[], refusals: readonly KubectlError[]) => void;
}

/** A server that ends each watch at once is not asked more often. */
const BETWEEN_WATCHES_MS = 1_000;
/** While the API server cannot be reached. */
const WHILE_AWAY_MS = 5_000;

/** By `namespace/name`, of one kind. */
type Known = Map<string, Found>;

/**
 * Until the signal is aborted. A kind that may not be listed is left out, unless none may. Throws
 * what the first lists throw, and what will not pass later.
 */
export async function followObjects(context: Context, follow: Follow): Promise<void> {
  const known = new Map<Definition, Known>();
  const refusals: KubectlError[] = [];
  const onChange = (): void => {
    if (known.size === 0 || known.size + refusals.length < definitions.length) return;
    const all = [...known.values()].flatMap((objects) => [...objects.values()]);
    follow.onChange(all, refusals);
  };
  const broken = new AbortController();
  const signal = AbortSignal.any([follow.signal, broken.signal]);
  const kinds = definitions.map((definition) =>
    followKind(context, definition, { ...follow, signal, known, refusals, onChange }),
  );
  try {
    await Promise.all(kinds);
    if (known.size === 0 && refusals[0]) throw refusals[0];
  } finally {
    broken.abort();
    await Promise.allSettled(kinds);
  }
}

interface FollowKind extends Omit<Follow, 'onChange'> {
  readonly known: Map<Definition, Known>;
  readonly refusals: KubectlError[];
  readonly onChange: () => void;
}

/** List, watch until that ends, and list again: whatever ended it, nothing is missed. */
async function followKind(
  context: Context,
  definition: Definition,
  how: FollowKind,
): Promise<void> {
  const { signal, known, refusals, onChange } = how;
  while (!signal.aborted) {
    try {
      await listAndWatch(context, definition, how);
      await pause(context.clock, BETWEEN_WATCHES_MS, signal);
    } catch (error) {
      // Ctrl-C ends kubectl too, which is no failure.
      if (known.has(definition) && signal.aborted) return;
      // Who may not list a kind, such as the records of people, sees the others.
      if (!known.has(definition) && isForbidden(error)) {
        refusals.push(error);
        return onChange();
      }
      if (!known.has(definition) || !mayPass(error)) throw error;
      await pause(context.clock, WHILE_AWAY_MS, signal);
      if (!signal.aborted) context.terminal.tell(`trying again: ${error.message}`);
    }
  }
}

function mayPass(error: unknown): error is KubectlError {
  return error instanceof KubectlError && !/^(Forbidden|Unauthorized)$/.test(error.failure.reason);
}

async function listAndWatch(
  { kubectl }: Context,
  definition: Definition,
  { scope, signal, known, onChange }: FollowKind,
): Promise<void> {
  const { found, resourceVersion } = await listKind(kubectl, definition, scope);
  const objects: Known = new Map(found.map((one) => [keyOf(one.object), one]));
  known.set(definition, objects);
  onChange();
  const ended = new AbortController();
  const path = pathOfKind(definition, scope, { watch: '1', resourceVersion });
  const onLine = (line: string): void => {
    const event = readEvent(line);
    if (!event) return ended.abort();
    const key = keyOf(event.object);
    if (event.type === 'DELETED') objects.delete(key);
    else objects.set(key, { definition, object: event.object });
    onChange();
  };
  await kubectl.follow(path, onLine, AbortSignal.any([signal, ended.signal]));
}
