import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../controlplane/audit.ts';
import { waitFor } from '../controlplane/client.ts';
import type {
  OrganizationChange,
  Organization as SimulatedOrganization,
} from '../simulator/organization-types.ts';
import type { Call } from '../simulator/types.ts';
import { asAdmin, change, createOrReplace, type Stored } from './cluster.ts';
import { type InnerOperator, type InnerOptions, startInner } from './inner-operator.ts';
import { ORGANIZATION, openScene, type Pset, type Scene } from './scene.ts';
import { writesOf } from './watching.ts';

export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}

export interface Ledger extends Tuple {
  readonly description?: string;
  readonly origin?: 'Added' | 'Adopted' | 'Found';
  readonly state: 'Present' | 'Missing' | 'Unconfirmed' | 'Refused' | 'Removing';
  readonly lastError?: {
    readonly httpStatus?: number;
    readonly requestId?: string;
    readonly message?: string;
  };
  readonly nextAttemptTime?: string;
}

/**
 * An Organization as the API server gives it to its users; written down apart from the operator's
 * own types.
 */
export type Org = Omit<Pset, 'status' | 'metadata'> & {
  readonly metadata: Stored['metadata'] & {
    readonly finalizers?: readonly string[];
    readonly creationTimestamp: string;
  };
  readonly status: Pset['status'] & {
    readonly organization?: {
      readonly name?: string;
      readonly privateEndpoints?: readonly (Partial<Tuple> & { readonly description?: string })[];
      readonly privateEndpointsTotal?: number;
    };
    readonly privateEndpoints?: readonly Ledger[];
    readonly pendingChange?: {
      readonly time: string;
      readonly add: readonly Tuple[];
      readonly remove: readonly Tuple[];
      readonly refused?: { readonly httpStatus?: number; readonly requestId?: string };
    };
  };
};

/** A PATCH as the simulator saw it. */
export interface Patch {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly Tuple[];
    readonly remove?: readonly Tuple[];
  };
}

/** What tests do with the Organizations of a scene. */
export interface Organizations {
  /** Where an object is, for requests to the API server. */
  pathTo(name: string): string;
  /** Creates an object or replaces its spec; `ORGANIZATION` unless the spec says otherwise. */
  create(name: string, spec?: Readonly<Record<string, unknown>>): Promise<void>;
  get(name: string): Promise<Org>;
  /**
   * Waits until `Ready` speaks of the present generation with this reason, and gives the object.
   */
  until(name: string, reason: string, timeoutMs?: number): Promise<Org>;
  /** Waits until the object fits. */
  untilIt(
    name: string,
    what: string,
    fits: (object: Org) => boolean,
    timeoutMs?: number,
  ): Promise<Org>;
  /** Deletes it; with a finalizer it stays until that is off. */
  remove(name: string): Promise<void>;
  untilGone(name: string, timeoutMs?: number): Promise<void>;
  /** Sets the one-shot annotation to a new value, and gives that. */
  request(name: string): Promise<string>;
  /** The PATCH calls that arrived for the organization, in order. */
  calls(id?: string): Call[];
  /** Their bodies. */
  patches(id?: string): Patch[];
  /** The same in short. */
  said(id?: string): string[];
  /** What the API holds. */
  held(id?: string): SimulatedOrganization;
  /** The ids that the API lists. */
  ids(id?: string): string[];
  /** Writes to one object, events about it not counted. */
  writes(name: string): Promise<AuditEntry[]>;
}

/** An endpoint that is like every other but for its id. */
export function endpoint(id: string, more: Partial<Tuple & { description: string }> = {}): Tuple {
  return { id, cloudProvider: 'gcp', region: 'ap-northeast-1', ...more };
}

/** The part of a spec that lists these. */
export function list(...ids: readonly string[]): { readonly privateEndpoints: readonly Tuple[] } {
  return { privateEndpoints: ids.map((id) => endpoint(id)) };
}

/** The ledger as `<id> <origin> <state>`, sorted; `–` where there is no origin. */
export function ledgerOf({ status }: Org): string[] {
  return (status.privateEndpoints ?? [])
    .map(({ id, origin = '–', state }) => `${id} ${origin} ${state}`)
    .toSorted();
}

/** A PATCH in short: `look`, `name`, or `+a-b`. */
function shortly({ name, privateEndpoints }: Patch): string {
  const { add = [], remove = [] } = privateEndpoints ?? {};
  if (name !== undefined) return 'name';
  return [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)].join('') || 'look';
}

