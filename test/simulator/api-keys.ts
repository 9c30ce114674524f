import { failed, type Reply } from './replies.ts';
import type { KeyOptions } from './types.ts';

export interface Credential {
  readonly keyId: string;
  readonly secret: string;
}

/** The two halves of an HTTP Basic header; undefined where it is none. */
export function readBasic(header: string | undefined): Credential | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { keyId: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** Without `known` every credential is good until `set` says otherwise of its id. */
export function createApiKeys(known: Readonly<Record<string, string>> | undefined) {
  const keys = new Map<string, { secret: string | undefined } & KeyOptions>();
  for (const [id, secret] of Object.entries(known ?? {})) keys.set(id, { secret });
  return {
    /** Why the holder may not make this call; undefined where it may. */
    refuse: (
      credential: Credential | undefined,
      { method, organizationId }: { method: string; organizationId: string | undefined },
    ): Reply | undefined => {
      if (!credential) return unknown('Authorization header is missing or not Basic');
      const key = keys.get(credential.keyId);
      if (!key && !known) return undefined;
      if (!key || key.secret !== credential.secret) return unknown('Key is not found');
      if (key.disabled) return failed(401, 'Key is not active');
      const { organizations = [organizationId] } = key;
      if (organizationId !== undefined && !organizations.includes(organizationId))
        return failed(404);
      if (key.readOnly && method !== 'GET') return failed(403, 'Key may not change anything');
      return undefined;
    },
    set: (id: string, secret: string | undefined, options: KeyOptions = {}) =>
      void keys.set(id, { secret, ...options }),
  };
}

/** Without a request id, as of an API that has not looked further. */
function unknown(text: string): Reply {
  return { status: 401, text: JSON.stringify({ error: `UNAUTHORIZED: ${text}`, status: 401 }) };
}
