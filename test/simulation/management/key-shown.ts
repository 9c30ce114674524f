import { readBasic } from '../../simulator/api-keys.ts';
import type { WireReply } from '../network/wire.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * A reply in which somebody has put the caller's key wherever there is room: in texts, in lists, in
 * what nobody knows, in the id of the request and in the host of a redirect.
 */
export function withKey(
  reply: WireReply & { readonly body: string },
  authorization: string,
): WireReply & { readonly body: string } {
  const { keyId = '', secret = '' } = readBasic(authorization) ?? {};
  const encoded = Buffer.from(`${keyId}:${secret}`).toString('base64url');
  const host = `${encodeURIComponent(keyId)}.${encodeURIComponent(secret)}.example.com`;
  const isRedirect = reply.status >= 300 && reply.status < 400;
  const headers = {
    ...reply.headers,
    ...(isRedirect && { location: `https://${host}/${secret}` }),
    'x-request-id': `id-${secret}`,
    'x-echo': authorization,
  };
  const body = parsed(reply.body);
  if (!body) return { ...reply, headers };
  const { error, result } = body;
  const shown = {
    ...body,
    ...(typeof error === 'string' && {
      error: `${error} (${authorization}, ${JSON.stringify({ keyId, secret })}, ?key=${encodeURIComponent(secret)}, ${encoded})`,
    }),
    ...(isObject(result) && {
      result: {
        ...result,
        byocConfig: [{ accountName: secret, accountId: keyId, headers: [authorization] }],
        unknown_list: [secret, [{ authorization, encoded }]],
        [`unknown_${secret}`]: true,
      },
    }),
  };
  return { ...reply, headers, body: JSON.stringify(shown) };
}

function parsed(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
