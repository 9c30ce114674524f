import { isLoopback } from '../api/base-url.ts';
import { shown } from '../shown.ts';
import type { Reading } from './flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = 'write it like http://proxy.example.com:3128';

/**
 * The proxy for calls to this address, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY by the rules of
 * undici's EnvHttpProxyAgent: a name in lower case wins, also an empty one; https falls back to
 * HTTP_PROXY. As elsewhere, `host:port` is enough for an http proxy, and no proxy stands before
 * what is on loopback. Not that agent itself: here an error names the variable, at start, and the
 * tunnel is one of our own (`api/http/proxy.ts` says why).
 */
export function readProxy(env: Environment, target: URL): Reading<URL | undefined> {
  if (isLoopback(target.hostname) || bypassed(either(env, 'NO_PROXY')?.text ?? '', target))
    return { value: undefined };
  const forHttps = target.protocol === 'https:' ? given(env, 'HTTPS_PROXY') : undefined;
  const chosen = forHttps ?? given(env, 'HTTP_PROXY');
  return chosen ? readProxyUrl(chosen) : { value: undefined };
}

interface Variable {
  readonly name: string;
  readonly text: string;
}

function either(env: Environment, upper: string): Variable | undefined {
  const name = [upper.toLowerCase(), upper].find((one) => env[one] !== undefined);
  return name === undefined ? undefined : { name, text: env[name]?.trim() ?? '' };
}

/** An empty variable names no proxy. */
function given(env: Environment, upper: string): Variable | undefined {
  const variable = either(env, upper);
  return variable?.text === '' ? undefined : variable;
}

function readProxyUrl({ name, text }: Variable): Reading<URL> {
  const problem = (what: string): Reading<URL> => ({
    problem: `${name}: ${shown(text)} ${what}`,
  });
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !isDecodable(url.username) || !isDecodable(url.password)) {
    return problem(
      `is not the URL of a proxy; ${EXAMPLE}, with the special characters of a password percent-encoded`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return problem(
      `has the scheme ${url.protocol.slice(0, -1)}, which is not supported; use an http or https proxy`,
    );
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    return problem(
      `must end with the port, and the special characters of a password be percent-encoded; ${EXAMPLE}`,
    );
  }
  return { value: url };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function bypassed(noProxy: string, { hostname, port, protocol }: URL): boolean {
  const host = withoutDot(hostname.replace(/^\[(.+)\]$/, '$1'));
  const targetPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  return noProxy.split(/[,\s]+/).some((entry) => covers(entry, host, targetPort));
}

/**
 * `name` covers itself and what is below it, `*.name` only that; any of them may end in a port. No
 * address ranges.
 */
function covers(entry: string, host: string, port: number): boolean {
  const [, bracketed, inBrackets] = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? [];
  const [, plain, behind] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  const only = Number(inBrackets ?? behind ?? 0);
  if (name === '' || (only !== 0 && only !== port)) return false;
  if (name === '*') return true;
  const suffix = withoutDot(name.replace(/^\*?\./, '').toLowerCase());
  return (host === suffix && !entry.startsWith('*')) || host.endsWith(`.${suffix}`);
}

/** `example.com.` is the same name as `example.com`. */
function withoutDot(name: string): string {
  return name.replace(/^(.+)\.$/, '$1');
}
