import type { Made } from '../../bundle/bundles.ts';
import { type Architecture, DEBIAN, NODE_VERSION } from '../image/base.ts';

/** Something that a file of a release holds and somebody else has made. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; absent where it is not known. */
  readonly licence?: string;
  readonly purl: string;
  /** By which vulnerabilities are published, where that is not the purl. */
  readonly cpe?: `cpe:2.3:${string}`;
}

/** Of `process.versions`: numbers of interfaces and of data, which are no code of anybody. */
const NO_CODE = new Set(['node', 'modules', 'napi', 'unicode', 'cldr', 'tz']);

export function partsOfBundles(made: readonly Pick<Made, 'contents'>[]): Part[] {
  const packages = made.flatMap(({ contents }) => contents.packages);
  const parts = packages.map(({ name, version, licence }) => ({
    name,
    version,
    ...(licence !== '' && { licence }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }));
  return unique(parts);
}

/** Node, what is inside it, and the libraries below it. */
export function partsOfBase(architecture: Architecture): Part[] {
  if (process.versions.node !== NODE_VERSION)
    throw new Error(
      `this runs on Node ${process.versions.node}, and the image has ${NODE_VERSION}: run it as "npm run release"`,
    );
  const inside = Object.entries(process.versions)
    // Node says that some are inside it, and not which version.
    .filter(([name, version]) => !NO_CODE.has(name) && version !== '')
    .map(([name, version = '']) => ({
      name,
      version,
      purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
    }));
  const libraries = DEBIAN.map(({ name, version, licence }) => ({
    name,
    version,
    licence,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`,
  }));
  const node = {
    name: 'node',
    version: NODE_VERSION,
    licence: 'MIT',
    purl: `pkg:generic/node@${NODE_VERSION}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${NODE_VERSION}:*:*:*:*:*:*:*`,
  } as const;
  return unique([node, ...inside, ...libraries]);
}

function unique(parts: readonly Part[]): Part[] {
  const byPurl = new Map(parts.map((part) => [part.purl, part]));
  return [...byPurl.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
}
