import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { LEAST_TLS } from '../../least-tls.ts';
import { describeCause, ProxyFailure } from './transport-errors.ts';

/** How to name a proxy in a text: without what its URL may carry of a user name and password. */
export function proxyName(proxy: URL): string {
  return `the proxy ${proxy.origin}`;
}

/** Every form in which the password of a proxy's URL could get into a text; for a redactor. */
export function proxySecrets(proxy: URL): string[] {
  const authorization = basicCredentials(proxy);
  return authorization === undefined
    ? []
    : [proxy.password, decodeURIComponent(proxy.password), authorization];
}

export interface TunnelOptions {
  /** For reaching the proxy, for its answer, and for TLS with the target: each. */
  readonly connectTimeoutMs: number;
  /** For an https proxy and for the target. */
  readonly ca?: readonly string[];
}

/**
 * Connects by a tunnel (CONNECT), to an http address too: a proxy that forwards may repeat a
 * request, one that only moves bytes cannot. Not undici's ProxyAgent: it cannot tell the proxy's
 * failures from the target's, and a proxy that takes the connection and never answers held a call
 * of it for 315 s when measured, with all its timeouts at 3 s.
 */
export function tunnelThrough(
  proxy: URL,
  { connectTimeoutMs, ca }: TunnelOptions,
): (target: buildConnector.Options, callback: buildConnector.Callback) => void {
  const secure = buildConnector({
    ...LEAST_TLS,
    allowH2: false,
    timeout: connectTimeoutMs,
    ...(ca !== undefined && { ca: [...ca] }),
  });
  const credentials = basicCredentials(proxy);
  const site = { peer: proxyName(proxy), timeoutMs: connectTimeoutMs, connectTimeoutMs };

  return (target, callback) => {
    const { hostname, port, protocol } = target;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const authority = `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const headers = {
      host: authority,
      ...(credentials !== undefined && { 'proxy-authorization': credentials }),
    };
    // One client per tunnel: the connection leaves it with the tunnel, and ends with it where there
    // is none.
    const client = new Client(proxy.origin, {
      // undici takes the name in the Host header, that of the API, for the proxy's.
      connect: (to, done) => secure({ ...to, servername: '' }, done),
      headersTimeout: connectTimeoutMs,
    });
    client.connect({ path: authority, headers }, (error, { statusCode, socket }) => {
      void client.destroy();
      if (error) {
        callback(new ProxyFailure(describeCause(error, site)), null);
        return;
      }
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        callback(new ProxyFailure(refusal({ proxy, statusCode, authority })), null);
      } else if (protocol === 'https:')
        secure({ ...target, httpSocket: socket as Socket }, callback);
      else callback(null, socket as Socket);
    });
  };
}

function refusal(about: {
  readonly proxy: URL;
  readonly statusCode: number;
  readonly authority: string;
}): string {
  const { proxy, statusCode, authority } = about;
  const said = `${proxyName(proxy)} answered ${statusCode} to the request for a tunnel to ${authority}`;
  if (statusCode === 403) return `${said}: its rules do not allow this address`;
  if (statusCode >= 502 && statusCode <= 504) return `${said}: it could not reach this address`;
  if (statusCode !== 407) return said;
  return proxy.username === ''
    ? `${said}: it wants a user name and password; put them into its URL, as in http://user:password@host:port`
    : `${said}: it does not take the user name and password of its URL`;
}

function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
