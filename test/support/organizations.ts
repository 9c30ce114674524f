import type { Call, Simulator } from '../simulator/types.ts';
import type { Stored } from './cluster.ts';
import { ORGANIZATION, objectsOf, type Pset } from './scene-objects.ts';

export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}

export interface Inventory extends Tuple {
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
  readonly metadata: Stored['metadata'] & { readonly finalizers?: readonly string[] };
  readonly status: Pset['status'] & {
    readonly organization?: {
      readonly name?: string;
      readonly privateEndpoints?: readonly (Partial<Tuple> & { readonly description?: string })[];
      readonly privateEndpointsTotal?: number;
    };
    readonly privateEndpoints?: readonly Inventory[];
    readonly pendingChange?: {
      readonly time: string;
      readonly add: readonly Tuple[];
      readonly remove: readonly Tuple[];
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

/** An endpoint that is like every other but for its id. */
export function endpoint(id: string, more: Partial<Tuple & { description: string }> = {}): Tuple {
  return { id, cloudProvider: 'gcp', region: 'ap-northeast-1', ...more };
}

/** The part of a spec that lists these. */
export function list(...ids: readonly string[]): { readonly privateEndpoints: readonly Tuple[] } {
  return { privateEndpoints: ids.map((id) => endpoint(id)) };
}

/** The inventory as `<id> <origin> <state>`, sorted; `–` where there is no origin. */
export function inventoryOf({ status }: Org): string[] {
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

/** What tests do with the Organizations of a scene; `ORGANIZATION` unless told otherwise. */
export type Organizations = ReturnType<typeof organizationsOf>;

export function organizationsOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
  readonly key: { readonly id: string };
}) {
  const { simulator, key } = scene;
  const spec = () => ({ organizationId: ORGANIZATION });
  /** The PATCH calls that arrived for the organization, in order. */
  const calls = (id = ORGANIZATION): Call[] =>
    simulator
      .calls()
      .filter(({ path, keyId }) => path.endsWith(`/organizations/${id}`) && keyId === key.id);
  const patches = (id?: string) => calls(id).map(({ body }) => body as Patch);
  /** What the API holds. */
  const held = (id = ORGANIZATION) => {
    const organization = simulator.organization(id);
    if (!organization) throw new Error(`the simulated API has no organization ${id}`);
    return organization;
  };
  return {
    ...objectsOf<Org>(scene, 'porg', spec),
    calls,
    /** Their bodies. */
    patches,
    /** The same in short. */
    said: (id?: string) => patches(id).map(shortly),
    held,
    /** The ids that the API lists. */
    ids: (id?: string) => held(id).privateEndpoints.map((one) => one.id),
  };
}
