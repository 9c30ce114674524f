import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { type Say, step } from './progress.ts';

const modules = join(import.meta.dirname, 'go');

export interface Recipe {
  readonly program: string;
  /** The folder, as seen from `go/`, whose go.mod names the exact version. */
  readonly folder: string;
  /** The Go module that the program is part of. */
  readonly module: string;
  readonly package: string;
  /** Build tags, with which a part that nothing here uses is left out. */
  readonly tags?: string;
}

const kubernetes = { folder: 'kubernetes', module: 'k8s.io/kubernetes' };

/** What a control plane is made of, in the order in which it is built. */
export const controlPlaneRecipes: readonly Recipe[] = [
  {
    program: 'etcd',
    folder: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    package: 'go.etcd.io/etcd/server/v3',
  },
  { program: 'kube-apiserver', ...kubernetes, package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { program: 'kubectl', ...kubernetes, package: 'k8s.io/kubernetes/cmd/kubectl' },
];

/** What a build gives, as the go.mod files say, under Go's names for this platform. */
export function builtVersions() {
  return {
    etcd: { version: versionIn('etcd', 'go.etcd.io/etcd/server/v3') },
    kubernetes: { version: versionIn(kubernetes.folder, kubernetes.module) },
    platform: { os: process.platform, arch: process.arch === 'x64' ? 'amd64' : process.arch },
  };
}

/** The version that a recipe builds. */
export function versionOf({ folder, module }: Recipe): string {
  return versionIn(folder, module);
}

export interface BuildOptions {
  readonly recipes: readonly Recipe[];
  /** Where the programs are put; each appears there whole or not at all. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  /** The error for a machine without Go. */
  readonly withoutGo: string;
}

/**
 * Builds what `folder` does not have yet. Two processes may ask at once: one builds, the other
 * waits. Throws when there is no Go, or with the end of Go's output.
 */
export async function buildFromGoModules({
  recipes,
  folder,
  env,
  say,
  withoutGo,
}: BuildOptions): Promise<void> {
  await checkGo(env, withoutGo);
  await mkdir(folder, { recursive: true });
  await withLock({ path: join(folder, '.lock'), say }, async () => {
    await removeUnfinished(folder);
    // Here, and not in the machine's temporary folder, where a killed Go would leave it for ever.
    const scratch = join(folder, `go${unfinishedSuffix}`);
    await mkdir(scratch);
    try {
      for (const recipe of recipes)
        await build(recipe, { folder, env: { ...env, GOTMPDIR: scratch }, say });
    } finally {
      await removeUnfinished(folder);
    }
  });
}

async function build(
  recipe: Recipe,
  { folder, env, say }: Pick<BuildOptions, 'folder' | 'env' | 'say'>,
) {
  const target = join(folder, recipe.program);
  if (await exists(target)) return;
  const version = versionOf(recipe);
  const unfinished = `${target}${unfinishedSuffix}`;
  const args = [
    'build',
    '-trimpath',
    ...(recipe.tags === undefined ? [] : ['-tags', recipe.tags]),
    '-ldflags',
    linkerFlags(recipe, version),
    '-o',
    unfinished,
    recipe.package,
  ];
  await step(say, `Building ${recipe.program} ${version}`, () => go(args, recipe.folder, env));
  await rename(unfinished, target);
}

const unfinishedSuffix = '.unfinished';

async function removeUnfinished(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.endsWith(unfinishedSuffix));
  await Promise.all(
    left.map((name) => rm(join(folder, name), { recursive: true, maxRetries: 10 })),
  );
}

/** Without these a Kubernetes built from its module calls itself v0.0.0, which clients refuse. */
function linkerFlags(recipe: Recipe, version: string): string {
  if (recipe.module !== kubernetes.module) return '-s -w';
  const [major, minor] = version.slice(1).split('.');
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const set = Object.entries(values).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  return ['-s -w', ...set].join(' ');
}

async function checkGo(env: NodeJS.ProcessEnv, withoutGo: string): Promise<void> {
  try {
    await go(['version'], 'etcd', env);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new Error(withoutGo, { cause: error });
  }
}

const endings = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
/** Behind the tests that run meanwhile, whose time-outs know nothing of it. */
const PRIORITY = 10;

function go(args: readonly string[], folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    // The build then fails, which ends whatever waits for it here. It is listened for before Go
    // runs: a signal that came in between would end this process and leave the lock and the build
    // behind.
    const interrupt = () => child.kill('SIGINT');
    for (const event of endings) process.on(event, interrupt);
    const child = spawn('go', args, {
      cwd: join(modules, folder),
      env: { ...env, CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const event of endings) process.off(event, interrupt);
      if (code === 0) resolve();
      else if (signal)
        reject(new Error(`Building stopped by ${signal}; the next start takes it up again`));
      else reject(new Error(goFailed(args, code, output)));
    });
  });
}

function goFailed(args: readonly string[], code: number | null, output: string): string {
  return `"go ${args.join(' ')}" ended with code ${code}. It takes Go 1.26 or newer and a way to the Go module proxy. The end of its output:\n${output}`;
}

function versionIn(folder: string, module: string): string {
  const text = readFileSync(join(modules, folder, 'go.mod'), 'utf8');
  const line = text.split('\n').find((line) =>
    line
      .trim()
      .replace(/^require /, '')
      .startsWith(`${module} v`),
  );
  const version = line?.match(/ (v\d+\.\d+\.\d+)/)?.[1];
  if (!version)
    throw new Error(`${join(modules, folder, 'go.mod')} has no line "${module} v<version>"`);
  return version;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
