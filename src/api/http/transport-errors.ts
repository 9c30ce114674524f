/** Where a call goes and how long it may take, for texts. */
export interface CallSite {
  /** `host:port` of the API. */
  readonly peer: string;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
}

const TLS_TRUST = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);

/**
 * No tunnel came about, so nothing was sent; `message` is stable, names the proxy, and is ready for
 * a user.
 */
export class ProxyFailure extends Error {}

/** Stable text for a transport error: no numbers that change, no text of the peer. */
export function describeCause(error: unknown, site: CallSite): string {
  if (error instanceof ProxyFailure) return error.message;
  const code = errorCode(error);
  return connectCause(code, site) ?? tlsCause(code, site) ?? streamCause(code, site);
}

/** The text for a deadline that passed. */
export function describeTimeout({ timeoutMs }: CallSite): string {
  return `no answer within ${seconds(timeoutMs)}`;
}

function connectCause(code: string, { peer, connectTimeoutMs }: CallSite): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return `connection refused by ${peer}`;
    case 'ENOTFOUND':
      return `the host name of ${peer} does not exist`;
    case 'EAI_AGAIN':
      return `the name server did not answer for ${peer}`;
    case 'UND_ERR_HEADERS_TIMEOUT':
      return `no answer from ${peer} within ${seconds(connectTimeoutMs)}`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `no connection to ${peer} within ${seconds(connectTimeoutMs)}`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${peer} cannot be reached (${code})`;
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
      return 'the client is closed';
    default:
      return undefined;
  }
}

function tlsCause(code: string, { peer }: CallSite): string | undefined {
  if (TLS_TRUST.has(code))
    return `the TLS certificate of ${peer} is not signed by a trusted CA (${code}); name its CA with --api-ca-file`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the TLS certificate of ${peer} is for another host name`;
  if (code.startsWith('CERT_')) return `the TLS certificate of ${peer} is not valid (${code})`;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `no TLS connection to ${peer} could be agreed (${code})`;
  return undefined;
}

function streamCause(code: string, { peer }: CallSite): string {
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE')
    return `${peer} closed the connection before it answered`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW')
    return `${peer} answered with headers larger than 32 KiB`;
  if (code.startsWith('HPE_') || code === 'HTTPParserError')
    return `${peer} answered with something that is not HTTP`;
  return `the call to ${peer} failed (${code})`;
}

/** The innermost code: with several addresses for one name the errors come as a list. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  if (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string'
  )
    return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))}s`;
}
