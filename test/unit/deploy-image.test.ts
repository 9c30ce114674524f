import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import accepted from '../bundle/accepted.json' with { type: 'json' };
import { NODE_VERSION } from '../release/image/base.ts';
import { RUN } from '../release/image/config.ts';
import { temporaryFolder } from '../support/folder.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packageJson = JSON.parse(read('package.json')) as {
  version: string;
  devDependencies: { node: string };
};
/** One instruction a line, without comments. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '');
const last = instructions.slice(instructions.lastIndexOf('FROM scratch'));

/** What is taken from the folder of the project. */
const copied = instructions
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
  .flatMap((line) => line.split(' ').slice(1, -1));

test('the image is built with the Node that everything is tested with, and called by the version of the package', () => {
  expect(instructions.find((line) => line.startsWith('ARG NODE_IMAGE'))).toMatch(
    new RegExp(
      `^ARG NODE_IMAGE=docker\\.io/library/node:${packageJson.devDependencies.node}-bookworm-slim@sha256:[0-9a-f]{64}$`,
    ),
  );
  expect(instructions).toContain(`ARG VERSION=${packageJson.version}`);
  expect(NODE_VERSION).toBe(packageJson.devDependencies.node);
});

test('the last stage runs nothing and starts as a numeric user, with kubectl looked for where one is mounted', () => {
  expect(last.map((line) => line.split(' ')[0])).not.toContain('RUN');
  expect(last).toContain('USER 65532:65532');
  expect(last).toContain('ENTRYPOINT ["/usr/local/bin/node", "/app/entrypoint.js"]');
  expect(last.find((line) => line.startsWith('ENV PATH='))).toMatch(/[=:]\/usr\/local\/bin:/);
});

interface Locked {
  readonly version: string;
  readonly hasInstallScript?: true;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

test.each(['x64', 'arm64'])('what the bundle is made with is locked for linux on %s too', (cpu) => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  const rolldown = packages['node_modules/rolldown'];
  expect(packages[`node_modules/@rolldown/binding-linux-${cpu}-gnu`]).toMatchObject({
    version: rolldown?.version,
    os: ['linux'],
    cpu: [cpu],
  });
});

test('what goes into the bundle is the same on every platform', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  // What the bundler adds is its own, and no part of what it is made of.
  const bundled = new Set(Object.values(accepted).flatMap((one) => Object.keys(one)));
  bundled.delete('rolldown');
  const used = Object.entries(packages).filter(([path]) =>
    bundled.has(path.replace(/^.*node_modules\//, '')),
  );
  expect(used.length).toBeGreaterThan(20);
  const tied = used.filter(([, { os, cpu, hasInstallScript }]) => os ?? cpu ?? hasInstallScript);
  expect(tied.map(([path]) => path)).toEqual([]);
});

test('an image of the Dockerfile runs as that of a release does', () => {
  const words = (name: string): string[] =>
    last.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [labels = ''] = words('LABEL');
  const named = Object.fromEntries(
    [...labels.matchAll(/(\S+)="([^"]*)"/g)].map(([, label, text]) => [label, text]),
  );
  // Whoever builds it says what of.
  const { 'org.opencontainers.image.revision': revision, ...rest } = named;
  expect(revision).toBe('${REVISION}');
  expect({ ...rest, 'org.opencontainers.image.version': packageJson.version }).toEqual(RUN.Labels);
  expect(words('USER')).toEqual([RUN.User]);
  expect(words('EXPOSE').map((port) => `${port}/tcp`)).toEqual(Object.keys(RUN.ExposedPorts));
  expect(words('ENV')).toEqual(RUN.Env);
  expect(words('ENTRYPOINT').map((text): unknown => JSON.parse(text))).toEqual([RUN.Entrypoint]);
});

test('the files that the Dockerfile takes are let in by .dockerignore, and suffice to start what puts the image together', async () => {
  const [everything, ...letIn] = read('.dockerignore').trim().split('\n');
  expect(everything).toBe('*');
  expect(letIn.map((line) => line.replace(/^!/, '')).sort()).toEqual(
    copied.map((path) => path.replace('./', '')).sort(),
  );

  const folder = await temporaryFolder();
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Without its arguments it ends at once, with all that it imports there; test/packaging runs it.
  const { status, stderr } = spawnSync(process.execPath, ['test/release/image/make-root.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('"" is not understood: make-root.ts amd64|arm64 FOLDER\n');
  expect(status).toBe(2);
});
