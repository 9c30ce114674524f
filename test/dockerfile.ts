import { readFileSync } from 'node:fs';

const FILE = new URL('../Dockerfile', import.meta.url);

/** The instructions of the Dockerfile, each a line of its own. */
export const INSTRUCTIONS: readonly { readonly name: string; readonly text: string }[] =
  readFileSync(FILE, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({
      name: line.slice(0, line.indexOf(' ')),
      text: line.slice(line.indexOf(' ') + 1),
    }));

/** The texts of all instructions of this name. */
export function textsOf(name: string): string[] {
  return INSTRUCTIONS.filter((one) => one.name === name).map(({ text }) => text);
}

/** Node, its flags, and the bundle, as the image has them. */
export const ENTRYPOINT = JSON.parse(textsOf('ENTRYPOINT').at(-1) ?? '[]') as readonly string[];

/** With which the image, and so every test, starts the operator. */
export const NODE_FLAGS = ENTRYPOINT.slice(1, -1);

/** Variables of the image. */
export const IMAGE_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  textsOf('ENV').map((text) => text.split('=')),
);
