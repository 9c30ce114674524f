import { createHash } from 'node:crypto';
import { createMask } from '../telemetry/mask.ts';

/** What a call is made with. The secret itself lives only inside `authorization` and `mask`. */
export interface Credential {
  /** Salted digest: tells keys of one API apart without saying anything of them. */
  readonly id: string;
  /** The complete value of the `authorization` header. */
  readonly authorization: string;
  /** Replaces every form of the key id and the secret in a text. */
  readonly mask: (text: string) => string;
}

export function makeCredential(
  { keyId, keySecret }: { readonly keyId: string; readonly keySecret: string },
  { salt, baseUrl }: { readonly salt: Buffer; readonly baseUrl: string },
): Credential {
  const digest = createHash('sha256').update(salt);
  const id = digest.update(JSON.stringify([keyId, keySecret, baseUrl])).digest('hex');
  const encoded = Buffer.from(`${keyId}:${keySecret}`).toString('base64');
  return {
    id: id.slice(0, 16),
    authorization: `Basic ${encoded}`,
    mask: createMask(keyId, keySecret),
  };
}
