import { readdirSync, statSync } from 'node:fs';
import { type Part, runParts } from './parts.ts';

export const BUNDLES: Part = { name: 'bundles', run: ['test/build.ts'], output: 'quiet' };

const FILES = ['dist/pipewright.js', 'dist/kubectl-pipewright.js'];

/** Why a bundle would be judged for what `src` was before; absent: each is as new as `src`. */
export function staleBundle(): string | undefined {
  const newest = Math.max(
    ...readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => statSync(`src/${path}`).mtimeMs),
  );
  const madeAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const stale = FILES.find((file) => madeAt(file) < newest);
  return stale && `${stale} is older than src, or is not there; run \`npm run build\``;
}

/** Makes them where `src` is newer: in the midst of other tests nothing is made anew. */
export async function ensureBundles(): Promise<void> {
  if (staleBundle() === undefined || (await runParts([BUNDLES]))) return;
  throw new Error('The operator could not be built');
}
