import type { Organization as SimulatedOrganization } from '../simulator/organization-types.ts';
import type { Call, Simulator } from '../simulator/types.ts';
import type { Stored } from './cluster.ts';
import { ORGANIZATION, objectsOf, type Pset, type SceneObjects } from './scene-objects.ts';

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

/** What tests do with the Organizations of a scene; `ORGANIZATION` unless told otherwise. */
export interface Organizations extends SceneObjects<Org> {
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

export function organizationsOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
  readonly key: { readonly id: string };
}): Organizations {
  const { simulator, key } = scene;
  const orgs: Organizations = {
    ...objectsOf<Org>(scene, {
      kind: 'Organization',
      plural: 'organizations',
      spec: () => ({ organizationId: ORGANIZATION }),
    }),
    calls: (id = ORGANIZATION) =>
      simulator
        .calls()
        .filter(({ path, keyId }) => path.endsWith(`/organizations/${id}`) && keyId === key.id),
    patches: (id) => orgs.calls(id).map(({ body }) => body as Patch),
    said: (id) => orgs.patches(id).map(shortly),
    held(id = ORGANIZATION) {
      const held = simulator.organization(id);
      if (!held) throw new Error(`the simulated API has no organization ${id}`);
      return held;
    },
    ids: (id) => orgs.held(id).privateEndpoints.map((one) => one.id),
  };
  return orgs;
}
