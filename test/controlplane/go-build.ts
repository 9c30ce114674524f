import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { type Say, step } from './progress.ts';

const MODULES = join(import.meta.dirname, 'go');
const KUBERNETES = 'k8s.io/kubernetes';
const NO_GO = 'Install Go 1.26 or newer and put it on the PATH';
/** Behind the tests that run meanwhile, whose time-outs know nothing of it. */
const PRIORITY = 10;
const ENDINGS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
/** No inlining, nothing for debuggers: a third less of what a new machine waits for. */
const QUICK = ['-gcflags', 'all=-l -dwarf=false'];
/** A compiler lives for a second: it frees nothing while it is small. */
const MEMORY = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

/** How a program is built from the Go module that it is part of. */
export interface Recipe {
  /** As seen from `go/`; its go.mod names the exact version. */
  readonly folder: string;
  readonly module: string;
  /** Absent: the module itself; `.`: a program of ours. */
  readonly package?: string;
  /** Build tags, with which a part that nothing here uses is left out. */
  readonly tags?: string;
  /** Built as people build it, as a measurement compares with it. */
  readonly isCompared?: true;
}

/** The version that a recipe builds. */
export function versionOf({ folder, module }: Recipe): string {
  const file = join(MODULES, folder, 'go.mod');
  const [, version] =
    new RegExp(`^(?:require |\t)${module} (v\\d+\\.\\d+\\.\\d+)`, 'm').exec(
      readFileSync(file, 'utf8'),
    ) ?? [];
  if (version === undefined) throw new Error(`${file} has no line "${module} v<version>"`);
  return version;
}

/** Builds a program, which appears at `target` whole or not at all. */
export async function buildWithGo(recipe: Recipe, target: string, say: Say): Promise<void> {
  const version = versionOf(recipe);
  const { module, package: built = module, tags = '', isCompared } = recipe;
  await mkdir(dirname(target), { recursive: true });
  // Here, as what Go needs does not fit into every machine's temporary folder.
  const scratch = await mkdtemp(`${target}.unfinished-`);
  try {
    const unfinished = join(scratch, 'built');
    const flags = [
      '-trimpath',
      '-buildvcs=false',
      ...(isCompared ? [] : QUICK),
      '-tags',
      tags,
      '-ldflags',
      linkerFlags(module, version),
    ];
    const args = ['build', ...flags, '-o', unfinished, built];
    await step(say, `Building ${target} (${version})`, () => go(args, recipe.folder, scratch));
    await rename(unfinished, target);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Without these a Kubernetes built from its module calls itself v0.0.0, which clients refuse. */
function linkerFlags(module: string, version: string): string {
  if (module !== KUBERNETES) return '-s -w';
  const [major, minor] = version.slice(1).split('.');
  const set = [`gitVersion=${version}`, `gitMajor=${major}`, `gitMinor=${minor}`];
  return ['-s -w', ...set.map((one) => `-X k8s.io/component-base/version.${one}`)].join(' ');
}

function go(args: readonly string[], folder: string, scratch: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: join(MODULES, folder),
      env: { ...process.env, ...MEMORY, CGO_ENABLED: '0', GOWORK: 'off', GOTMPDIR: scratch },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The build then fails, which ends whatever waits for it here.
    const interrupt = () => child.kill('SIGINT');
    for (const event of ENDINGS) process.on(event, interrupt);
    if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
    child.once('error', (cause) =>
      reject(new Error(`Cannot run "go": ${cause.message}. ${NO_GO}`, { cause })),
    );
    child.once('close', (code) => {
      for (const event of ENDINGS) process.off(event, interrupt);
      const why = `"go ${args.join(' ')}" ended with code ${code}. It takes Go 1.26 or newer and a way to the Go module proxy`;
      if (code === 0) resolve();
      else reject(new Error(`${why}. The end of its output:\n${output}`));
    });
  });
}
