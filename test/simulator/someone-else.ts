import { randomUUID } from 'node:crypto';
import type { PrivateEndpoint } from './organization-types.ts';
import type { Simulator } from './types.ts';

/**
 * Another client of an organization, by the same PATCH: limits, faults and manners hold for it too,
 * and the log shows it by its key. Each method is one call, and resolves with its status.
 */
export function someoneElse(simulator: Simulator, organizationId: string) {
  const [keyId, secret] = ['someone-else', randomUUID()];
  simulator.setKey(keyId, secret);
  const patch = async (privateEndpoints: object): Promise<number> => {
    const url = `${simulator.url}/v1/organizations/${organizationId}`;
    const { status } = await fetch(url, {
      method: 'PATCH',
      headers: { authorization: basic(keyId, secret), 'content-type': 'application/json' },
      body: JSON.stringify({ privateEndpoints }),
    });
    return status;
  };
  return {
    keyId,
    add: (...add: PrivateEndpoint[]) => patch({ add }),
    remove: (...remove: PrivateEndpoint[]) => patch({ remove }),
  };
}

/** The header of a Basic credential. */
export function basic(keyId: string, secret: string): string {
  return `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`;
}
