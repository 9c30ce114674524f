import { createHash } from 'node:crypto';
import packageJson from '../../../package.json' with { type: 'json' };
import { file, gzipped, type Part, tarOf, withFolders } from '../archive.ts';
import type { Architecture } from './base.ts';
import { IMAGE, imageConfig } from './config.ts';

const TYPE = 'application/vnd.oci.image';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Of one part of an image, for people. */
export interface LayerSize {
  readonly architecture: Architecture;
  readonly name: string;
  readonly compressed: number;
  readonly uncompressed: number;
}

export interface Image {
  /** An OCI archive: the index over all architectures with all that it names. */
  readonly archive: Uint8Array;
  /** Of the index. */
  readonly digest: string;
  readonly layers: readonly LayerSize[];
}

/** An image of one architecture: each part is a layer, the lowest first. */
export interface Platform {
  readonly architecture: Architecture;
  readonly parts: readonly Part[];
}

export async function ociImage(platforms: readonly Platform[]): Promise<Image> {
  const blobs = new Map<string, Uint8Array>();
  const sizes: LayerSize[] = [];
  const add = (mediaType: string, content: Uint8Array | object): Descriptor => {
    const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
    const hash = sha256(bytes);
    blobs.set(hash, bytes);
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  };
  const manifests: Descriptor[] = [];
  // All at once: to compress Node for one architecture takes longer than all else together.
  const packed = await Promise.all(
    platforms.map(async ({ architecture, parts }) => ({
      architecture,
      layers: await Promise.all(parts.map(layerOf)),
    })),
  );
  for (const { architecture, layers } of packed) {
    const described = layers.map(({ bytes }) => add(`${TYPE}.layer.v1.tar+gzip`, bytes));
    const diffIds = layers.map(({ diffId }) => diffId);
    for (const { name, bytes, uncompressed } of layers)
      sizes.push({ architecture, name, compressed: bytes.length, uncompressed });
    const config = add(`${TYPE}.config.v1+json`, imageConfig(architecture, diffIds));
    const mediaType = `${TYPE}.manifest.v1+json`;
    const manifest = { schemaVersion: 2, mediaType, config, layers: described };
    manifests.push({ ...add(mediaType, manifest), ...platformOf(architecture) });
  }
  const mediaType = `${TYPE}.index.v1+json`;
  const index = add(mediaType, { schemaVersion: 2, mediaType, manifests });
  return { archive: await archiveOf(blobs, index), digest: index.digest, layers: sizes };
}

async function layerOf({ name, entries }: Part) {
  const tar = await tarOf(withFolders(entries));
  const diffId = `sha256:${sha256(tar)}`;
  return { name, diffId, bytes: await gzipped(tar), uncompressed: tar.length };
}

function platformOf(architecture: Architecture) {
  const variant = architecture === 'arm64' ? { variant: 'v8' } : {};
  return { platform: { architecture, os: 'linux', ...variant } };
}

function archiveOf(blobs: ReadonlyMap<string, Uint8Array>, index: Descriptor): Promise<Uint8Array> {
  const { version } = packageJson;
  const annotations = {
    'io.containerd.image.name': `${IMAGE}:${version}`,
    'org.opencontainers.image.ref.name': version,
  };
  return tarOf(
    withFolders([
      file('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
      file(
        'index.json',
        JSON.stringify({
          schemaVersion: 2,
          mediaType: `${TYPE}.index.v1+json`,
          manifests: [{ ...index, annotations }],
        }),
      ),
      ...[...blobs].map(([hash, bytes]) => file(`blobs/sha256/${hash}`, bytes)),
    ]),
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
