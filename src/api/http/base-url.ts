import { shown } from '../../shown.ts';

/**
 * `https://host/prefix` without a trailing slash and without a trailing `/v1`: what paths and
 * hashes are built on.
 */
export function normaliseBaseUrl(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return `${url.protocol}//${url.host}${path}`;
}

/**
 * Reads a base address as a user writes it; a refused one comes back as a sentence that says what
 * to do.
 */
export function parseBaseUrl(
  text: string,
  options: { readonly allowHttp: boolean },
): { readonly url: URL } | { readonly problem: string } {
  const url = URL.parse(text);
  if (!url)
    return {
      problem: `${shown(text)} is not a URL; write it like https://api.example.com`,
    };
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { problem: `the scheme ${url.protocol.slice(0, -1)} is not supported; use https` };
  if (url.username || url.password)
    return {
      problem: 'the address must not carry a user name or password; keys come from Secrets',
    };
  if (url.search || url.hash)
    return {
      problem: `the address must end with the path; remove ${url.search ? 'the query' : 'the fragment'}`,
    };
  if (url.protocol === 'http:' && !options.allowHttp && !isLoopback(url.hostname)) {
    return {
      problem: `http would send the keys in clear text; use https, or --api-allow-http for a trusted network`,
    };
  }
  return { url: new URL(normaliseBaseUrl(url)) };
}

/** Of a URL's `hostname`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
