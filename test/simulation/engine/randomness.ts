import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Draw } from './draw.ts';

const real = { random: Math.random, randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID };

/**
 * Everything random in this process comes from the draw from now on, in the product and in the libraries alike, until the
 * function it returns is called: what asked for real randomness would be another story at every run.
 */
export function seedRandomness(draw: Draw): () => void {
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => draw.bits() & 0xff));
  Math.random = () => draw.fraction();
  Object.assign(crypto, {
    randomBytes: bytes,
    randomUUID: () => {
      const hex = bytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  });
  // Without this the names that modules have imported from node:crypto would stay the real ones.
  syncBuiltinESMExports();
  return () => {
    Math.random = real.random;
    Object.assign(crypto, { randomBytes: real.randomBytes, randomUUID: real.randomUUID });
    syncBuiltinESMExports();
  };
}
