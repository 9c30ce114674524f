/** Where a kind lives in the API; the core group is the empty string. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** What is used of metadata; times are RFC 3339 text. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** What every object of every kind has. Kinds narrow `spec` and `status`. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** The `apiVersion` of a kind: `v1` for the core group, else `group/version`. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** Path of all objects of a kind, in one namespace or in all. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${scope}/${type.plural}`;
}

/** Path of one object. Throws on a name that cannot be one path segment. */
export function objectPath(type: ResourceType, namespace: string, name: string): string {
  return `${collectionPath(type, namespace)}/${segment(name)}`;
}

/** Key of an object in stores and queues: `namespace/name`. */
export function keyOf({ metadata }: { metadata: Pick<ObjectMeta, 'namespace' | 'name'> }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Whether the same is wanted: each change of a spec, and a deletion, makes a new generation. */
export function isSameDeclaration({ metadata: one }: KubeObject, other: KubeObject): boolean {
  const { uid, generation, deletionTimestamp } = other.metadata;
  const isSame = one.uid === uid && one.generation === generation;
  return isSame && one.deletionTimestamp === deletionTimestamp;
}

/**
 * Negative, zero or positive as `a` is older than, equal to or newer than `b`. Resource versions of
 * one API server are decimal numbers of any length (KEP-5504); '' is older than every other.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The API refuses these names too, but only after the URL has been read as something else. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new RangeError(`"${text}" cannot be part of a Kubernetes API path; give a name`);
  return encodeURIComponent(text);
}

/** The API's MicroTime has six digits, and is refused with three. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
