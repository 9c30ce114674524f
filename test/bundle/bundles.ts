import { type OutputChunk, rolldown } from 'rolldown';
import packageJson from '../../package.json' with { type: 'json' };
import { lazyBuiltins } from './builtins.ts';
import { type Contents, contentsOf } from './contents.ts';
import { usedParts } from './parts.ts';

/** One file of `dist`, with all that it needs but Node. */
export interface Bundle {
  readonly file: string;
  readonly input: string;
  /** Of Node, as `engines` writes it; absent: the one that the image has. */
  readonly oldest?: string;
  /** Started by its name, not by Node's. */
  readonly isProgram?: true;
}

export interface Made {
  readonly bundle: Bundle;
  readonly code: string;
  readonly contents: Contents;
}

export const BUNDLES: readonly Bundle[] = [
  { file: 'pipewright.js', input: 'src/main.ts' },
  {
    file: 'kubectl-pipewright.js',
    input: 'src/cli/main.ts',
    oldest: packageJson.engines.node,
    isProgram: true,
  },
  { file: 'entrypoint.js', input: 'src/entrypoint.ts' },
];

const FIRST_LINE = '#!/usr/bin/env node\n';

/**
 * What is imported by `import()` stands in the same file, and runs when it is asked for: that is
 * what keeps the start of a program with many commands short. (Node's compile cache does not help
 * a program of one file: that is compiled before it can ask for it.)
 */
export async function make(bundle: Bundle): Promise<Made> {
  const { file, input, oldest, isProgram } = bundle;
  let contents: Promise<Contents> | undefined;
  const built = await rolldown({
    input,
    platform: 'node',
    // What of a module of Node nobody uses may be left out: to read it does nothing.
    treeshake: { propertyReadSideEffects: false },
    transform: {
      // By this undici knows a bundle, and leaves its trial parser of HTTP/1.1 out, whatever the
      // environment says.
      define: { esbuildDetection: 'true' },
      ...(oldest !== undefined && { target: `node${oldest.replace('>=', '')}` }),
    },
    plugins: [
      lazyBuiltins,
      usedParts,
      {
        name: 'contents',
        generateBundle(_, output) {
          const [chunk] = Object.values(output).filter((one) => one.type === 'chunk');
          if (chunk) contents = contentsOf(chunk, (id) => this.getModuleInfo(id));
        },
      },
    ],
  });
  const { output } = await built.generate({ format: 'esm', minify: true, codeSplitting: false });
  await built.close();
  const [chunk, ...more]: readonly (OutputChunk | { readonly fileName: string })[] = output;
  if (!chunk || !('code' in chunk) || !contents || more.length > 0)
    throw new Error(
      `${file}: one file was expected, not ${output.map(({ fileName }) => fileName).join()}`,
    );
  const code = (isProgram ? FIRST_LINE : '') + inAscii(chunk.code);
  return { bundle, code, contents: await contents };
}

/** One other character, and V8 keeps all of the text with two bytes for each. */
function inAscii(code: string): string {
  if (/\.raw`[^`]*[^\0-\x7f]/.test(code))
    throw new Error('a text that is read raw has a character beyond ASCII; write it without');
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error('a character beyond ASCII has a backslash before it; write it without');
  return code.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
