import { failed, type Reply } from './replies.ts';
import { realTime, type Time } from './time.ts';
import type { KeyOptions } from './types.ts';

export interface ApiKeys {
  /** Why the holder may not make this call; undefined when it may. */
  refuse(
    credential: Credential | undefined,
    call: { method: string; organizationId: string | undefined },
  ): Reply | undefined;
  set(id: string, secret: string | undefined, options?: KeyOptions): void;
}

export interface Credential {
  readonly keyId: string;
  readonly secret: string;
}

/** The two halves of an HTTP Basic header; undefined when it is none. */
export function readBasic(header: string | undefined): Credential | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { keyId: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** The API keys. Without `known` every credential is good until `set` says otherwise of its id. */
export function createApiKeys(
  known: Readonly<Record<string, string>> | undefined,
  time: Time = realTime,
): ApiKeys {
  const keys = new Map<string, { secret: string | undefined; options: KeyOptions; from: number }>();
  for (const [id, secret] of Object.entries(known ?? {}))
    keys.set(id, { secret, options: {}, from: Number.NEGATIVE_INFINITY });

  function refuse(
    credential: Credential | undefined,
    call: { method: string; organizationId: string | undefined },
  ): Reply | undefined {
    if (credential === undefined)
      return withoutRequestId('Authorization header is missing or not Basic');
    const key = keys.get(credential.keyId);
    if (key === undefined && known === undefined) return undefined;
    if (key?.secret === undefined || key.secret !== credential.secret)
      return withoutRequestId('Key is not found');
    const { disabled, readOnly, organizations, newStatus } = key.options;
    if (time.passed() < key.from)
      return newStatus === 404 ? failed(404) : withoutRequestId('Key is not found');
    if (disabled) return failed(401, 'Key is not active');
    if (
      organizations &&
      call.organizationId !== undefined &&
      !organizations.includes(call.organizationId)
    ) {
      return failed(404);
    }
    if (readOnly && call.method !== 'GET') return failed(403, 'Key may not change anything');
    return undefined;
  }

  return {
    refuse,
    set: (id, secret, options = {}) => {
      keys.set(id, { secret, options, from: time.passed() + (options.newForMs ?? 0) });
    },
  };
}

function withoutRequestId(text: string): Reply {
  return { status: 401, text: JSON.stringify({ error: `UNAUTHORIZED: ${text}`, status: 401 }) };
}
