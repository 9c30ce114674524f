import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The product as it was before the Organization was written anew. */
export const COMMIT = 'f333d3712837278a284d8903e9b3be4c9ed0a58f';
const SHA256 = '015f9bb3d2d1904429d5a00aef43feac23dd83559d67c18d181d9bbde839e701';

export type Version = 'before' | 'now';

export const ROOT = join(import.meta.dirname, '..', '..');
export const PACKED = join(import.meta.dirname, 'before.json.gz');

/** What `before.json.gz` holds. */
export interface Product {
  /** Without the packages, which it finds in node_modules. */
  readonly bundle: string;
  /** Texts by file name. */
  readonly crds: Readonly<Record<string, string>>;
}

/** Where it lies once it is unpacked: below the root, or its packages would not be found. */
const FOLDER = join(ROOT, 'dist', 'before');
export const BEFORE = { bundle: join(FOLDER, 'pipewright.js'), crds: join(FOLDER, 'crds') };

/** Unpacks it. Throws when it is not what the README says that it is. */
export function unpackBefore(): void {
  const packed = readFileSync(PACKED);
  if (sha256(packed) !== SHA256)
    throw new Error(`${PACKED} is not what it was made as; see test/upgrade/README.md`);
  const { bundle, crds } = JSON.parse(gunzipSync(packed).toString('utf8')) as Product;
  mkdirSync(BEFORE.crds, { recursive: true });
  writeFileSync(BEFORE.bundle, bundle);
  for (const [name, text] of Object.entries(crds)) writeFileSync(join(BEFORE.crds, name), text);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
