import { randomUUID } from 'node:crypto';
import { waitFor } from '../controlplane/client.ts';
import {
  asAdmin,
  change,
  createOrReplace,
  deleteAsRead,
  type Stored,
  writesOf,
} from './cluster.ts';
import { GOOD, type Kind, manifestOf, NAMES } from './kinds.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/**
 * A PipeSettings as the API server gives it to its users; written down apart from the operator's
 * own types. The other kinds have more in their status.
 */
export interface Pset extends Stored {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly observedGeneration: number;
    readonly conditions: readonly Condition[];
    readonly attempts?: number;
    readonly nextAttemptTime?: string;
    readonly lastHandledReconcileAt?: string;
    readonly lastRequest?: {
      readonly operation: string;
      readonly requestId?: string;
      readonly httpStatus?: number;
      readonly outcome: string;
      readonly time: string;
      readonly message?: string;
    };
    readonly applied?: Readonly<Record<string, unknown>> & {
      readonly generation: number;
      readonly requestId?: string;
    };
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly [field: string]: unknown;
  };
}

export type Spec = Readonly<Record<string, unknown>>;

/** The same organization and service for every object of a scene that names no other. */
export const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
export const SERVICE = '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21';
/** The Secret with the key of every object that names no other. */
export const SECRET = 'management-api';
const KEY = { credentialsSecretRef: { name: SECRET } };

/**
 * What tests do with the objects of one kind in a namespace. `usual` is what each has unless told
 * otherwise.
 */
export function objectsOf<T extends Pset>(
  { namespace, user }: { readonly namespace: string; readonly user: string },
  short: Kind,
  usual: (name: string) => Spec = () => GOOD[short],
) {
  const { kind, plural } = NAMES[short];
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}`;
  const pathTo = (name?: string): string =>
    name === undefined ? collection : `${collection}/${name}`;
  const get = (name: string) => asAdmin<T>('GET', pathTo(name));
  const list = async () => (await asAdmin<{ items: T[] }>('GET', collection)).items;
  /** Waits until the object fits. */
  const untilIt = (
    name: string,
    what: string,
    until: (object: T) => boolean,
    timeoutMs = 30_000,
  ): Promise<T> => waitFor(() => get(name), { what: `${kind} ${name}: ${what}`, until, timeoutMs });
  return {
    /** Where an object is, for requests to the API server; the collection, without a name. */
    pathTo,
    /** Creates an object or replaces its spec, on top of what every object of its kind has. */
    create: (name: string, spec: Spec = {}) =>
      createOrReplace(collection, manifestOf(short, name, { ...KEY, ...usual(name), ...spec })),
    get,
    list,
    /** Waits until `Ready` speaks of the present generation with this reason. */
    until: (name: string, reason: string, timeoutMs?: number) =>
      untilIt(name, reason, (object) => isNow(object, reason), timeoutMs),
    untilIt,
    /** Deletes it; with a finalizer it stays until that is off. */
    remove: (name: string) => deleteAsRead(pathTo(name)),
    async untilGone(name: string, timeoutMs = 30_000): Promise<void> {
      await waitFor(list, {
        what: `${kind} ${name} to be gone`,
        until: (all) => !all.some(({ metadata }) => metadata.name === name),
        timeoutMs,
      });
    },
    /** Sets the one-shot annotation to a new value, and gives that. */
    async request(name: string): Promise<string> {
      const value = randomUUID();
      const requested = { 'pipewright.dev/reconcile-requested-at': value };
      await change(pathTo(name), (stored) => ({
        ...stored,
        metadata: {
          ...stored.metadata,
          annotations: { ...stored.metadata.annotations, ...requested },
        },
      }));
      return value;
    },
    /** Writes to one object that the operator of the scene made, events about it not counted. */
    async writes(name: string) {
      const writes = await writesOf(user);
      return writes.filter((entry) => entry.resource === plural && entry.name === name);
    },
  };
}

/** Whether `Ready` speaks of the present generation with this reason. */
export function isNow(
  { metadata, status }: Stored & { readonly status?: Pick<Pset['status'], 'conditions'> },
  reason: string,
): boolean {
  const now = status?.conditions.find(({ type }) => type === 'Ready');
  return now?.reason === reason && now.observedGeneration === metadata.generation;
}
