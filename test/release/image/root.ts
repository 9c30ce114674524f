import { type Entry, file, type Part } from '../archive.ts';
import { type Architecture, DEBIAN, LOADER, NODE_VERSION } from './base.ts';
import { type Unpacked, unpackDebian } from './debian.ts';
import { unpackNode } from './node-package.ts';

/** The image's files that are not ours. */
export interface Base {
  readonly parts: readonly Part[];
  /** By what they hold for. */
  readonly licences: ReadonlyMap<string, string>;
}

export const USER = 65_532;
const PROGRAM = 0o755;
/** Beside Debian's packages a scanner looks for the release that they are of. */
const OS_RELEASE = `PRETTY_NAME="Pipewright, on libraries of Debian 12"
ID=debian
VERSION_ID="12"
`;

/** Node, its libraries, and the few files that say who runs, how names are found, and what this is. */
export async function baseOf(folder: string, architecture: Architecture): Promise<Base> {
  const node = await unpackNode(folder, architecture);
  const entries: Entry[] = [
    file('etc/passwd', `pipewright:x:${USER}:${USER}::/:/\n`),
    file('etc/group', `pipewright:x:${USER}:\n`),
    file('etc/nsswitch.conf', 'hosts: files dns\n'),
    file('etc/os-release', OS_RELEASE),
  ];
  const licences = new Map([[`Node.js ${NODE_VERSION}`, node.licence]]);
  for (const debian of DEBIAN) {
    const { name, version, libraries } = debian;
    const unpacked = await unpackDebian(folder, debian, architecture);
    entries.push(file(`var/lib/dpkg/status.d/${name}`, unpacked.control));
    entries.push(...libraries.map((library) => libraryOf(unpacked, library)));
    if (name === 'libc6') entries.push(loaderOf(unpacked, LOADER[architecture]));
    const copyright = `usr/share/doc/${name}/copyright`;
    const licence = unpacked.files.get(copyright);
    if (!licence) continue;
    entries.push(file(copyright, licence));
    licences.set(`${name} ${version}`, new TextDecoder().decode(licence));
  }
  const ofNode = [
    file('usr/local/bin/node', node.program, PROGRAM),
    file('usr/share/doc/node/LICENSE', node.licence),
  ];
  return {
    parts: [
      { name: 'Node', entries: ofNode },
      { name: 'libraries', entries },
    ],
    licences,
  };
}

/** The file that a name of a library leads to, under that name. */
function libraryOf({ files, links }: Unpacked, library: string): Entry {
  const isIt = (path: string): boolean => path.endsWith(`/${library}`) && !path.includes('/gconv/');
  const path = [...files.keys(), ...links.keys()].find(isIt);
  if (path === undefined) throw new Error(`no package of base.ts has ${library}`);
  const link = links.get(path);
  const real = link === undefined ? path : `${path.slice(0, path.lastIndexOf('/'))}/${link}`;
  const bytes = files.get(real);
  if (!bytes) throw new Error(`${path} leads to ${real}, which is not in its package`);
  return file(path, bytes);
}

function loaderOf(unpacked: Unpacked, path: string): Entry {
  const found = libraryOf({ ...unpacked, links: new Map() }, path.slice(path.lastIndexOf('/') + 1));
  return { ...found, path, mode: PROGRAM };
}
