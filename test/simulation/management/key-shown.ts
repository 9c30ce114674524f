import { readBasic } from '../../simulator/api-keys.ts';
import type { WireReply } from '../network/wire.ts';

/**
 * A reply in which somebody has put the caller's key wherever there is room: in texts, in lists, in
 * what nobody knows, in the id of the request and in the host of a redirect.
 */
export function withKey(
  reply: WireReply & { readonly body: string },
  authorization: string,
): WireReply {
  const { keyId = '', secret = '' } = readBasic(authorization) ?? {};
  const encoded = Buffer.from(`${keyId}:${secret}`).toString('base64url');
  const inUrl = encodeURIComponent(secret);
  const all = { authorization, keyId, secret, encoded, inUrl };
  const isRedirect = reply.status >= 300 && reply.status < 400;
  const headers = {
    ...reply.headers,
    ...(isRedirect && { location: `https://${inUrl}.example.com/${secret}` }),
    'x-request-id': `id-${secret}`,
    'x-echo': authorization,
  };
  const { error, result, ...rest } = parsed(reply.body);
  const shown = {
    ...rest,
    error: typeof error === 'string' ? `${error} ${JSON.stringify(all)} ?key=${inUrl}` : error,
    result: result && {
      ...result,
      byocConfig: [{ accountName: secret, accountId: keyId, headers: [authorization] }],
      unknown_list: [secret, [all]],
      [`unknown_${secret}`]: true,
    },
  };
  return { ...reply, headers, body: JSON.stringify(shown) };
}

/** Empty where it is no object. */
function parsed(text: string): { readonly error?: unknown; readonly result?: object | null } {
  try {
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    return {};
  }
}
