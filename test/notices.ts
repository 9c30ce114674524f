import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying)(\.|$)/i;
const HEAD =
  'Pipewright, the operator and the plugin of kubectl, holds code of these packages, each under the licence below it.\n';
const LINE = `\n${'-'.repeat(80)}\n\n`;

/** The licences of the packages of these modules. Throws where one comes without a text. */
export async function notices(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
  const parts = await Promise.all([...folders].map(noticeOf));
  return [HEAD, ...new Set(parts.toSorted())].join(LINE);
}

/** Nothing for a module of ours. */
function packageFolder(id: string): string | undefined {
  // Helpers that the bundler adds.
  if (id.startsWith('\0rolldown/')) return join('node_modules', 'rolldown');
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0];
}

async function noticeOf(folder: string): Promise<string> {
  const about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const what = `${about.name} ${about.version} (${about.license ?? 'no licence named'})`;
  const files = (await readdir(folder)).filter((name) => LICENCE_FILE.test(name)).toSorted();
  // The Unlicense asks for nothing to be handed on.
  if (files.length === 0 && about.license !== 'Unlicense')
    throw new Error(`${what} is in a bundle and has no file with its licence in ${folder}`);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return `${[what, ...texts.map((text) => text.trim())].join('\n\n')}\n`;
}
