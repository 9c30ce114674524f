import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startControllers } from './controllers.ts';
import { BUILD_MS } from './helm.ts';
import { run } from './run.ts';
import { freeingStuckCrds } from './stuck-crds.ts';

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

const INSTALLING = ['With Helm', 'With kubectl alone', 'With kustomize'];
const sections = readFileSync('deploy/README.md', 'utf8').split(/^## /m).slice(1);

/** Commands on lines of their own; with `inline` also those in a sentence, where they are whole. */
function commandsOf(text: string, { inline = false } = {}): string[] {
  const either = inline
    ? /(?:^ {4}|`)((?:helm|kubectl) [^`\n…]*)(?:$|`)/gm
    : /^ {4}((?:helm|kubectl) .*)$/gm;
  return [...text.matchAll(either)].map(([, command = '']) => command);
}

async function succeeds(command: string): Promise<void> {
  const { code, stderr } = await freeingStuckCrds(own, () => run('sh', ['-c', command], { env }));
  expect(stderr.replaceAll(/^Warning: deleting cluster-scoped.*\n/gm, '')).not.toMatch(
    /error|invalid/i,
  );
  expect(code).toBe(0);
}

describe.each(INSTALLING)('%s, every command of deploy/README.md', (title) => {
  const commands = commandsOf(sections.find((one) => one.startsWith(`${title}\n`)) ?? '');

  test('is there', () => {
    expect(commands.length).toBeGreaterThan(3);
  });

  test.each(commands.filter((command) => !command.endsWith('# needs nodes')))(
    '%s',
    succeeds,
    PATIENCE_MS,
  );

  test('and in the end nothing is left of it', async () => {
    const kinds =
      'crd,clusterroles,clusterrolebindings,deployments,roles,rolebindings,configmaps,serviceaccounts';
    const { stdout } = await own.kubectl(['get', kinds, '-A', '-o', 'name']);
    const left = stdout.split('\n').filter((name) => name.includes('pipewright'));
    expect(
      left.filter(
        (name) => title !== 'With kustomize' || !name.startsWith('customresourcedefinition'),
      ),
    ).toEqual([]);
  });
});

describe('every command of the later sections, with what is there by then', () => {
  const later = sections.filter((one) => !INSTALLING.some((title) => one.startsWith(`${title}\n`)));
  const commands = commandsOf(later.join('\n'), { inline: true });
  const examples = ['secret', 'pipesettings'].flatMap((name) => [
    '-f',
    `deploy/examples/${name}.yaml`,
  ]);

  beforeAll(async () => {
    for (const made of [
      ['apply', '-f', 'deploy/install.yaml'],
      ['create', 'configmap', 'pipewright-flags', '-n', 'pipewright'],
      ['apply', ...examples],
    ]) {
      const make = async (): Promise<true> => {
        const { code, stderr } = await own.kubectl(made);
        if (code !== 0) throw new Error(`kubectl ${made.join(' ')}: ${stderr}`);
        return true;
      };
      // The kinds of a CRD are served a moment after it was applied.
      await (made.includes('apply')
        ? waitFor(make, { what: `kubectl ${made.join(' ')}` })
        : make());
    }
  }, PATIENCE_MS);

  test('is there', () => {
    expect(commands.length).toBeGreaterThan(4);
  });

  test.each(commands)('%s', succeeds, PATIENCE_MS);

  test('does what it is there for', async () => {
    const read = async (...what: string[]): Promise<string> =>
      (await own.kubectl(['get', ...what, '-o', 'json'])).stdout;
    expect(
      JSON.parse(await read('configmap', 'pipewright-flags', '-n', 'pipewright')),
    ).toMatchObject({
      data: { HTTPS_PROXY: 'http://proxy.example.com:3128' },
    });
    const keys = Buffer.from('NEW').toString('base64');
    expect(JSON.parse(await read('secret', 'management-api', '-n', 'ingest'))).toMatchObject({
      data: { keyId: keys, keySecret: keys },
    });
    expect(await read('pset', 'orders', '-n', 'ingest')).toMatch(
      /"pipewright.dev\/reconcile-requested-at": "\d+"/,
    );
  });
});
