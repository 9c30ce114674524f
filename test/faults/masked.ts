/** What differs between two runs of the same: hashes hold the address of the API. */
const VARYING = new Set(['requestId', 'requestHash', 'apiHash']);
/** Whether a wait was cut short is no difference. */
const LEFT_OUT = 'lastHandledReconcileAt';

interface Whole {
  readonly metadata: { readonly finalizers?: readonly string[]; readonly generation?: number };
  readonly spec: unknown;
  readonly status: unknown;
}

/**
 * An object for comparison with that of another run: without times, request ids, hashes and
 * versions.
 */
export function masked({ metadata, spec, status }: Whole): unknown {
  const { finalizers, generation } = metadata;
  const text = JSON.stringify({ finalizers, generation, spec, status }, (key, value: unknown) => {
    if (key === LEFT_OUT) return undefined;
    if (typeof value !== 'string') return value;
    if (VARYING.has(key)) return `<${key}>`;
    return value
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, '<time>')
      .replace(/\(request [^)]+\)/, '(request <requestId>)');
  });
  return JSON.parse(text);
}
