import type { KubeError } from '../client/kube-error.ts';
import type { KubeObject, ResourceType } from '../resource.ts';

export const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };

/** What the watch of one Secret says. */
export type SecretState =
  | { readonly state: 'unknown' }
  | { readonly state: 'absent' }
  | { readonly state: 'forbidden'; readonly message: string }
  | {
      readonly state: 'present';
      readonly resourceVersion: string;
      /** Known only while a value of this version is kept. */
      readonly type: string | undefined;
      /** Epoch milliseconds of the newest entry in managedFields. */
      readonly changedAt: number | undefined;
    };

/** What reading one Secret gave. */
export type SecretRead =
  | { readonly state: 'absent' }
  | { readonly state: 'forbidden'; readonly message: string }
  | { readonly state: 'failed'; readonly error: KubeError }
  | SecretValue;

export interface SecretValue {
  readonly state: 'present';
  readonly resourceVersion: string;
  readonly type: string;
  /**
   * Every key that was asked for: base64 as stored, cut at `MOST_CHARACTERS`; undefined where the
   * Secret has none of that name.
   */
  readonly data: Readonly<Record<string, string | undefined>>;
  /** Names of its first few keys, in order, and how many there are. */
  readonly keyNames: readonly string[];
  readonly keyCount: number;
}

/** Of one value; 6 KiB, more than a key may have. A Secret holds up to 1 MiB. */
const MOST_CHARACTERS = 8192;
/** How many of its keys are kept by name, for a message. */
const NAMED_KEYS = 5;

/** What is kept of a Secret while these keys of it are used. */
export function valueOf(secret: SecretObject, keys: ReadonlySet<string>): SecretValue {
  const { metadata, type = 'Opaque', data = {} } = secret;
  const values = [...keys].map((key) => [key, Object.hasOwn(data, key) ? data[key] : undefined]);
  const names = Object.keys(data);
  return {
    state: 'present',
    resourceVersion: metadata.resourceVersion,
    type,
    data: Object.fromEntries(values.map(([key, value]) => [key, value && copyOf(value)])),
    keyNames: names.toSorted().slice(0, NAMED_KEYS),
    keyCount: names.length,
  };
}

/** A copy, because V8 keeps the whole of a text for as long as a part of it is in use. */
function copyOf(text: string): string {
  return Buffer.from(text.slice(0, MOST_CHARACTERS), 'latin1').toString('latin1');
}

export interface SecretObject extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** When an object was last written by anybody; undefined where the server recorded no times. */
export function changedAt(object: KubeObject): number | undefined {
  let newest: number | undefined;
  for (const { time } of object.metadata.managedFields ?? []) {
    const at = time === undefined ? Number.NaN : Date.parse(time);
    if (at > (newest ?? Number.NEGATIVE_INFINITY)) newest = at;
  }
  return newest;
}
