import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Draw } from './draw.ts';

const { randomBytes, randomUUID, randomInt, randomFillSync } = crypto;
const real = { random: Math.random, node: { randomBytes, randomUUID, randomInt, randomFillSync } };

/**
 * Everything random in this process comes from the draw from now on, in the product and in the
 * libraries alike, until the function it returns is called: what asked for real randomness would be
 * another story at every run.
 */
export function seedRandomness(draw: Draw): () => void {
  const bytes = (count: number): Buffer =>
    Buffer.from(Array.from({ length: count }, () => draw.bits() & 0xff));
  Math.random = () => draw.fraction();
  const randomUUID = (): string => {
    const hex = bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  const refused = (): never => {
    throw new Error(
      'this randomness does not come from the seed: see test/simulation/engine/randomness.ts',
    );
  };
  Object.assign(crypto, {
    randomBytes: bytes,
    randomUUID,
    randomInt: refused,
    randomFillSync: refused,
  });
  Object.assign(globalThis.crypto, { randomUUID, getRandomValues: refused });
  // Without this the names that modules have imported from node:crypto would stay the real ones.
  syncBuiltinESMExports();
  return () => {
    Math.random = real.random;
    Object.assign(crypto, real.node);
    // What was put before the methods of its class goes again.
    for (const name of ['randomUUID', 'getRandomValues'])
      Reflect.deleteProperty(globalThis.crypto, name);
    syncBuiltinESMExports();
  };
}
