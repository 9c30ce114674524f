import { expect, onTestFinished } from 'vitest';
import {
  createKubeClient,
  type KubeClient,
  type KubeClientOptions,
} from '../../src/kube/client/client.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { type Behaviour, type KubeServer, startKubeServer } from './kube-server.ts';

export async function setUp(
  behaviour: Behaviour,
  options: KubeClientOptions = {},
): Promise<{ server: KubeServer; client: KubeClient }> {
  const server = await startKubeServer(behaviour);
  const client = createKubeClient(server.cluster, options);
  onTestFinished(() => server.close());
  onTestFinished(() => client.close());
  return { server, client };
}

export const GET = { method: 'GET', path: '/api/v1/x' } as const;

export async function failure(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(KubeError);
  return error as KubeError;
}

export async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
