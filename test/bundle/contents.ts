import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OutputChunk, PluginContext } from 'rolldown';
import { builtinName } from './builtins.ts';

/** What of Node lets code out of the process it runs in, or run what came as a text. */
const REACHES = ['child_process', 'worker_threads', 'cluster', 'inspector', 'sqlite', 'vm', 'wasi'];
const LICENCE_FILE = /^(licen[cs]e|notice|copying)(\.|$)/i;
/** Helpers that the bundler adds. */
const OF_THE_BUNDLER = '\0rolldown/';

/** A package of which at least one module has got into the bundle. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** As its package.json says: an SPDX expression, or nothing. */
  readonly licence: string;
  /** Before the bundle is minified. */
  readonly bytes: number;
  /** Built-in modules that it imports, of those that are worth a look. */
  readonly reaches: readonly string[];
  /** Texts of the licences of what is in the bundle. */
  readonly texts: readonly string[];
}

export interface Contents {
  readonly own: { readonly bytes: number; readonly reaches: readonly string[] };
  readonly packages: readonly Bundled[];
}

interface Module {
  readonly id: string;
  readonly bytes: number;
  readonly imports: readonly string[];
}

/** What a chunk is made of, in the order of the names. */
export async function contentsOf(
  chunk: Pick<OutputChunk, 'modules'>,
  infoOf: PluginContext['getModuleInfo'],
): Promise<Contents> {
  const modules = Object.entries(chunk.modules).map(([id, { renderedLength }]): Module => {
    const info = infoOf(id);
    const imports = [...(info?.importedIds ?? []), ...(info?.dynamicallyImportedIds ?? [])];
    return { id, bytes: renderedLength, imports };
  });
  const byFolder = Map.groupBy(modules, ({ id }) => packageFolder(id));
  const own = byFolder.get(undefined) ?? [];
  const packages = await Promise.all(
    [...byFolder].flatMap(([folder, its]) => (folder === undefined ? [] : [bundled(folder, its)])),
  );
  return {
    own: { bytes: sizeOf(own), reaches: reachesOf(own) },
    packages: packages.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Nothing for a module of ours. */
function packageFolder(id: string): string | undefined {
  if (id.startsWith(OF_THE_BUNDLER)) return join('node_modules', 'rolldown');
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0];
}

async function bundled(folder: string, modules: readonly Module[]): Promise<Bundled> {
  const about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: unknown;
  };
  return {
    name: about.name,
    version: about.version,
    licence: typeof about.license === 'string' ? about.license : '',
    bytes: sizeOf(modules),
    reaches: reachesOf(modules),
    texts: await licenceTexts(folder, modules),
  };
}

/** Also those of parts that somebody else wrote: whose folder is on the way to a module. */
async function licenceTexts(root: string, modules: readonly Module[]): Promise<string[]> {
  const folders = new Set([root]);
  for (const { id } of modules)
    for (let folder = dirname(id); folder.length > root.length; folder = dirname(folder))
      folders.add(folder);
  const files = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const there = await readdir(folder, { withFileTypes: true });
      return there
        .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
        .map((entry) => join(folder, entry.name));
    }),
  );
  const texts = await Promise.all(files.flat().map((file) => readFile(file, 'utf8')));
  return [...new Set(texts.map((text) => text.trim()))];
}

function sizeOf(modules: readonly Module[]): number {
  return modules.reduce((sum, { bytes }) => sum + bytes, 0);
}

function reachesOf(modules: readonly Module[]): string[] {
  const names = modules.flatMap(({ imports }) => imports.map(builtinName));
  return REACHES.filter((name) => names.includes(name));
}
