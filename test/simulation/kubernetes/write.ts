import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf, type ServedKind } from './kinds.ts';
import type { Meta, Objects, Thing } from './objects.ts';
import { alreadyExists, conflict, invalid, notFound } from './refusal.ts';

/** Who writes, and when. */
export interface Writer {
  readonly by: string;
  /** Epoch milliseconds of the server's wall clock. */
  readonly now: number;
  readonly newUid: () => string;
}

/** What a client sends; nothing of it is checked yet. */
export type Sent = Readonly<Record<string, unknown>>;

interface At {
  readonly namespace: string;
  readonly name: string;
  /** Only ever `status`. */
  readonly subresource?: string | undefined;
}

/** Creates an object; a status that comes with it is ignored where the kind has one of its own. */
export function create(
  objects: Objects,
  kind: ServedKind,
  { namespace, sent }: { readonly namespace: string; readonly sent: Sent },
  { now, by, newUid }: Writer,
): Thing {
  const { name = '', ...said } = sayable(sent);
  const metadata: Meta = {
    ...said,
    name,
    namespace,
    uid: newUid(),
    resourceVersion: '',
    creationTimestamp: wholeSeconds(now),
    ...(kind.schema && { generation: 1 }),
  };
  const content = kind.schema ? { ...sent, status: kind.schema.pendingStatus } : sent;
  const thing = completed(kind, content, metadata);
  if (objects.get(kind, namespace, name)) throw alreadyExists(kind, name);
  const stored = objects.put(kind, thing, by);
  if (kind.schema) asCreated.add(stored);
  return stored;
}

/** The first write stores the default status, which was only shown: it always makes a version. */
const asCreated = new WeakSet<Thing>();

/**
 * Replaces an object or, under a subresource, its status: the other half stays as it is. A write
 * that changes nothing makes no version.
 */
export function replace(
  objects: Objects,
  kind: ServedKind,
  { namespace, name, subresource, sent }: At & { readonly sent: Sent },
  { by }: Writer,
): Thing {
  const { uid, resourceVersion } = (sent.metadata ?? {}) as Partial<Meta>;
  const stored = objects.get(kind, namespace, name);
  if (!stored) throw notFound(kind, name);
  if (uid !== undefined && uid !== stored.metadata.uid) throw conflict(kind, name);
  if (resourceVersion === undefined)
    throw invalid(kind, name, 'metadata.resourceVersion: must be specified for an update');
  if (resourceVersion !== stored.metadata.resourceVersion) throw conflict(kind, name);
  const isStatus = subresource === 'status';
  const { annotations: _, finalizers: __, ...kept } = stored.metadata;
  const metadata = isStatus ? stored.metadata : { ...kept, ...sayable(sent) };
  const status = isStatus || !kind.schema ? sent.status : stored.status;
  const next = completed(kind, { ...(isStatus ? stored : sent), status }, metadata);
  const { deletionTimestamp, finalizers: before = [] } = stored.metadata;
  const isHeldAnew = metadata.finalizers?.some((one) => !before.includes(one));
  if (deletionTimestamp !== undefined && isHeldAnew)
    throw invalid(kind, name, 'metadata.finalizers: no new ones, it is being deleted');
  if (isDeepStrictEqual(stored, next) && !asCreated.has(stored)) return stored;
  const isNewSpec = kind.schema !== undefined && !isDeepStrictEqual(stored.spec, next.spec);
  const generation = (stored.metadata.generation ?? 0) + (isNewSpec ? 1 : 0);
  const written = { ...next, metadata: { ...metadata, ...(kind.schema && { generation }) } };
  const isHeld = deletionTimestamp === undefined || metadata.finalizers;
  if (isHeld) return objects.put(kind, written, by);
  // The last finalizer of one that is being deleted takes it along.
  objects.remove(kind, stored, by);
  return written;
}

/** A merge patch; a version that is in it is a precondition. */
export function patch(
  objects: Objects,
  kind: ServedKind,
  at: At & { readonly sent: Sent },
  writer: Writer,
): Thing {
  const stored = objects.get(kind, at.namespace, at.name);
  if (!stored) throw notFound(kind, at.name);
  const sent = merged(stored, at.sent) as Thing;
  const { uid, resourceVersion } = stored.metadata;
  const isStale = sent.metadata.resourceVersion !== resourceVersion;
  // No precondition, as in a PUT: of a status not even looked at.
  if (!isStale && at.subresource !== 'status' && sent.metadata.uid !== uid)
    throw invalid(kind, at.name, 'metadata.uid: field is immutable');
  const metadata = { ...sent.metadata, uid };
  return replace(objects, kind, { ...at, sent: { ...sent, metadata } }, writer);
}

function merged(into: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const result: Record<string, unknown> = { ...(into as object | undefined) };
  for (const [key, value] of Object.entries(change))
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  return result;
}

/** Deletes an object, or marks it where finalizers hold it. Gives its last version. */
export function remove(
  objects: Objects,
  kind: ServedKind,
  { namespace, name, preconditions = {} }: At & { readonly preconditions?: Partial<Meta> },
  { now, by }: Writer,
): Thing {
  const stored = objects.get(kind, namespace, name);
  if (!stored) throw notFound(kind, name);
  const { finalizers, deletionTimestamp, generation = 0, uid, resourceVersion } = stored.metadata;
  if ((preconditions.uid ?? uid) !== uid) throw conflict(kind, name);
  if ((preconditions.resourceVersion ?? resourceVersion) !== resourceVersion)
    throw conflict(kind, name);
  if (!finalizers) return objects.remove(kind, stored, by);
  if (deletionTimestamp !== undefined) return stored;
  const marks = { deletionTimestamp: wholeSeconds(now), generation: generation + 1 };
  return objects.put(kind, { ...stored, metadata: { ...stored.metadata, ...marks } }, by);
}

/** As it is stored: of the product's kinds what their schemas know, of others all. */
function completed(kind: ServedKind, content: Sent, metadata: Meta): Thing {
  const { schema } = kind;
  const parts: Record<string, unknown> = {};
  for (const part of schema ? (['spec', 'status'] as const) : []) {
    const result = schema?.[part].safeParse(withoutNull(content[part]));
    if (!result?.success) throw invalid(kind, metadata.name, `${part}: ${result?.error.message}`);
    parts[part] = result.data;
  }
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return schema ? { ...type, metadata, ...parts } : { ...content, ...type, metadata };
}

/** A null is dropped where the schema does not ask for one, and ours never does. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => (member ?? null) !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNull(member)]));
}

/** The parts of metadata that are a client's to say; what is empty is not there. */
function sayable({ metadata }: Sent): Partial<Meta> {
  const { name, annotations, finalizers } = (metadata ?? {}) as Partial<Meta>;
  return {
    ...(name !== undefined && { name }),
    ...(annotations && { annotations }),
    ...(finalizers?.length && { finalizers }),
  };
}

function wholeSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
