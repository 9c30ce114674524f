import { join } from 'node:path';
import { requestToken } from '../controlplane/identity.ts';
import { ACCOUNT } from '../controlplane/install.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startOperator } from '../support/operator.ts';
import { type PeerOptions, type Pset, psetPath } from './peer.ts';
import { keep, type Running, startPeer, until } from './process.ts';
import { AUTHORIZATION, fill, type Stage } from './stage.ts';

/** What is compared: the least that can be done, a Go operator, and ours. */
export const SIDES = ['bare', 'go', 'operator'] as const;
export type Side = (typeof SIDES)[number];

/** What every side does at once. */
const CONCURRENCY = 10;

export interface Start {
  readonly stage: Stage;
  readonly namespace: string;
  /** An example of a status, for those to write that make none. */
  readonly status: object;
}

/** There once it works; the bare loop, which waits for nothing, at once. */
export async function startSide(side: Side | 'watcher', start: Start): Promise<Running> {
  if (side === 'operator') return startOurs(start);
  const options = await peerOptions(start);
  if (side === 'go') return startPeer([await findProgram('go-peer')], options);
  const script = join(import.meta.dirname, `bare-${side === 'bare' ? 'loop' : side}.ts`);
  return startPeer([process.execPath, script], options);
}

/** As the image starts it. */
async function startOurs({ stage, namespace }: Omit<Start, 'status'>): Promise<Running> {
  const limits = ['--api-rate', '0', '--api-in-flight', String(CONCURRENCY)];
  const { process: child } = await startOperator({
    kubeconfig: stage.kubeconfig,
    apiUrl: stage.apiUrl,
    flags: ['--namespaces', namespace, '--log-level=info', ...limits],
  });
  return keep(child);
}

async function peerOptions({ stage, namespace, status }: Start): Promise<PeerOptions> {
  const { server, ca, admin } = stage.controlPlane;
  const token = await requestToken(admin, ACCOUNT);
  const access = { server, ca, token, apiUrl: stage.apiUrl, authorization: AUTHORIZATION };
  return { ...access, namespace, concurrency: CONCURRENCY, status };
}

/** A status as the operator writes it after so many edits, for an object that has had none. */
export async function exampleStatus(stage: Stage, edits: number): Promise<object> {
  const namespace = `example-${edits}`;
  const [name = ''] = await fill(stage, namespace, 1);
  const operator = await startOurs({ stage, namespace });
  for (let edit = 0; edit < edits; edit += 1) {
    await settled(stage, namespace, name);
    const settings = { streaming_max_insert_wait_ms: 1000 + edit };
    await stage.ask('PATCH', psetPath(namespace, name), { spec: { settings } });
  }
  const { status } = await settled(stage, namespace, name);
  await operator.stop();
  return { ...status, observedGeneration: 1 };
}

/** The object once its status says that the present spec is in force. */
export async function settled(stage: Stage, namespace: string, name: string): Promise<Pset> {
  return until(`${namespace}/${name} being Ready`, async () => {
    const object = await stage.ask<Pset>('GET', psetPath(namespace, name));
    const { metadata, status } = object;
    const isReady = status?.conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    return isReady && status?.observedGeneration === metadata.generation ? object : undefined;
  });
}
