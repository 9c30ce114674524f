import type { EndpointMoves } from './organization-patch.ts';
import { endpointKey } from './organization-types.ts';
import { patchedOrganization } from './routing.ts';
import type { Call } from './types.ts';

/** How often an endpoint was in an `add` and in a `remove`, and how often it went in and out. */
export interface EndpointCount {
  add: number;
  added: number;
  remove: number;
  removed: number;
}

export interface EndpointCounter {
  /** Counts what a call asks for, answered or not. */
  arrived(call: Call): void;
  /** Counts what it did. */
  moved(call: Call, moves: EndpointMoves): void;
  of(organizationId: string, by?: { keyId?: string }): Record<string, EndpointCount>;
}

/** What happened to each private endpoint, over all and for each key, however long ago. */
export function createEndpointCounter(): EndpointCounter {
  const counts = new Map<string, Map<string, EndpointCount>>();

  function count(call: Call, field: keyof EndpointCount, endpoints: readonly unknown[]): void {
    const organizationId = patchedOrganization(call.method, call.path);
    if (organizationId === undefined) return;
    for (const group of [organizationId, `${organizationId} ${call.keyId ?? ''}`]) {
      const tuples = counts.get(group) ?? new Map<string, EndpointCount>();
      counts.set(group, tuples);
      for (const endpoint of endpoints) {
        if (!isTuple(endpoint)) continue;
        const key = endpointKey(endpoint);
        const present = tuples.get(key) ?? { add: 0, added: 0, remove: 0, removed: 0 };
        present[field] += 1;
        tuples.set(key, present);
      }
    }
  }

  return {
    arrived: (call) => {
      for (const part of ['add', 'remove'] as const) count(call, part, listIn(call.body, part));
    },
    moved: (call, { added, removed }) => {
      count(call, 'added', added);
      count(call, 'removed', removed);
    },
    of: (organizationId, { keyId } = {}) => {
      const group = keyId === undefined ? organizationId : `${organizationId} ${keyId}`;
      return structuredClone(Object.fromEntries(counts.get(group) ?? []));
    },
  };
}

/** Whatever stands in the list of a body that nobody has checked. */
function listIn(body: unknown, part: 'add' | 'remove'): unknown[] {
  const lists = (body as { privateEndpoints?: Record<string, unknown> | null } | null | undefined)
    ?.privateEndpoints;
  const list = lists?.[part];
  return Array.isArray(list) ? list : [];
}

function isTuple(entry: unknown): entry is Record<'id' | 'cloudProvider' | 'region', unknown> {
  return typeof entry === 'object' && entry !== null;
}
