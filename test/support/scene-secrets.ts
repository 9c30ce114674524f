import { randomUUID } from 'node:crypto';
import type { Simulator } from '../simulator/types.ts';
import { asAdmin, createOrReplace } from './cluster.ts';

type Data = Readonly<Record<string, string>>;

/** What tests do with the Secrets of a scene. */
export type Secrets = ReturnType<typeof secretsOf>;

export function secretsOf(scene: { readonly namespace: string; readonly simulator: Simulator }) {
  const collection = `/api/v1/namespaces/${scene.namespace}/secrets`;
  /** Creates a Secret or replaces what it holds. */
  const secret = async (name: string, data: Data, type = 'Opaque'): Promise<void> => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const encoded = Object.entries(data).map(([field, value]) => [field, base64(value)]);
    const made = { metadata: { name }, type, data: Object.fromEntries(encoded) as unknown };
    await createOrReplace(collection, made);
  };
  return {
    secret,
    /** Makes a Secret with a key pair that the API knows from now on. */
    async newKey(secretName: string) {
      const pair = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
      scene.simulator.setKey(pair.id, pair.secret);
      await secret(secretName, { keyId: pair.id, keySecret: pair.secret });
      return pair;
    },
    async removeSecret(name: string) {
      await asAdmin('DELETE', `${collection}/${name}`);
    },
  };
}
