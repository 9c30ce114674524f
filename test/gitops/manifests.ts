import { KEY } from './world.ts';

const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const SERVICE = '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21';
const GROUP = 'pipewright.dev/v1alpha1';
const credentialsSecretRef = { name: 'management-api' };

export interface More {
  /** Absent: 0. */
  readonly wave?: number;
  readonly spec?: Readonly<Record<string, unknown>>;
}

function manifest(
  apiVersion: string,
  kind: string,
  name: string,
  wave: number | undefined,
  rest: object,
): string {
  const annotations =
    wave === undefined ? undefined : { 'argocd.argoproj.io/sync-wave': String(wave) };
  return `${JSON.stringify({ apiVersion, kind, metadata: { name, annotations }, ...rest }, undefined, 2)}\n`;
}

/** The Secret that every object refers to; it goes first, and so it is deleted last. */
export function secret({ wave }: Pick<More, 'wave'> = { wave: -1 }): string {
  const stringData = { keyId: KEY.id, keySecret: KEY.secret };
  return manifest('v1', 'Secret', 'management-api', wave, { stringData });
}

export function pipeSettings(name: string, { wave, spec = {} }: More = {}): string {
  const own = {
    organizationId: ORGANIZATION,
    serviceId: SERVICE,
    pipeId: name,
    settings: { engine_max_threads: 4 },
  };
  return manifest(GROUP, 'PipeSettings', name, wave, {
    spec: { ...own, credentialsSecretRef, ...spec },
  });
}

export function organization(
  name: string,
  organizationId: string,
  { wave, spec = {} }: More = {},
): string {
  return manifest(GROUP, 'Organization', name, wave, {
    spec: { organizationId, credentialsSecretRef, ...spec },
  });
}

export function activity(name: string, { wave, spec = {} }: More = {}): string {
  const own = { organizationId: ORGANIZATION, activityId: name };
  return manifest(GROUP, 'Activity', name, wave, {
    spec: { ...own, credentialsSecretRef, ...spec },
  });
}

/** Where an object of the three kinds is, for requests to the API server. */
export function pathTo(
  plural: 'pipesettings' | 'organizations' | 'activities',
  namespace: string,
  name = '',
): string {
  return `/apis/${GROUP}/namespaces/${namespace}/${plural}/${name}`.replace(/\/$/, '');
}

/** Part of the path of every call for a pipe. */
export const callsFor = (pipe: string): string => `/${pipe}/`;
