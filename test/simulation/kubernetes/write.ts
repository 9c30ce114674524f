import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf, type ServedKind } from './kinds.ts';
import { metaOf, sayable, textOf, wholeSeconds, withSayable } from './metadata.ts';
import type { Meta, Objects, Thing } from './objects.ts';
import {
  alreadyExists,
  conflict,
  invalid,
  notFound,
  otherUid,
  Refusal,
  versionMissing,
} from './refusal.ts';
import { completed } from './schema.ts';

/** Who writes, and when. */
export interface Writer {
  readonly by: string;
  /** Epoch milliseconds of the server's wall clock. */
  readonly now: number;
  readonly newUid: (namespace: string) => string;
}

/** What a client sends; nothing of it is checked yet. */
export type Sent = Readonly<Record<string, unknown>>;

interface At {
  readonly namespace: string;
  readonly name: string;
  /** Only ever `status`. */
  readonly subresource?: string | undefined;
}

/**
 * Objects whose default status is shown and not yet stored. The first write stores it, whatever
 * else it does, so that it makes a version even where it changes nothing.
 */
const statusUnstored = new WeakSet<Thing>();

/** Creates an object; a status that comes with it is ignored where the kind has one of its own. */
export function create(
  objects: Objects,
  kind: ServedKind,
  at: { namespace: string; sent: Sent },
  writer: Writer,
): Thing {
  const { sent, namespace } = at;
  const meta = metaOf(sent);
  const name = textOf(meta.name);
  if (name === undefined)
    throw invalid(kind, '', 'metadata.name: Required value: name or generateName is required');
  if (textOf(meta.resourceVersion) !== undefined) {
    throw new Refusal(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const content = completed(
    kind,
    name,
    withStatus(kind, sent, kind.schema?.pendingStatus),
    undefined,
  );
  if (objects.get(kind, namespace, name)) throw alreadyExists(kind, name);
  const metadata: Meta = {
    ...sayable(meta),
    name,
    namespace,
    uid: writer.newUid(namespace),
    resourceVersion: '',
    creationTimestamp: wholeSeconds(writer.now),
    ...(kind.schema && { generation: 1 }),
    managedFields: managedFields(writer),
  };
  const made = objects.put(kind, thingOf(kind, content, metadata), writer.by);
  if (kind.schema) statusUnstored.add(made);
  return made;
}

/**
 * Replaces an object or, under a subresource, its status: the other half stays as it is. A write
 * that changes nothing makes no version.
 */
export function replace(
  objects: Objects,
  kind: ServedKind,
  at: At & { readonly sent: Sent },
  writer: Writer,
): Thing {
  const { namespace, name, subresource, sent } = at;
  const meta = metaOf(sent);
  const stored = objects.get(kind, namespace, name);
  refuseOtherUid(kind, name, meta, stored);
  if (!stored) throw noneToReplace(kind, name);
  refuseOtherVersion(kind, meta, stored);
  if (subresource === 'status') {
    const status = sent.status ?? kind.schema?.pendingStatus;
    return store(objects, kind, stored, { ...stored, status }, writer);
  }
  const metadata = withSayable(stored.metadata, meta);
  return store(
    objects,
    kind,
    stored,
    thingOf(kind, withStatus(kind, sent, stored.status), metadata),
    writer,
  );
}

/**
 * A JSON merge patch of an object or its status. Its resourceVersion is a precondition; another uid
 * is no conflict, but wrong.
 */
export function patch(
  objects: Objects,
  kind: ServedKind,
  at: At & { readonly sent: Sent },
  writer: Writer,
): Thing {
  const { namespace, name, sent } = at;
  const stored = objects.get(kind, namespace, name);
  if (!stored) throw notFound(kind, name);
  const merged = mergePatch(stored, sent) as Sent;
  const meta = metaOf(merged);
  refuseOtherVersion(kind, meta, stored);
  const uid = textOf(meta.uid) ?? stored.metadata.uid;
  if (uid !== stored.metadata.uid) {
    throw invalid(kind, name, `metadata.uid: Invalid value: "${uid}": field is immutable`);
  }
  return replace(objects, kind, { ...at, sent: merged }, writer);
}

/** Deletes an object, or marks it where finalizers hold it. Gives its last version. */
export function remove(
  objects: Objects,
  kind: ServedKind,
  { namespace, name }: At,
  writer: Writer,
): Thing {
  const stored = objects.get(kind, namespace, name);
  if (!stored) throw notFound(kind, name);
  if (!isHeld(stored.metadata)) return objects.remove(kind, stored, writer.by);
  if (isGoing(stored.metadata)) return stored;
  const metadata: Meta = {
    ...stored.metadata,
    deletionTimestamp: wholeSeconds(writer.now),
    deletionGracePeriodSeconds: 0,
    ...(stored.metadata.generation !== undefined && { generation: stored.metadata.generation + 1 }),
  };
  return objects.put(kind, { ...stored, metadata }, writer.by);
}

/**
 * Checks and stores what an object shall be. The last finalizer of one that is being deleted takes
 * it along: who took it off gets the object without it under the version it had, and watches are
 * shown it as it was before, under that of the deletion.
 */
function store(
  objects: Objects,
  kind: ServedKind,
  before: Thing,
  wanted: Thing,
  writer: Writer,
): Thing {
  const { metadata } = wanted;
  const next = thingOf(kind, completed(kind, metadata.name, wanted, before), metadata);
  refuseNewFinalizers(kind, before.metadata, metadata);
  if (isDeepStrictEqual(before, next) && !statusUnstored.has(before)) return before;
  const isNewSpec = kind.schema !== undefined && !isDeepStrictEqual(before.spec, next.spec);
  const generation = (before.metadata.generation ?? 0) + (isNewSpec ? 1 : 0);
  const written: Thing = {
    ...next,
    metadata: {
      ...metadata,
      managedFields: managedFields(writer),
      ...(kind.schema && { generation }),
    },
  };
  if (!isGoing(before.metadata) || isHeld(metadata)) return objects.put(kind, written, writer.by);
  objects.remove(kind, before, writer.by);
  return written;
}

function refuseOtherUid(
  kind: ServedKind,
  name: string,
  meta: Sent,
  stored: Thing | undefined,
): void {
  const uid = textOf(meta.uid);
  // A PUT that could also create looks at the uid of what is not there.
  if (uid === undefined || (!stored && !kind.madeByPut)) return;
  const known = stored?.metadata.uid ?? '';
  if (uid !== known) throw otherUid(kind, name, { sent: uid, stored: known });
}

function noneToReplace(kind: ServedKind, name: string): Error {
  if (!kind.madeByPut) return notFound(kind, name);
  return new RangeError(
    `a PUT that creates ${kind.plural} "${name}" is not played: the operator sends none without a uid`,
  );
}

function refuseOtherVersion(kind: ServedKind, meta: Sent, { metadata }: Thing): void {
  const version = textOf(meta.resourceVersion);
  if (version === undefined) throw versionMissing(kind, metadata.name);
  if (version !== metadata.resourceVersion) throw conflict(kind, metadata.name);
}

function refuseNewFinalizers(
  kind: ServedKind,
  before: Meta,
  { name, finalizers = [] }: Meta,
): void {
  const added = finalizers.filter((finalizer) => !before.finalizers?.includes(finalizer));
  if (!isGoing(before) || added.length === 0) return;
  const why = 'no new finalizers can be added if the object is being deleted';
  throw invalid(
    kind,
    name,
    `metadata.finalizers: Forbidden: ${why}, found new finalizers ${added.join()}`,
  );
}

function isGoing({ deletionTimestamp }: Meta): boolean {
  return deletionTimestamp !== undefined;
}

function isHeld({ finalizers = [] }: Meta): boolean {
  return finalizers.length > 0;
}

/** What is sent, with a status that is not the sender's to say, where the kind has one. */
function withStatus(kind: ServedKind, sent: Sent, status: unknown): Sent {
  return kind.schema ? { ...sent, status } : sent;
}

function thingOf(kind: ServedKind, content: Sent, metadata: Meta): Thing {
  return { ...content, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
}

function managedFields({ by, now }: Writer): readonly unknown[] {
  return [{ manager: by, operation: 'Update', time: wholeSeconds(now) }];
}

function mergePatch(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const base =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}
