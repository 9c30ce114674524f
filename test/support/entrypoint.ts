import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The program of the image and what it is always given, as the Dockerfile says. */
export function entrypoint(): string[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8');
  const [, list] = /^ENTRYPOINT (\[[^\]]*\])$/m.exec(text.replaceAll(/\\\n/g, '')) ?? [];
  if (list === undefined) throw new Error('the Dockerfile has no ENTRYPOINT');
  return JSON.parse(list) as string[];
}
