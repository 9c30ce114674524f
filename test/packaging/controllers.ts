import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';

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

const STARTS_WITHIN_MS = 60_000;

/** Starts kube-controller-manager beside a control plane; `stop` resolves when it has ended. */
export async function startControllers({
  adminKubeconfig,
  folder,
  kubectl,
}: ControlPlane): Promise<{ stop(): Promise<void> }> {
  const args = [
    '--kubeconfig',
    adminKubeconfig,
    '--leader-elect=false',
    '--secure-port=0',
    '--service-account-private-key-file',
    join(folder, 'certificates', 'service-accounts.key'),
    '--controllers',
    CONTROLLERS.map((name) => `${name}-controller`).join(','),
  ];
  const child = spawn(await findProgram('kube-controller-manager'), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The first thing they are seen to do: every namespace gets a ServiceAccount.
  const deadline = performance.now() + STARTS_WITHIN_MS;
  while ((await kubectl(['get', 'serviceaccount', 'default', '-n', 'default'])).code !== 0) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(
        `kube-controller-manager does not work (exit code ${child.exitCode}): ${said}`,
      );
    }
    await pause(100);
  }
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
