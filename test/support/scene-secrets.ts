import { randomUUID } from 'node:crypto';
import type { Simulator } from '../simulator/types.ts';
import { asAdmin, createOrReplace } from './cluster.ts';

/** What tests do with the Secrets of a scene. */
export interface Secrets {
  /** Makes a Secret with a key pair that the API knows from now on. */
  newKey(secretName: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates a Secret or replaces what it holds. */
  secret(name: string, data: Readonly<Record<string, string>>, type?: string): Promise<void>;
  removeSecret(name: string): Promise<void>;
}

export function secretsOf(scene: {
  readonly namespace: string;
  readonly simulator: Simulator;
}): Secrets {
  const collection = `/api/v1/namespaces/${scene.namespace}/secrets`;
  const secret: Secrets['secret'] = async (name, data, type = 'Opaque') => {
    const encoded = Object.entries(data).map(([field, value]) => [
      field,
      Buffer.from(value).toString('base64'),
    ]);
    const made = { metadata: { name }, type, data: Object.fromEntries(encoded) as unknown };
    await createOrReplace(collection, made);
  };
  return {
    secret,
    async newKey(secretName) {
      const pair = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
      scene.simulator.setKey(pair.id, pair.secret);
      await secret(secretName, { keyId: pair.id, keySecret: pair.secret });
      return pair;
    },
    async removeSecret(name) {
      await asAdmin('DELETE', `${collection}/${name}`);
    },
  };
}
