import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { succeed } from '../packaging/run.ts';

/** A git repository on disk, as Argo CD reads it. */
export interface Repository {
  readonly url: string;
  readonly folder: string;
  /** Writes these files, removes those that are null, and commits; gives the commit. */
  commit(message: string, files: Readonly<Record<string, string | null>>): Promise<string>;
}

/** Without the settings of the person at this machine. */
const ENV = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

export interface First {
  /** What the first commit holds besides what is there: the content of this folder. */
  readonly content?: string;
  /** Of the first commit. */
  readonly tag?: string;
}

export async function createRepository(folder: string, first: First): Promise<Repository> {
  if (first.content !== undefined) await cp(first.content, folder, { recursive: true });
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) => succeed('git', ['-C', folder, ...args], { env: ENV });
  await git('init', '--quiet', '--initial-branch=main');
  const write = async (
    message: string,
    files: Readonly<Record<string, string | null>>,
  ): Promise<string> => {
    for (const [path, text] of Object.entries(files)) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      if (text === null) await rm(target);
      else await writeFile(target, text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', message);
    return (await git('rev-parse', 'HEAD')).trim();
  };
  // One commit at a time: git refuses the second of two.
  let last: Promise<unknown> = Promise.resolve();
  const repository: Repository = {
    url: `file://${folder}`,
    folder,
    commit(message, files) {
      const mine = last.then(() => write(message, files));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
  await repository.commit('first', {});
  if (first.tag !== undefined) await git('tag', first.tag);
  return repository;
}
