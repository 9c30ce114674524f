import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ControlPlane } from '../../controlplane/controlplane.ts';
import { findProgram } from '../../controlplane/programs.ts';
import { waitFor } from '../../controlplane/wait-for.ts';

/**
 * What makes Pods of Deployments, collects what has lost its owner, ends namespaces, adds roles to
 * the built-in ones and checks the types in policies. There are no nodes for the Pods.
 */
const CONTROLLERS = [
  'deployment',
  'replicaset',
  'garbage-collector',
  'namespace',
  'serviceaccount',
  'disruption',
  'clusterrole-aggregation',
  'validatingadmissionpolicy-status',
];

/** Starts kube-controller-manager beside a control plane; `stop` resolves when it has ended. */
export async function startControllers({
  adminKubeconfig,
  folder,
  kubectl,
}: ControlPlane): Promise<{ stop(): Promise<void> }> {
  const args = [
    '--leader-elect=false',
    '--secure-port=0',
    `--kubeconfig=${adminKubeconfig}`,
    `--service-account-private-key-file=${join(folder, 'certificates', 'service-accounts.key')}`,
    `--controllers=${CONTROLLERS.map((name) => `${name}-controller`).join()}`,
  ];
  const child = spawn(await findProgram('kube-controller-manager'), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  try {
    // The first thing they are seen to do: every namespace gets a ServiceAccount.
    await waitFor(() => kubectl(['get', 'serviceaccount', 'default', '-n', 'default']), {
      what: 'kube-controller-manager',
      until: ({ code }) => code === 0 || child.exitCode !== null,
      timeoutMs: 60_000,
    });
    if (child.exitCode !== null) throw new Error('kube-controller-manager has ended');
  } catch (cause) {
    await stop();
    throw new Error(`kube-controller-manager does not work: ${said}`, { cause });
  }
  return { stop };
}
