import { chmod, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** A new folder for PATH, with kubectl, the plugin as kubectl finds it, and Node. */
export async function makePluginFolder(inside: string, kubectlProgram: string): Promise<string> {
  const made = await mkdtemp(join(inside, 'plugin-'));
  const script = join(made, 'kubectl-pipewright');
  const program = join(ROOT, 'src', 'cli', 'main.ts');
  await writeFile(script, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(script, 0o755);
  await symlink(process.execPath, join(made, 'node'));
  await symlink(kubectlProgram, join(made, 'kubectl'));
  return made;
}
