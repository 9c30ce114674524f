/** For reaching the API or a proxy, for TLS, and for a tunnel: each. */
export const CONNECT_MS = 3_000;

/** Its message is ready for a user: stable, and without a password. */
export class ExplainedError extends Error {}

/** By code of the error. PEER is who was called, as `host:port` or a proxy. */
const TEXTS: readonly (readonly [codes: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, 'connection refused by PEER'],
  [/^ENOTFOUND$/, 'the host name of PEER does not exist'],
  [/^EAI_AGAIN$/, 'the name server did not answer for PEER'],
  [/^UND_ERR_HEADERS_TIMEOUT$/, 'no answer from PEER within 3s'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'no connection to PEER within 3s'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_UNTRUSTED)$/,
    'the TLS certificate of PEER is not signed by a trusted CA (CODE); name its CA with --api-ca-file',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the TLS certificate of PEER is for another host name'],
  [/^CERT_/, 'the TLS certificate of PEER is not valid (CODE)'],
  [/^(ERR_SSL_|EPROTO$)/, 'no TLS connection to PEER could be agreed (CODE)'],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/, 'PEER closed the connection before it answered'],
  [/HEADERS?_OVERFLOW$/, 'PEER answered with headers larger than 32 KiB'],
  [/^HPE_|^HTTPParserError$/, 'PEER answered with something that is not HTTP'],
  // undici names the status in its message.
  [
    /^UND_ERR_ABORTED$/,
    'the proxy opened no tunnel to PEER (MESSAGE); check the user name and password in the URL of the proxy, and that the proxy allows and reaches this address',
  ],
  [/^/, 'the call to PEER failed (CODE)'],
];

/** Stable text for a transport error: no numbers that change, no text of the peer. */
export function describeError(error: unknown, peer: string): string {
  if (error instanceof ExplainedError) return error.message;
  const { name, code = name, message } = error as NodeJS.ErrnoException;
  const [, text = ''] = TEXTS.find(([codes]) => codes.test(code)) ?? [];
  return text.replace('PEER', peer).replace('CODE', code).replace('MESSAGE', message);
}
