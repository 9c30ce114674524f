import { createHash } from 'node:crypto';
import { createMask } from '../../redaction.ts';
import type { Credential } from '../reply/reply.ts';

export type { Credential } from '../reply/reply.ts';

const WITHHELD = '[withheld: it could not be searched for the key]';

/**
 * `id` tells credentials apart for pacing without saying anything about them: same key, same
 * secret, same API.
 */
export function makeCredential(
  pair: { readonly keyId: string; readonly keySecret: string },
  options: { readonly salt: Buffer; readonly baseUrl: string },
): Credential {
  const { keyId, keySecret } = pair;
  const encoded = Buffer.from(`${keyId}:${keySecret}`).toString('base64');
  const id = createHash('sha256')
    .update(options.salt)
    .update(JSON.stringify([keyId, keySecret, options.baseUrl]))
    .digest('hex')
    .slice(0, 16);
  let mask: ((text: string) => string) | undefined;
  const maskText = (text: string): string => {
    try {
      mask ??= createMask(keyId, keySecret);
      return mask(text);
    } catch {
      // The error may say the key, and so may the text.
      return WITHHELD;
    }
  };
  return { id, authorization: `Basic ${encoded}`, mask: maskText };
}
