import { mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** A new folder for PATH, with kubectl, the built plugin as kubectl finds it, and Node. */
export async function makePluginFolder(inside: string, kubectlProgram: string): Promise<string> {
  const made = await mkdtemp(join(inside, 'plugin-'));
  await symlink(join(ROOT, 'dist', 'kubectl-pipewright.js'), join(made, 'kubectl-pipewright'));
  await symlink(process.execPath, join(made, 'node'));
  await symlink(kubectlProgram, join(made, 'kubectl'));
  return made;
}
