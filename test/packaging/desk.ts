import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installManifest } from '../../deploy/install-manifest.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram, type ProgramName } from '../controlplane/programs.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { type Reader, readerAt } from '../support/reader.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where somebody follows a page: a cluster of their own, kubectl with the plugin, a checkout. */
export interface Desk extends Reader {
  readonly own: ControlPlane;
}

export interface DeskOptions {
  /** On the PATH beside kubectl, by the name that the page has for them. */
  readonly programs?: Readonly<Record<string, ProgramName>>;
  readonly here?: Readonly<Record<string, string>>;
}

export async function openDesk({ programs = {}, here }: DeskOptions = {}): Promise<Desk> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => [name, await findProgram(program)]),
  );
  const own = await startControlPlane({ say: () => {} });
  const bin = await makePluginFolder(own.folder, own.kubectlProgram);
  for (const [name = '', program = ''] of found) await symlink(program, join(bin, name));
  const folder = await makeCheckout(join(own.folder, 'checkout'));
  const env = {
    PATH: [join(folder, 'npm', 'bin'), bin, process.env['PATH']].join(':'),
    HOME: folder,
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    KUBERC: 'off',
    NO_COLOR: '1',
    npm_config_prefix: join(folder, 'npm'),
  };
  return { own, ...readerAt({ folder, env, ...(here && { here }) }) };
}

/** What commands of guides read of this project and its release, where they may write too. */
async function makeCheckout(folder: string): Promise<string> {
  await mkdir(join(folder, 'dist'), { recursive: true });
  const packed = ['package.json', 'LICENSE', 'THIRD-PARTY-NOTICES', 'kubectl-pipewright.js'];
  for (const name of ['crds', 'deploy', ...packed.map((file) => join('dist', file))])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await writeFile(join(folder, 'install.yaml'), await installManifest());
  return folder;
}
