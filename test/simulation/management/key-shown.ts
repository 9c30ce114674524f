import { readBasic } from '../../simulator/api-keys.ts';
import type { WireReply } from '../network/wire.ts';

const REQUEST_ID = 'x-request-id';

/** A reply with its body as text. */
type TextReply = WireReply & { readonly body: string };

/** Whose key it is, and which of his calls this is. */
interface Caller {
  readonly id: number;
  readonly authorization: string;
}

/**
 * A reply in which somebody has put the caller's key wherever there is room: in texts, in lists, in
 * what nobody knows, in the id of the request and in the host of a redirect.
 */
export function withKey(reply: TextReply, { id, authorization }: Caller): TextReply {
  const body = parsed(reply.body);
  const secret = readBasic(authorization)?.secret ?? '';
  return {
    ...reply,
    headers: headersWithKey(reply, body, { id, authorization }),
    ...(body && { body: JSON.stringify(bodyWithKey(body, authorization, secret)) }),
  };
}

function headersWithKey(
  { status, headers = {} }: TextReply,
  body: Body | undefined,
  { id, authorization }: Caller,
): Record<string, string> {
  const { keyId = '', secret = '' } = readBasic(authorization) ?? {};
  const host = `${encodeURIComponent(keyId)}.${encodeURIComponent(secret)}.example.com`;
  return {
    ...headers,
    ...(status >= 300 && status < 400 && { location: `https://${host}/${secret}` }),
    ...(typeof body?.requestId !== 'string' && { [REQUEST_ID]: `${id}-${secret}` }),
    'x-echo': authorization,
  };
}

type Body = Readonly<Record<string, unknown>>;

function bodyWithKey(body: Body, authorization: string, secret: string): Body {
  const { keyId = '' } = readBasic(authorization) ?? {};
  const { error, result, requestId } = body;
  const encoded = Buffer.from(`${keyId}:${secret}`).toString('base64url');
  return {
    ...body,
    ...(typeof requestId === 'string' && { requestId: `${requestId}-${secret}` }),
    ...(typeof error === 'string' && {
      error: `${error} (authorization: ${authorization}, secret ${secret}, ${JSON.stringify({ keyId, secret })}, ?key=${encodeURIComponent(secret)}&id=${encodeURIComponent(keyId)}, ${encoded})`,
    }),
    ...(isObject(result) && {
      result: {
        ...result,
        ...(Array.isArray(result.privateEndpoints) && {
          privateEndpoints: result.privateEndpoints.map((entry: unknown) =>
            isObject(entry)
              ? { ...entry, description: `added with ${authorization} of ${keyId}` }
              : entry,
          ),
        }),
        byocConfig: [{ accountName: secret, accountId: keyId, headers: [authorization] }],
        unknown_list: [secret, [{ authorization, encoded }]],
        unknown_text: JSON.stringify({ keyId, secret }),
        [`unknown_${secret}`]: true,
      },
    }),
  };
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
