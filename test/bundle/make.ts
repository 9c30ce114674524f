import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type OutputChunk, rolldown } from 'rolldown';
import { type Accepted, objections, toAccept, written } from './accepted.ts';
import { type Contents, contentsOf } from './contents.ts';
import { notices, table } from './texts.ts';

/**
 * `node test/bundle/make.ts [--check | --accept]`: makes dist/pipewright.js and, beside it, the
 * licences of what is in it, and says what that is. `--check` fails where that is not what
 * accepted.json says; `--accept` writes it there.
 */
const ACCEPTED = new URL('accepted.json', import.meta.url);

interface Made {
  readonly code: string;
  readonly contents: Contents;
}

async function bundle(): Promise<Made> {
  let contents: Promise<Contents> | undefined;
  const built = await rolldown({
    input: 'src/main.ts',
    platform: 'node',
    plugins: [
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
    throw new Error(`one file was expected, not ${output.map(({ fileName }) => fileName).join()}`);
  return { code: chunk.code, contents: await contents };
}

const [mode = '', ...others] = process.argv.slice(2);
if (!['', '--check', '--accept'].includes(mode) || others.length > 0)
  throw new Error(`${JSON.stringify(process.argv.slice(2).join(' '))} is not understood`);
const { code, contents } = await bundle();
await mkdir('dist', { recursive: true });
await writeFile('dist/pipewright.js', code);
await writeFile('dist/THIRD-PARTY-NOTICES', notices(contents));
if (mode === '') console.log(table(contents, Buffer.byteLength(code)));
if (mode === '--accept') await writeFile(ACCEPTED, written(toAccept(contents)));
if (mode === '--check') {
  const found = objections(contents, JSON.parse(await readFile(ACCEPTED, 'utf8')) as Accepted);
  if (found.length > 0) {
    console.error(`\n${found.join('\n')}`);
    process.exitCode = 1;
  }
}
