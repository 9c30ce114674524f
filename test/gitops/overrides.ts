import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findProgram } from '../controlplane/programs.ts';
import { run } from '../packaging/run.ts';

/** In the layout of Argo CD's own repository. */
export const CUSTOMIZATIONS = 'deploy/argocd/resource_customizations/pipewright.dev';

export interface Health {
  readonly status: string;
  readonly message: string;
}

export interface Action {
  readonly name: string;
  readonly disabled: boolean;
}

/** The scripts of deploy/argocd/argocd-cm.yaml over an object in a file, run by Argo CD's own program. */
export interface Overrides extends AsyncDisposable {
  health(file: string): Promise<Health>;
  actions(file: string): Promise<Action[]>;
  /** The object as the action leaves it. */
  runAction(file: string, action: string): Promise<unknown>;
}

export async function openOverrides(): Promise<Overrides> {
  const argocd = await findProgram('argocd');
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-overrides-'));
  const settings = join(folder, 'argocd-cm.yaml');
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: argocd-cm }\n';
  await writeFile(settings, head + (await readFile('deploy/argocd/argocd-cm.yaml', 'utf8')));
  const say = async (command: string, file: string, ...more: string[]): Promise<string> => {
    const args = ['admin', 'settings', 'resource-overrides', command, file, ...more];
    const env = {
      ARGOCD_BINARY_NAME: 'argocd',
      // With what it shows the difference: all of both objects, each below the name of its file.
      KUBECTL_EXTERNAL_DIFF: 'tail -n +1',
      TMPDIR: folder,
    };
    const { code, stdout, stderr } = await run(argocd, [...args, '--argocd-cm-path', settings], {
      env,
    });
    if (code !== 0) throw new Error(`argocd ended with ${code} over ${file}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    async health(file) {
      const stdout = await say('health', file);
      const [, status, message] = /^STATUS: (.*)\nMESSAGE: (.*)$/m.exec(stdout) ?? [];
      if (!status || message === undefined) throw new Error(`${file}: argocd says ${stdout}`);
      return { status, message };
    },
    async actions(file) {
      const [head = '', ...lines] = (await say('list-actions', file)).trimEnd().split('\n');
      if (!/^NAME +DISABLED$/.test(head)) throw new Error(`${file}: argocd says ${head}`);
      return lines.map((line) => {
        const [name = '', disabled] = line.split(/ +/);
        return { name, disabled: disabled === 'true' };
      });
    },
    async runAction(file, action) {
      const stdout = await say('run-action', file, action);
      const [, , after] = stdout.split(/^==> .* <==\n/m);
      if (after === undefined) throw new Error(`${file}, ${action}: argocd says ${stdout}`);
      return parse(after);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
