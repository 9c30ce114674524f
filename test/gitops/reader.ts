import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageBlocks } from '../support/page.ts';
import { readerAt } from '../support/reader.ts';

const PAGE = 'deploy/argocd/README.md';

/** Somebody who follows deploy/argocd/README.md, in a folder of his own. */
export interface Reader {
  /** With deploy/ as it is shipped, but for the addresses that cannot be reached from here. */
  readonly folder: string;
  /** With the programs of the page on the PATH, logged in to Argo CD. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the commands below this heading of the page, in their order. */
  follow(section: string): Promise<void>;
  /** Throws where commands of the page have not been run. */
  hasRunAll(): void;
}

export interface ReaderOptions {
  readonly folder: string;
  /** What stands on the page and in the files, and what is there in its place. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export async function createReader({ folder, addresses, env }: ReaderOptions): Promise<Reader> {
  await cp('deploy', join(folder, 'deploy'), { recursive: true });
  await replaceIn(join(folder, 'deploy/argocd'), addresses);
  const blocks = pageBlocks('deploy/argocd/README.md').filter(({ notRun }) => notRun === undefined);
  const left = new Set(blocks);
  const reader = readerAt({ folder, env });
  return {
    folder,
    env,
    async follow(section) {
      const mine = blocks.filter((block) => block.section === section);
      if (mine.length === 0) throw new Error(`${PAGE} has no commands below "${section}"`);
      for (const block of mine) {
        await reader.follow(block);
        left.delete(block);
      }
    },
    hasRunAll() {
      const places = [...left].map(({ line, section }) => `line ${line}, below "${section}"`);
      if (places.length > 0) throw new Error(`${PAGE}: not run: ${places.join('; ')}`);
    },
  };
}

/** Each address must stand somewhere; else nothing was replaced, and the network would be asked. */
async function replaceIn(
  folder: string,
  addresses: Readonly<Record<string, string>>,
): Promise<void> {
  const used = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
    const path = join(entry.parentPath, entry.name);
    let text = await readFile(path, 'utf8');
    for (const [address, ours] of Object.entries(addresses)) {
      if (!text.includes(address)) continue;
      text = text.replaceAll(address, ours);
      used.add(address);
    }
    await writeFile(path, text);
  }
  const unused = Object.keys(addresses).filter((address) => !used.has(address));
  if (unused.length > 0) throw new Error(`${folder} never says ${unused.join(', ')}`);
}
