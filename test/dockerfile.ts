import { readFileSync } from 'node:fs';

/** One instruction of the Dockerfile, a line of its own. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export const INSTRUCTIONS: readonly Instruction[] = readFileSync(
  new URL('../Dockerfile', import.meta.url),
  'utf8',
)
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [name = '', ...words] = line.split(' ');
    return { name, text: words.join(' ') };
  });

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
