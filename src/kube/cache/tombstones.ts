import { keyOf, type ObjectMeta } from '../resource.ts';

/**
 * Objects that a reply has said are gone, ahead of the watch: what was held of each, until the
 * watch has told of its end too. Whatever shows one of them meanwhile is from before its end, or a
 * restored backup has brought it back; no version tells which.
 */
export class Tombstones {
  readonly #byUid = new Map<string, ObjectMeta>();

  add(metadata: ObjectMeta): void {
    this.#byUid.set(metadata.uid, metadata);
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  /** False: there was none. */
  delete(uid: string): boolean {
    return this.#byUid.delete(uid);
  }

  clear(): void {
    this.#byUid.clear();
  }

  underKey(key: string): ObjectMeta | undefined {
    for (const metadata of this.#byUid.values()) if (keyOf({ metadata }) === key) return metadata;
    return undefined;
  }

  /** Of those that `isCovered` by a list, only what it still shows stays. */
  keep(listed: ReadonlySet<string>, isCovered: (namespace: string) => boolean): void {
    for (const [uid, { namespace }] of this.#byUid)
      if (isCovered(namespace) && !listed.has(uid)) this.#byUid.delete(uid);
  }
}
