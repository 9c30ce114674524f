import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import type { Kubectl } from '../controlplane/kubectl.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { editCrd } from './edit-crds.ts';
import { type RunningOperator, startOperator } from './operator.ts';
import { ORGANIZATION, type Pset, SERVICE } from './scene-objects.ts';
import { KINDS, type KindName } from './states.ts';

const STATE = 'spec-invalid';
/** Of these objects. */
export const NAMESPACE = 'default';

const PLURALS: Readonly<Record<KindName, string>> = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};
const OWN_FIELDS: Readonly<Record<KindName, object>> = {
  PipeSettings: { serviceId: SERVICE, pipeId: 'pipe', settings: { engine_max_threads: 8 } },
  Organization: { name: 'Acme Data' },
  Activity: { activityId: 'record' },
};

/**
 * Objects from before their schema became stricter, shown to `look` while they are there. On a
 * control plane of their own: the CRDs are laxer there for a while.
 */
export async function invalidSpecs(
  look: (objects: readonly Pset[], kubectl: Kubectl) => Promise<void>,
): Promise<void> {
  const [own, simulator] = await Promise.all([startControlPlane(), startSimulator()]);
  let operator: RunningOperator | undefined;
  try {
    await storeInvalid(own);
    operator = await startOperator({
      kubeconfig: own.adminKubeconfig,
      apiUrl: simulator.url,
      flags: ['--leader-elect=false'],
    });
    await look(await Promise.all(KINDS.map((kind) => untilRefused(own, kind))), own.kubectl);
  } finally {
    await operator?.kill();
    await Promise.all([own.stop(), simulator.stop()]);
  }
}

const INSTALL = ['apply', '--server-side', '--force-conflicts', '-f', 'crds/'];

/** The CRDs as they are, but that any text will do; it takes a moment until they are in force. */
export async function installLaxCrds(own: ControlPlane): Promise<void> {
  await run(own, INSTALL);
  for (const kind of KINDS) await editCrd(own, PLURALS[kind], withoutPatterns);
}

async function storeInvalid(own: ControlPlane): Promise<void> {
  await installLaxCrds(own);
  const objects = KINDS.map((kind) => ({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind,
    metadata: { name: STATE, namespace: NAMESPACE },
    spec: {
      organizationId: ORGANIZATION,
      credentialsSecretRef: { name: 'Not a name' },
      ...OWN_FIELDS[kind],
    },
  }));
  for (const object of objects) {
    const create = (): Promise<string> => run(own, ['apply', '-f', '-'], JSON.stringify(object));
    await waitFor(create, { what: `the lax schema of ${object.kind} to be in force` });
  }
  await run(own, INSTALL);
}

function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === 'pattern' && typeof inner === 'string'),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPatterns(inner)]));
}

function untilRefused(own: ControlPlane, kind: KindName): Promise<Pset> {
  const args = ['get', PLURALS[kind], STATE, '-n', NAMESPACE, '-o', 'json'];
  return waitFor(async () => JSON.parse(await run(own, args)) as Pset, {
    what: `${kind} to be SpecInvalid`,
    until: ({ status }) => status.conditions.some(({ reason }) => reason === 'SpecInvalid'),
  });
}

async function run(own: ControlPlane, args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await own.kubectl(args, stdin);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}
