import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plant } from '../simulation/hunt/planted.ts';
import type { Mutation } from './mutation.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that a copy finds the packages. */
const COPIES = join(PROJECT, 'dist', 'mutation');
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Copies the project as it is now into a new folder. */
export function copyProject(): string {
  mkdirSync(COPIES, { recursive: true });
  const folder = mkdtempSync(join(COPIES, 'copy-'));
  for (const entry of readdirSync(PROJECT))
    if (!LEFT_OUT.has(entry))
      cpSync(join(PROJECT, entry), join(folder, entry), { recursive: true });
  return folder;
}

/** Makes the change in a copy for as long as `use` runs. */
export async function changed<T>(folder: string, change: Mutation, use: () => Promise<T>) {
  const sources = join(folder, 'src');
  const file = join(sources, change.file);
  const before = readFileSync(file);
  plant(sources, change);
  try {
    return await use();
  } finally {
    writeFileSync(file, before);
  }
}
