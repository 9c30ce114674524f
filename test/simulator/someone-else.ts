import { randomUUID } from 'node:crypto';
import type { PrivateEndpoint } from './organization-types.ts';
import type { Simulator } from './types.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';

/** Another client of one organization. Each method is one PATCH and resolves with its answer. */
export interface SomeoneElse {
  readonly keyId: string;
  rename(name: string): Promise<Answered>;
  add(...endpoints: PrivateEndpoint[]): Promise<Answered>;
  /** The entries that are stored under these ids. */
  remove(...wanted: (string | { readonly id: string })[]): Promise<Answered>;
}

/**
 * Someone else at work by the same PATCH: limits, faults and manners hold for them too, and the log
 * shows them by their key. Without `key` they get one of their own, `someone-else`.
 */
export function someoneElse(
  simulator: Simulator,
  who: { readonly organizationId?: string; readonly key?: { id: string; secret: string } } = {},
): SomeoneElse {
  const { organizationId = ORGANIZATION } = who;
  const key = who.key ?? { id: 'someone-else', secret: randomUUID() };
  if (!who.key) simulator.setKey(key.id, key.secret);
  const headers = {
    authorization: basic(key.id, key.secret),
    'content-type': 'application/json',
  };
  const patch = async (change: object): Promise<Answered> => {
    const url = `${simulator.url}/v1/organizations/${organizationId}`;
    const response = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(change) });
    return { status: response.status, text: await response.text() };
  };
  return {
    keyId: key.id,
    rename: (name) => patch({ name }),
    add: (...add) => patch({ privateEndpoints: { add } }),
    remove: (...wanted) => {
      const ids = wanted.map((one) => (typeof one === 'string' ? one : one.id));
      const { privateEndpoints = [] } = simulator.organization(organizationId) ?? {};
      const remove = privateEndpoints
        .filter(({ id }) => ids.includes(id))
        .map(({ id, cloudProvider, region }) => ({ id, cloudProvider, region }));
      return patch({ privateEndpoints: { remove } });
    },
  };
}

/** The header of a Basic credential. */
export function basic(keyId: string, secret: string): string {
  return `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`;
}
