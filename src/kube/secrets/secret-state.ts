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

/** What reading one Secret gave. `data` is base64, as stored. */
export type SecretRead =
  | { readonly state: 'absent' }
  | { readonly state: 'forbidden'; readonly message: string }
  | { readonly state: 'failed'; readonly error: KubeError }
  | SecretValue;

export interface SecretValue {
  readonly state: 'present';
  readonly resourceVersion: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
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
