import { inParallel } from './parallel.ts';
import { KEY, type Stage } from './stage.ts';

const COLLECTION = 'pipesettings';

/** A PipeSettings as this folder's programs read it. */
export interface Pset {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
  };
  readonly spec: {
    readonly organizationId: string;
    readonly serviceId: string;
    readonly pipeId: string;
    readonly settings: object;
  };
  readonly status?: {
    readonly observedGeneration: number;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}

export function psetPath(namespace: string, name?: string): string {
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${COLLECTION}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

export function apiPath({ organizationId, serviceId, pipeId }: Pset['spec']): string {
  return `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}/settings`;
}

/**
 * Makes a namespace with Secrets and objects spread over them evenly; pipes have the names of their
 * objects, which no other namespace has.
 */
export async function fillNamespace(
  stage: Stage,
  {
    namespace,
    objects,
    secrets = 1,
  }: { readonly namespace: string; readonly objects: number; readonly secrets?: number },
): Promise<string[]> {
  await stage.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await inParallel(numbers(secrets), 50, (index) => {
    // Every Secret its own key, as where each belongs to another team.
    const key =
      index === 0
        ? KEY
        : { id: `${namespace}-${index}`, secret: `secret-of-${namespace}-${index}` };
    stage.simulator.setKey(key.id, key.secret);
    const stringData = { keyId: key.id, keySecret: key.secret };
    return stage.ask('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: `key-${index}` },
      stringData,
    });
  });
  const names = numbers(objects).map((index) => `${namespace}-${index}`);
  await inParallel([...names.entries()], 50, ([index, name]) =>
    stage.ask('POST', psetPath(namespace), {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      metadata: { name },
      spec: {
        organizationId: '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10',
        serviceId: '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21',
        pipeId: name,
        credentialsSecretRef: { name: `key-${index % secrets}` },
        settings: { streaming_max_insert_wait_ms: 5000, object_storage_concurrency: 8 },
      },
    }),
  );
  return names;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Whether the operator has written that the present spec is in force. */
export function isSettled({ metadata, status }: Pset): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')
  );
}
