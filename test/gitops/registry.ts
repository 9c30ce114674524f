import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from '../packaging/run.ts';

/** A registry of OCI artifacts on loopback, over plain HTTP, that holds one chart. */
export interface Registry {
  /** As Argo CD takes it. */
  readonly url: string;
  /** Of the chart. */
  readonly version: string;
  stop(): Promise<void>;
}

const NAME = 'charts/pipewright';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** Serves the chart of this folder under its own version, as `helm push` would have left it. */
export async function startRegistry(chart: string): Promise<Registry> {
  const { file, bytes } = await packed(chart);
  const version = /-(\d[^/]*)\.tgz$/.exec(file)?.[1];
  if (version === undefined) throw new Error(`helm package made ${file}, which has no version`);
  const layer = blob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', bytes);
  const settings = Buffer.from(JSON.stringify({ name: 'pipewright', version, apiVersion: 'v2' }));
  const config = blob('application/vnd.cncf.helm.config.v1+json', settings);
  const content = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptor(config),
    layers: [descriptor(layer)],
  };
  const manifest = blob(MANIFEST, Buffer.from(JSON.stringify(content)));
  const tags = blob(
    'application/json',
    Buffer.from(JSON.stringify({ name: NAME, tags: [version] })),
  );
  const served = new Map<string, Blob>([
    ['/v2/', blob('application/json', Buffer.from('{}'))],
    [`/v2/${NAME}/tags/list`, tags],
    [`/v2/${NAME}/manifests/${version}`, manifest],
    [`/v2/${NAME}/manifests/${manifest.digest}`, manifest],
    ...[layer, config].map((one): [string, Blob] => [`/v2/${NAME}/blobs/${one.digest}`, one]),
  ]);
  const server = createServer(({ url = '', method }, response) => {
    const found = served.get(url.split('?')[0] ?? '');
    response.statusCode = found ? 200 : 404;
    if (found) {
      response.setHeader('Content-Type', found.mediaType);
      response.setHeader('Content-Length', found.bytes.length);
      response.setHeader('Docker-Content-Digest', found.digest);
    }
    response.end(method === 'HEAD' ? undefined : found?.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the registry has no port');
  return {
    url: `oci://127.0.0.1:${address.port}/${NAME}`,
    version,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function packed(chart: string): Promise<{ file: string; bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-chart-'));
  try {
    await succeed(await findProgram('helm'), ['package', chart, '--destination', folder]);
    const [file = ''] = await readdir(folder);
    return { file, bytes: await readFile(join(folder, file)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function blob(mediaType: string, bytes: Buffer): Blob {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { mediaType, digest, bytes };
}

function descriptor({ mediaType, digest, bytes }: Blob): object {
  return { mediaType, digest, size: bytes.length };
}
