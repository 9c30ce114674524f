/**
 * `/a/b` from raw segments, for the wire and for the hash of a request alike: each percent-encoded,
 * so that none can become two or climb. Throws RangeError for an empty, `.` or `..` segment and for
 * text that is no valid Unicode.
 */
export function encodePath(segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeSegment(segment)}`).join('');
}

function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment) || !segment.isWellFormed())
    throw new RangeError(`${JSON.stringify(segment)} cannot be a part of a request path`);
  return encodeURIComponent(segment);
}
