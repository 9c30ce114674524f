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
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'PEER cannot be reached (CODE)'],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'the client is closed'],
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
  [/^/, 'the call to PEER failed (CODE)'],
];

/** Stable text for a transport error: no numbers that change, no text of the peer. */
export function describeError(error: unknown, peer: string): string {
  if (error instanceof ExplainedError) return error.message;
  const { name, code = name } = error as NodeJS.ErrnoException;
  const [, text = ''] = TEXTS.find(([codes]) => codes.test(code)) ?? [];
  return text.replace('PEER', peer).replace('CODE', code);
}

/** What a proxy means by a status in place of a tunnel. */
export function describeRefusal(status: number): string {
  if (status === 403) return ': its rules do not allow this address';
  if (status === 407)
    return ': it wants a user name and password, or others; put them into its URL, as in http://user:password@host:port';
  return status >= 502 && status <= 504 ? ': it could not reach this address' : '';
}
