import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startControllers } from '../packaging/controllers.ts';
import { BUILD_MS } from '../packaging/helm.ts';
import { run } from '../packaging/run.ts';
import { freeingStuckCrds } from '../packaging/stuck-crds.ts';

/** Namespaces and CRDs take long to go where the machine is busy. */
const PATIENCE_MS = 180_000;

let own: ControlPlane;
let controllers: Awaited<ReturnType<typeof startControllers>>;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const helm = await findProgram('helm');
  await findProgram('kube-controller-manager');
  own = await startControlPlane({ say: () => {} });
  controllers = await startControllers(own);
  const programs = join(own.folder, 'programs');
  await mkdir(programs);
  await symlink(own.kubectlProgram, join(programs, 'kubectl'));
  env = {
    PATH: [programs, dirname(helm), process.env['PATH']].join(':'),
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    HELM_CACHE_HOME: join(own.folder, 'helm'),
    HELM_CONFIG_HOME: join(own.folder, 'helm'),
    HELM_DATA_HOME: join(own.folder, 'helm'),
  };
}, BUILD_MS);
afterAll(async () => {
  await controllers.stop();
  await own.stop();
});

const sections = readFileSync('deploy/README.md', 'utf8').split(/^## /m);

describe.each(['With Helm', 'With kubectl alone', 'With kustomize'])(
  '%s, every command of deploy/README.md',
  (title) => {
    const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
    const commands = [...section.matchAll(/^ {4}((?:helm|kubectl) .*)$/gm)].map(([, command = '']) => command);

    test('is there', () => {
      expect(commands.length).toBeGreaterThan(3);
    });

    test.each(commands.filter((command) => !command.endsWith('# needs nodes')))(
      '%s',
      async (command) => {
        const { code, stderr } = await freeingStuckCrds(own, () => run('sh', ['-c', command], { env }));
        expect(stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '')).not.toMatch(/error|invalid/i);
        expect(code).toBe(0);
      },
      PATIENCE_MS,
    );

    test('and in the end nothing is left of it', async () => {
      const kinds = 'crd,clusterroles,clusterrolebindings,deployments,roles,rolebindings,configmaps,serviceaccounts';
      const { stdout } = await own.kubectl(['get', kinds, '-A', '-o', 'name']);
      const left = stdout.split('\n').filter((name) => name.includes('pipewright'));
      expect(left.filter((name) => title !== 'With kustomize' || !name.startsWith('customresourcedefinition'))).toEqual(
        [],
      );
    });
  },
);
