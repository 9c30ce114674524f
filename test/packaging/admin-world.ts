import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import type { PageBlock } from '../support/page.ts';
import { startControllers } from './controllers.ts';
import { HELMS } from './helm.ts';
import { type Ran, run } from './run.ts';
import { freeingStuckCrds } from './stuck-crds.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Namespaces and CRDs take long to go where the machine is busy. */
export const PATIENCE_MS = 180_000;

/** A cluster with controllers and without nodes, and a checkout in which an administrator stands. */
export interface AdminWorld {
  readonly own: ControlPlane;
  /** With `sh -e`; `helm` is Helm 4, and `helm3` Helm 3. */
  shell(script: string): Promise<Ran>;
  /** The same, where it should succeed; gives what it printed. */
  succeed(script: string): Promise<string>;
  /** The names of all objects of ours, as `kind/name`. */
  ours(): Promise<string[]>;
  end(): Promise<void>;
}

export async function openAdminWorld(): Promise<AdminWorld> {
  const own = await startControlPlane({ say: () => {} });
  const controllers = await startControllers(own);
  const [bin, checkout] = [join(own.folder, 'programs'), join(own.folder, 'checkout')];
  for (const folder of [bin, checkout]) await mkdir(folder);
  await symlink(own.kubectlProgram, join(bin, 'kubectl'));
  for (const helm of HELMS) await symlink(await findProgram(helm), join(bin, helm));
  for (const name of ['crds', 'deploy'])
    await cp(join(ROOT, name), join(checkout, name), { recursive: true });
  const env = {
    PATH: [bin, process.env['PATH']].join(':'),
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    KUBERC: 'off',
    HELM_CACHE_HOME: join(own.folder, 'helm'),
    HELM_CONFIG_HOME: join(own.folder, 'helm'),
    HELM_DATA_HOME: join(own.folder, 'helm'),
  };
  const shell = (script: string): Promise<Ran> =>
    run('sh', ['-e', '-c', script], { env, cwd: checkout });
  const succeed = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(script);
    if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    own,
    shell,
    succeed,
    async ours() {
      const kinds =
        'crd,clusterroles,clusterrolebindings,deployments,roles,rolebindings,configmaps,serviceaccounts,networkpolicies';
      const names = (await succeed(`kubectl get ${kinds} -A -o name`)).split('\n');
      return names.filter((name) => name.includes('pipewright')).sort();
    },
    async end() {
      await controllers.stop();
      await own.stop();
    },
  };
}

/** What is done before and after the blocks below a heading. */
export interface Place {
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

/** A test for each block that the page does not mark, in their order. */
export function walkPage(
  page: readonly PageBlock[],
  world: () => AdminWorld,
  places: Readonly<Record<string, Place>>,
): void {
  const blocks = page.filter(({ notRun }) => notRun === undefined);
  const sections = new Set(blocks.map(({ section }) => section));
  for (const section of sections) {
    const { before, after } = places[section] ?? {};
    const inSection = blocks.filter((block) => block.section === section);
    for (const [index, { line, script }] of inSection.entries())
      test(
        `line ${line}, ${section}: ${script.split('\n', 1)[0]}`,
        async () => {
          if (index === 0) await before?.();
          const { own, shell } = world();
          const { code, stdout, stderr } = await freeingStuckCrds(own, () => shell(script));
          expect(code, `${stdout}\n${stderr}`).toBe(0);
          expect(stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '')).not.toMatch(
            /error|invalid/i,
          );
          if (index === inSection.length - 1) await after?.();
        },
        // What is prepared, the block, and what it leaves, each with its time.
        3 * PATIENCE_MS,
      );
  }
  test('every preparation was for a heading that is there', () => {
    expect(Object.keys(places).filter((place) => !sections.has(place))).toEqual([]);
  });
}
