import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The program of the image and what it is always given, as the Dockerfile says. */
export function entrypoint(): string[] {
  return JSON.parse(instruction('ENTRYPOINT', /\[[^\]]*\]/)) as string[];
}

/** Where a program of the image looks for others. */
export function imagePath(): string {
  return instruction('ENV PATH=', /\/.*/).trim();
}

function instruction(name: string, value: RegExp): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8');
  const pattern = new RegExp(`^${name} ?(${value.source})$`, 'm');
  const [, found] = pattern.exec(text.replaceAll(/\\\n/g, '')) ?? [];
  if (found === undefined) throw new Error(`the Dockerfile has no ${name}`);
  return found;
}
