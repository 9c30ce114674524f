import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Accepted, objections, toAccept, written } from './accepted.ts';
import { BUNDLES, type Made, make } from './bundles.ts';
import { notices, table } from './texts.ts';

/**
 * `node test/bundle/make.ts [--check | --accept]`: makes the bundles in dist and, beside them, the
 * licences of what is in them, and says what that is. `--check` fails where that is not what
 * accepted.json says; `--accept` writes it there.
 */
const ACCEPTED = new URL('accepted.json', import.meta.url);
const FOLDER = 'dist';

const [mode = '', ...others] = process.argv.slice(2);
if (!['', '--check', '--accept'].includes(mode) || others.length > 0)
  throw new Error(`${JSON.stringify(process.argv.slice(2).join(' '))} is not understood`);
await mkdir(FOLDER, { recursive: true });
const made: Made[] = [];
for (const bundle of BUNDLES) {
  const one = await make(bundle);
  const file = join(FOLDER, bundle.file);
  await writeFile(file, one.code);
  // The mode of a file that is there already would stay.
  if (bundle.isProgram) await chmod(file, 0o755);
  made.push(one);
}
await writeFile(join(FOLDER, 'THIRD-PARTY-NOTICES'), notices(made));
if (mode === '') console.log(made.map(table).join('\n\n'));
if (mode === '--accept') await writeFile(ACCEPTED, written(toAccept(made)));
if (mode === '--check') {
  const found = objections(made, JSON.parse(await readFile(ACCEPTED, 'utf8')) as Accepted);
  if (found.length > 0) {
    console.error(`\n${found.join('\n')}`);
    process.exitCode = 1;
  }
}
