import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import { type Ran, run } from '../run.ts';
import { inScratch } from '../scratch.ts';
import { ARCHITECTURES, type Architecture, DEBIAN, type DebianPackage } from './base.ts';

/** What a package of Debian holds: its files by path, and what dpkg would know of it. */
export interface Unpacked {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Links by path, with what they name. */
  readonly links: ReadonlyMap<string, string>;
  readonly control: string;
}

interface Wanted {
  readonly architecture: Architecture;
  readonly debian: DebianPackage;
  /** Where it is kept. */
  readonly file: string;
}

/** Has apt fetch what is not in the folder yet. Needs no root, and changes nothing of the machine. */
export async function fetchDebian(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const wanted = ARCHITECTURES.flatMap((architecture) =>
    DEBIAN.map((debian) => ({ architecture, debian, file: fileOf(folder, debian, architecture) })),
  );
  const missing: Wanted[] = [];
  for (const one of wanted) if (!(await isThere(one.file))) missing.push(one);
  if (missing.length > 0) await withApt(folder, missing);
}

/** Throws where the file in the folder is not the one of base.ts. */
export async function unpackDebian(
  folder: string,
  debian: DebianPackage,
  architecture: Architecture,
): Promise<Unpacked> {
  const file = fileOf(folder, debian, architecture);
  await requireHash(file, debian.sha256[architecture]);
  const { stdout: tar } = await dpkg('--fsys-tarfile', file);
  const { stdout: control } = await dpkg('--field', file);
  const entries = await unpackTar(tar);
  const named = entries.map(({ header, data }) => ({ ...header, path: pathOf(header.name), data }));
  return {
    files: new Map(
      named.flatMap(({ path, type, data }) => (type === 'file' && data ? [[path, data]] : [])),
    ),
    links: new Map(
      named.flatMap(({ path, type, linkname }) =>
        type === 'symlink' ? [[path, linkname ?? '']] : [],
      ),
    ),
    control: control.toString('utf8'),
  };
}

const pathOf = (name: string): string => name.replace(/^\.\//, '').replace(/\/$/, '');

function fileOf(folder: string, { sha256 }: DebianPackage, architecture: Architecture): string {
  return join(folder, `${sha256[architecture]}.deb`);
}

async function withApt(folder: string, missing: readonly Wanted[]): Promise<void> {
  await inScratch(join(folder, 'apt-'), async (own) => {
    const [state, cache] = [join(own, 'state'), join(own, 'cache')];
    await mkdir(join(state, 'lists/partial'), { recursive: true });
    await mkdir(join(cache, 'archives/partial'), { recursive: true });
    const options = [
      `Dir::State=${state}`,
      `Dir::Cache=${cache}`,
      'APT::Sandbox::User=root',
    ].concat(ARCHITECTURES.map((architecture) => `APT::Architectures::=${architecture}`));
    const apt = (program: string, ...args: readonly string[]) =>
      run(program, ['-q', ...options.flatMap((option) => ['-o', option]), ...args], { cwd: own });
    // A source that has nothing to do with this may fail: what counts is whether the packages come.
    const updated = await apt('apt-get', 'update');
    for (const { debian, architecture, file } of missing) {
      const got = await apt(
        'apt-get',
        'download',
        `${debian.name}:${architecture}=${debian.version}`,
      );
      if (got.code !== 0) {
        const newest = await apt(
          'apt-cache',
          '--no-all-versions',
          'show',
          `${debian.name}:${architecture}`,
        );
        const there = newest.stdout.toString('utf8');
        throw notThere({ debian, architecture, file }, there, updated.stderr + got.stderr);
      }
      const fetched = join(own, `${debian.name}_${debian.version}_${architecture}.deb`);
      await requireHash(fetched, debian.sha256[architecture]);
      await rename(fetched, file);
    }
  });
}

/** `there`: what apt says of the newest one, if it knows any. */
function notThere({ debian, architecture, file }: Wanted, there: string, said: string): Error {
  const { name, version, sha256 } = debian;
  const complaints = said.split('\n').filter((line) => /^[EW]:/.test(line));
  return new Error(
    [
      `apt on this machine cannot fetch ${name} ${version} for ${architecture}, which test/release/image/base.ts asks for:`,
      ...complaints.map((line) => `  ${line}`),
      newest(there, version),
      `To build with the old one, fetch it from https://snapshot.debian.org/binary/${name}/ (SHA256 ${sha256[architecture]}) and store it as ${file}`,
    ].join('\n'),
  );
}

/** One without a hash is no offer: it is installed here, and no source has it. */
function newest(there: string, wanted: string): string {
  const [, version] = /^Version: (.*)$/m.exec(there) ?? [];
  const [, hash] = /^SHA256: (.*)$/m.exec(there) ?? [];
  if (version === undefined || version === wanted || hash === undefined)
    return 'None of its sources gave it. Are those of Debian 12 among them, and does this machine reach them?';
  return `It has ${version}, with the SHA256 ${hash}. To take that one, put both into base.ts.`;
}

async function requireHash(file: string, sha256: string): Promise<void> {
  const is = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (is !== sha256)
    throw new Error(
      `${file} has the SHA256 ${is}, and test/release/image/base.ts asks for ${sha256}; remove the file to have it fetched again`,
    );
}

async function dpkg(...args: readonly string[]): Promise<Ran> {
  const ran = await run('dpkg-deb', args);
  if (ran.code !== 0) throw new Error(`dpkg-deb ${args.join(' ')}: ${ran.stderr}`);
  return ran;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
