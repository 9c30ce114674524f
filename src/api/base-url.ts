/**
 * `https://host/prefix` without a trailing slash and without a trailing `/v1`: what paths and
 * hashes are built on.
 */
export function normaliseBaseUrl(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return `${url.protocol}//${url.host}${path}`;
}

/** Reads a base address as a user writes it. A problem goes behind the quoted text: "is not …". */
export function parseBaseUrl(
  text: string,
  { allowHttp }: { readonly allowHttp: boolean },
): { readonly url: URL } | { readonly problem: string } {
  const url = URL.parse(text);
  const problem = url
    ? problemOf(url, allowHttp)
    : 'is not a URL; write it like https://api.example.com';
  return url && !problem ? { url: new URL(normaliseBaseUrl(url)) } : { problem };
}

function problemOf(url: URL, allowHttp: boolean): string {
  const { protocol, username, password, search, hash, hostname } = url;
  if (protocol !== 'https:' && protocol !== 'http:')
    return `has the scheme ${protocol.slice(0, -1)}, which is not supported; use https`;
  if (username || password) return 'must not carry a user name or password; keys come from Secrets';
  if (search || hash) return 'must end with the path; remove what begins with ? or #';
  if (protocol === 'http:' && !allowHttp && !isLoopback(hostname))
    return 'would send the keys in clear text; use https, or --api-allow-http for a trusted network';
  return '';
}

/** Of a URL's `hostname`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