export function organizationsOf(
  scene: Pick<Scene, 'namespace' | 'simulator' | 'key' | 'user'>,
): Organizations {
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/organizations`;
  const pathTo = (name: string): string => `${collection}/${name}`;
  const orgs: Organizations = {
    pathTo,
    create(name, spec = {}) {
      const object = {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: 'Organization',
        metadata: { name },
        spec: {
          organizationId: ORGANIZATION,
          credentialsSecretRef: { name: 'management-api' },
          ...spec,
        },
      };
      return createOrReplace(collection, object);
    },
    get: (name) => asAdmin<Org>('GET', pathTo(name)),
    until: (name, reason, timeoutMs) =>
      orgs.untilIt(
        name,
        reason,
        ({ metadata, status }) =>
          status.conditions.some(
            (one) =>
              one.type === 'Ready' &&
              one.reason === reason &&
              one.observedGeneration === metadata.generation,
          ),
        timeoutMs,
      ),
    untilIt: (name, what, until, timeoutMs) =>
      waitFor(() => orgs.get(name), {
        what: `${name}: ${what}`,
        until,
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
    async remove(name) {
      await asAdmin('DELETE', pathTo(name));
    },
    async untilGone(name, timeoutMs) {
      const names = async (): Promise<string[]> => {
        const { items } = await asAdmin<{ items: Org[] }>('GET', collection);
        return items.map(({ metadata }) => metadata.name);
      };
      await waitFor(names, {
        what: `${name} to be gone`,
        until: (all) => !all.includes(name),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
    },
    async request(name) {
      const value = randomUUID();
      const annotations = { 'pipewright.dev/reconcile-requested-at': value };
      await change(pathTo(name), (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, annotations },
      }));
      return value;
    },
    calls: (id = ORGANIZATION) =>
      scene.simulator
        .calls()
        .filter(
          ({ path, keyId }) => path.endsWith(`/organizations/${id}`) && keyId === scene.key.id,
        ),
    patches: (id) => orgs.calls(id).map(({ body }) => body as Patch),
    said: (id) => orgs.patches(id).map(shortly),
    held(id = ORGANIZATION) {
      const held = scene.simulator.organization(id);
      if (!held) throw new Error(`the simulated API has no organization ${id}`);
      return held;
    },
    ids: (id) => orgs.held(id).privateEndpoints.map((one) => one.id),
    async writes(name) {
      const writes = await writesOf(scene.user);
      return writes.filter((entry) => entry.resource === 'organizations' && entry.name === name);
    },
  };
  return orgs;
}

/** A scene, its Organizations, and an operator on it that runs in this process. */
export interface OrganizationScene {
  readonly scene: Scene;
  readonly orgs: Organizations;
  readonly operator: InnerOperator;
}

/** `holds`: what the API has under `ORGANIZATION` from then on. */
export async function openOrganizations({
  holds,
  ...options
}: InnerOptions & { readonly holds?: OrganizationChange } = {}): Promise<OrganizationScene> {
  const scene = await openScene({ start: false });
  const operator = await startInner(scene, options);
  if (holds) scene.simulator.setOrganization(ORGANIZATION, holds);
  return { scene, orgs: organizationsOf(scene), operator };
}

/** `operator`: the one that runs now. */
export async function endOrganizations({
  scene,
  operator,
}: Omit<OrganizationScene, 'orgs'>): Promise<void> {
  await operator.stop();
  await scene.end();
}

/** Goes from one time of the object's own to the next until it fits, and gives the object. */
export async function through(
  orgs: Organizations,
  operator: { readonly clock: { now(): number; advance(ms: number): void }; idle(): Promise<void> },
  name: string,
  fits: (object: Org) => boolean,
): Promise<Org> {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    await operator.idle();
    const object = await orgs.get(name);
    if (fits(object)) return object;
    const wait = Date.parse(object.status.nextAttemptTime ?? '') - operator.clock.now();
    if (wait > 0) operator.clock.advance(wait + 1_000);
    await orgs.untilIt(name, 'the next attempt', ({ metadata, status }) => {
      const isOver = !(Date.parse(status.nextAttemptTime ?? '') <= operator.clock.now());
      return metadata.resourceVersion !== object.metadata.resourceVersion && isOver;
    });
  }
  throw new Error(`${name} never came to it: ${JSON.stringify((await orgs.get(name)).status)}`);
}

const MOST_TURNS = 20;
