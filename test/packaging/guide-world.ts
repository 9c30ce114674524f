import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram, type ProgramName } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator, SimulatorOptions } from '../simulator/types.ts';
import type { PageBlock } from '../support/page.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { missingFrom } from '../support/shown-output.ts';
import { type PlayedNode, playNode } from './played-node.ts';
import { type Ran, run } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where somebody follows a guide: a cluster of their own, kubectl with the plugin, a checkout. */
export interface GuideWorld {
  readonly own: ControlPlane;
  readonly simulator: Simulator;
  /** The operator as the Deployment `pipewright` now has it. */
  readonly node: PlayedNode;
  /** As a person types it, with `sh -e`. The address that all pages name is the simulated API. */
  shell(script: string): Promise<Ran>;
  /** The same, where it should succeed; gives what it printed. */
  succeed(script: string): Promise<string>;
  end(): Promise<void>;
}

/** `programs`: on the PATH beside kubectl. */
export async function openGuideWorld(
  options: {
    readonly simulator?: SimulatorOptions;
    readonly programs?: readonly ProgramName[];
  } = {},
): Promise<GuideWorld> {
  const programs = await Promise.all((options.programs ?? []).map((name) => findProgram(name)));
  const own = await startControlPlane({ say: () => {} });
  const simulator = await startSimulator(options.simulator);
  const node = playNode({
    own,
    namespace: 'pipewright',
    name: 'pipewright',
    apiUrl: simulator.url,
  });
  const bin = await makePluginFolder(own.folder, own.kubectlProgram);
  for (const program of programs)
    await symlink(program, join(bin, program.split('/').at(-1) ?? ''));
  const checkout = await makeCheckout(join(own.folder, 'checkout'));
  const env = {
    PATH: [join(checkout, 'npm', 'bin'), bin, process.env['PATH']].join(':'),
    HOME: checkout,
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    KUBERC: 'off',
    NO_COLOR: '1',
    npm_config_prefix: join(checkout, 'npm'),
    // The build that packing begins with is left out: its results are there, and other tests read
    // them. test/packaging/plugin-install.test.ts packs with it.
    npm_config_ignore_scripts: 'true',
  };
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // Nothing else of the machine of this test, such as what npm tells those whom it runs.
  const shell = (script: string): Promise<Ran> => {
    const here = script.replaceAll('https://api.example.com', simulator.url);
    return run('env', ['-i', ...pairs, 'sh', '-e', '-c', here], { cwd: checkout });
  };
  return {
    own,
    simulator,
    node,
    shell,
    async succeed(script) {
      const { code, stdout, stderr } = await shell(script);
      if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stderr}`);
      return stdout;
    },
    async end() {
      await node.stop();
      await simulator.stop();
      await own.stop();
    },
  };
}

/** What commands of guides read of this project, where they may write too. */
async function makeCheckout(folder: string): Promise<string> {
  await mkdir(join(folder, 'dist'), { recursive: true });
  for (const name of ['crds', 'deploy']) await symlink(join(ROOT, name), join(folder, name));
  const packed = ['package.json', 'LICENSE', 'README.md', ...packageJson.files];
  for (const name of packed) await cp(join(ROOT, name), join(folder, name));
  return folder;
}

/** What `kubectl apply -f deploy/install.yaml` makes, served, with an address for the operator. */
export async function install({ succeed }: GuideWorld): Promise<void> {
  await succeed('kubectl apply -f deploy/install.yaml');
  await succeed(
    'kubectl -n pipewright create configmap pipewright-flags --from-literal=PIPEWRIGHT_API_URL=https://api.example.com',
  );
  await waitFor(() => succeed('kubectl get pipewright -A'), {
    what: 'the kinds to be served',
    until: () => true,
  });
}

export interface Following {
  /** Done before the first block of this place, which has to be there: see `isPlace`. */
  readonly before?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Done behind the first block of this place: what holds then, beside what the page shows. */
  readonly after?: Readonly<Record<string, () => Promise<unknown>>>;
  /** The exit code of the blocks of this place, where that is not 0. */
  readonly endsWith?: Readonly<Record<string, number>>;
}

/** A test for each block that the page does not mark, in their order. */
export function follow(
  blocks: readonly PageBlock[],
  world: () => GuideWorld,
  { before = {}, after = {}, endsWith = {} }: Following = {},
): void {
  const left = new Set(Object.keys(before));
  const unseen = new Set(Object.keys(after));
  for (const { line, section, script, shown, notRun } of blocks) {
    if (notRun !== undefined) continue;
    const given = [...left].filter((place) => isPlace(place, { section, script }));
    for (const place of given) left.delete(place);
    const then = [...unseen].filter((place) => isPlace(place, { section, script }));
    for (const place of then) unseen.delete(place);
    test(`line ${line}, ${section}: ${script.split('\n', 1)[0]}`, async () => {
      for (const place of given) await before[place]?.();
      const { code, stdout, stderr } = await world().shell(script);
      const wanted = Object.keys(endsWith).find((place) => isPlace(place, { section, script }));
      expect(code, `${stdout}\n${stderr}`).toBe(endsWith[wanted ?? ''] ?? 0);
      const printed = stdout + stderr;
      expect(missingFrom(printed, shown ?? ''), printed).toBeUndefined();
      if (script.includes('deployment/')) await world().node.sync();
      for (const place of then) await after[place]?.();
    });
  }
  test('every preparation and look was for a block that is there', () => {
    expect([...left, ...unseen]).toEqual([]);
  });
}

/** `Section`, or `Section >> beginning of the script`. */
function isPlace(place: string, block: Pick<PageBlock, 'section' | 'script'>): boolean {
  const [section, script = ''] = place.split(' >> ');
  return section === block.section && block.script.startsWith(script);
}
