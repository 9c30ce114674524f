import type { KubeObject } from '../kube/resource.ts';

/** The object that may act for a target. */
export interface Holder {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Which of several objects for one target may act: one that has acted keeps it; among equals the oldest, by creation
 * time and then uid. The same for every observer, whatever order the objects were seen in.
 * `acted` says whether an object has touched the target, in its status or in this process.
 */
export function holderOf<T extends KubeObject>(objects: readonly T[], acted: (object: T) => boolean): T | undefined {
  let holder: T | undefined;
  for (const object of objects) if (!holder || goesBefore(object, holder, acted)) holder = object;
  return holder;
}

function goesBefore<T extends KubeObject>(a: T, b: T, acted: (object: T) => boolean): boolean {
  if (acted(a) !== acted(b)) return acted(a);
  const [aCreated, bCreated] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (aCreated !== bCreated) return aCreated < bCreated;
  return a.metadata.uid < b.metadata.uid;
}
