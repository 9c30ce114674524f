/**
 * `/a/b` from raw segments, for the wire and for the hash of a request alike: each percent-encoded,
 * so that none can become two or climb. Throws RangeError for an empty, `.` or `..` segment and for
 * text that is no valid Unicode.
 */
export function encodePath(segments: readonly string[]): string {
  const odd = segments.find((one) => /^\.{0,2}$/.test(one) || !one.isWellFormed());
  if (odd !== undefined)
    throw new RangeError(`${JSON.stringify(odd)} cannot be a part of a request path`);
  return segments.map((one) => `/${encodeURIComponent(one)}`).join('');
}
