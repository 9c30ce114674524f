import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { controlPlane, newNamespace } from '../controlplane/client.ts';
import { installCrds } from '../support/crd.ts';
import { type Ran, run } from './run.ts';
import { canEnter, type StagedImage, stageImage, WARMED } from './staged-image.ts';

let image: StagedImage;

/** As `docker run IMAGE …`: the home is that of /etc/passwd. */
const inside = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = '',
): Promise<Ran> =>
  run('env', [...image.entering({ ...WARMED, HOME: '/', ...env }), ...args], { stdin });

describe.runIf(canEnter)('the plugin in the image', () => {
  beforeAll(async () => {
    image = await stageImage();
    // Mounted, for what it writes.
    await mkdir(join(image.root, 'work'));
    await chmod(join(image.root, 'work'), 0o777);
  });
  afterAll(() => image.remove());

  test('it starts for the argument `plugin`, and gets the others', async () => {
    const version = { code: 0, stdout: `${packageJson.version}\n`, stderr: '' };
    expect(await inside(['plugin', '--version'])).toEqual(version);
    const help = await inside(['plugin', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: kubectl pipewright [options] [command]');
    const wrong = await inside(['plugin', 'plugin']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("unknown command 'plugin'");
  });

  test.each<[string, readonly string[]]>([
    ['behind another argument', ['--version', 'plugin']],
    ['that is longer', ['plugins']],
    ['in capitals', ['PLUGIN']],
  ])('the operator starts for a `plugin` %s', async (_, args) => {
    const { stdout, stderr } = await inside(args);
    expect(`${stdout}${stderr}`).toMatch(/^pipewright /);
  });

  test('what V8 compiled is taken', async () => {
    const { stderr } = await inside(['plugin', '--version'], {
      NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    });
    for (const file of ['entrypoint', 'kubectl-pipewright'])
      expect(stderr).toContain(`V8 code cache for ESM file:///app/${file}.js was accepted`);
  });

  test('without kubectl and a cluster it plans what it gets on stdin', async () => {
    const manifests = await readFile('deploy/examples/pipesettings.yaml', 'utf8');
    const planned = await inside(['plugin', 'plan', '--offline', '-f', '-'], {}, manifests);
    expect(planned).toMatchObject({ code: 2, stderr: '' });
    expect(planned.stdout).toContain('Would send: PUT /v1/organizations/');
  });

  test('without kubectl it says that there is none', async () => {
    const { code, stderr } = await inside(['plugin', 'bundle', '-f', '/work/case.tar.gz']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: kubectl is not on the PATH; /);
  });

  test('with kubectl and a kubeconfig mounted where both are looked for it reaches the cluster', async () => {
    await installCrds();
    const home = join(image.root, '.kube');
    await mkdir(home);
    await copyFile(controlPlane.kubectlProgram, join(image.root, 'usr/local/bin/kubectl'));
    await copyFile(controlPlane.adminKubeconfig, join(home, 'config'));
    await chmod(join(home, 'config'), 0o644);
    const namespace = await newNamespace();
    const args = ['-n', namespace, '--operator-namespace', namespace, '-f', '/work/case.tar.gz'];
    const { code, stdout, stderr } = await inside(['plugin', 'bundle', ...args]);
    expect(stderr).toContain('wrote /work/case.tar.gz');
    expect(stderr).toContain(`the operator's Deployment in namespace ${namespace}: there is none`);
    expect(stdout).toContain('case/crds.yaml');
    expect(code).toBe(2);
    expect(await readdir(join(image.root, 'work'))).toEqual(['case.tar.gz']);
  });
});
