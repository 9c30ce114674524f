import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plant } from '../simulation/hunt/planted.ts';
import type { Planted } from '../simulation/planted.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that a copy finds the packages. */
const COPIES = join(PROJECT, 'dist', 'mutation');
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** A copy of the project, in which one line at a time can be another one. */
export interface Copy {
  readonly folder: string;
  /** Makes the change for as long as `use` runs. */
  changed<T>(change: Planted, use: () => Promise<T>): Promise<T>;
}

export interface Copies {
  readonly all: readonly Copy[];
  remove(): void;
}

/** Copies the project as it is now, so many times. */
export function copyProject(count: number): Copies {
  mkdirSync(COPIES, { recursive: true });
  const root = mkdtempSync(join(COPIES, 'run-'));
  const all = Array.from({ length: count }, (_, index): Copy => {
    const folder = join(root, String(index + 1));
    for (const entry of readdirSync(PROJECT))
      if (!LEFT_OUT.has(entry))
        cpSync(join(PROJECT, entry), join(folder, entry), { recursive: true });
    return { folder, changed: (change, use) => changed(join(folder, 'src'), change, use) };
  });
  return { all, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function changed<T>(sources: string, change: Planted, use: () => Promise<T>): Promise<T> {
  const file = join(sources, change.file);
  const before = readFileSync(file);
  plant(sources, change);
  try {
    return await use();
  } finally {
    writeFileSync(file, before);
  }
}
