import packageJson from '../../../package.json' with { type: 'json' };
import type { Architecture } from './base.ts';
import { USER } from './root.ts';

/** Where releases are published, and what of. */
export const PROJECT = 'https://github.com/pipewright/pipewright';
export const IMAGE = 'ghcr.io/pipewright/pipewright';

/** How the image runs; the Dockerfile says the same in its own words. */
export const RUN = {
  User: `${USER}:${USER}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: [
    'NODE_COMPILE_CACHE=/app/cache',
    'MALLOC_ARENA_MAX=1',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ],
  Entrypoint: ['/usr/local/bin/node', '/app/entrypoint.js'],
  Labels: {
    'org.opencontainers.image.title': 'pipewright',
    'org.opencontainers.image.description':
      'Manages pipe settings and organization private endpoints of a hosted data platform from Git',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': packageJson.version,
    'org.opencontainers.image.source': PROJECT,
  },
} as const;

/** The configuration of the specification of OCI. */
export function imageConfig(architecture: Architecture, layers: readonly string[]): object {
  return {
    // The same for all builds of the same files; a build's real time would make each another one.
    created: '1970-01-01T00:00:00Z',
    architecture,
    os: 'linux',
    ...(architecture === 'arm64' && { variant: 'v8' }),
    config: RUN,
    rootfs: { type: 'layers', diff_ids: layers },
  };
}
