import { randomUUID } from 'node:crypto';
import { type Answered, basic, caller, ORGANIZATION } from './caller.ts';
import type { PrivateEndpoint } from './organization-types.ts';
import type { Simulator } from './types.ts';

interface Change {
  readonly name?: string;
  readonly add?: readonly PrivateEndpoint[];
  /** an id stands for the entry of that id that is stored */
  readonly remove?: readonly (PrivateEndpoint | string)[];
}

/**
 * Another client of one organization. Every method is one PATCH and resolves with its answer,
 * whatever that is.
 */
export interface SomeoneElse {
  readonly keyId: string;
  rename(name: string): Promise<Answered>;
  add(...endpoints: PrivateEndpoint[]): Promise<Answered>;
  remove(...endpoints: (PrivateEndpoint | string)[]): Promise<Answered>;
  /** All of it in one call; without anything, a read. */
  change(change?: Change): Promise<Answered>;
}

/**
 * Where they are, and who. With a `key` of the simulator they share it; left out, they get one of
 * their own, `someone-else`.
 */
export interface Someone {
  readonly organizationId?: string;
  readonly key?: { readonly id: string; readonly secret: string };
}

/**
 * Someone else at work by the same PATCH, so that limits, faults and behaviour hold for them too,
 * and the log shows them by their key.
 */
export function someoneElse(simulator: Simulator, who: Someone = {}): SomeoneElse {
  const { organizationId = ORGANIZATION } = who;
  const key = who.key ?? { id: 'someone-else', secret: randomUUID() };
  if (who.key === undefined) simulator.setKey(key.id, key.secret);
  const send = caller(simulator.url, basic(key.id, key.secret));

  function tuple(endpoint: PrivateEndpoint | string): Omit<PrivateEndpoint, 'description'> {
    const stored = simulator.organization(organizationId)?.privateEndpoints ?? [];
    const [wanted, found] =
      typeof endpoint === 'string'
        ? [endpoint, stored.find(({ id }) => id === endpoint)]
        : [endpoint.id, endpoint];
    if (found === undefined)
      throw new Error(`organization ${organizationId} has no endpoint ${wanted}`);
    const { id, cloudProvider, region } = found;
    return { id, cloudProvider, region };
  }

  async function change({ name, add, remove }: Change = {}): Promise<Answered> {
    const lists = { ...(add && { add }), ...(remove && { remove: remove.map(tuple) }) };
    const asksNothing = name === undefined && add === undefined && remove === undefined;
    return send('PATCH', `/v1/organizations/${organizationId}`, {
      ...(name !== undefined && { name }),
      ...(asksNothing && { privateEndpoints: { add: [], remove: [] } }),
      ...((add || remove) && { privateEndpoints: lists }),
    });
  }

  return {
    keyId: key.id,
    rename: (name) => change({ name }),
    add: (...add) => change({ add }),
    remove: (...remove) => change({ remove }),
    change,
  };
}
