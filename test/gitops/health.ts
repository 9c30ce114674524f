import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { parseManifests } from '../packaging/manifests.ts';
import { run } from '../packaging/run.ts';
import { STATES } from '../support/state-table.ts';

const FOLDER = 'deploy/argocd/resource_customizations/pipewright.dev';

interface HealthTest {
  readonly healthStatus: { readonly status: string; readonly message: string };
  readonly inputPath: string;
}

/**
 * The program of Argo CD gives every stored state the health that its test and the table say; gives
 * how many there were.
 */
export async function healthChecks(kubectlProgram: string): Promise<number> {
  const argocd = await findProgram('argocd');
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-health-'));
  try {
    const settings = join(folder, 'argocd-cm.yaml');
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: argocd-cm }\n';
    await writeFile(settings, head + (await readFile('deploy/argocd/argocd-cm.yaml', 'utf8')));
    let checked = 0;
    for (const kind of await readdir(FOLDER)) {
      const tests = await testsOf(kind, kubectlProgram);
      for (const file of await readdir(join(FOLDER, kind, 'testdata'))) {
        const said = await judge(argocd, join(FOLDER, kind, 'testdata', file), settings);
        const state = file.replace(/\.yaml$/, '');
        assert.equal(said.status, STATES[state]?.argocd, `${kind} ${state}`);
        const test = tests.find(({ inputPath }) => inputPath === `testdata/${file}`);
        const expected = test?.healthStatus ?? {
          status: 'Progressing',
          message: 'Pending deletion',
        };
        assert.deepEqual(said, expected, `${kind} ${state}`);
        checked += 1;
      }
    }
    return checked;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function testsOf(kind: string, kubectlProgram: string): Promise<readonly HealthTest[]> {
  const text = await readFile(join(FOLDER, kind, 'health_test.yaml'), 'utf8');
  const head = 'apiVersion: v1\nkind: Tests\nmetadata: { name: tests }\n';
  const [parsed] = await parseManifests(head + text, kubectlProgram);
  return (parsed as unknown as { readonly tests: readonly HealthTest[] }).tests;
}

async function judge(
  argocd: string,
  file: string,
  settings: string,
): Promise<HealthTest['healthStatus']> {
  const args = [
    'admin',
    'settings',
    'resource-overrides',
    'health',
    file,
    '--argocd-cm-path',
    settings,
  ];
  const { code, stdout, stderr } = await run(argocd, args, {
    env: { ARGOCD_BINARY_NAME: 'argocd' },
  });
  const [, status = '', message = ''] = /^STATUS: (.*)\nMESSAGE: (.*)$/m.exec(stdout) ?? [];
  if (code !== 0 || status === '')
    throw new Error(`argocd ended with ${code} over ${file}: ${stdout}${stderr}`);
  return { status, message };
}
