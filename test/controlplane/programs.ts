import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './binaries.ts';
import { buildFromGoModules, builtVersions, type Recipe, versionOf } from './go-build.ts';
import { progressLines, type Say } from './progress.ts';

/** Programs that some tests, or the measurements, run beside the control plane. */
const recipes = {
  helm: { folder: 'helm', module: 'helm.sh/helm/v4', package: 'helm.sh/helm/v4/cmd/helm' },
  helm3: { folder: 'helm3', module: 'helm.sh/helm/v3', package: 'helm.sh/helm/v3/cmd/helm' },
  kustomize: {
    folder: 'kustomize',
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    package: 'sigs.k8s.io/kustomize/kustomize/v5',
  },
  'kube-score': {
    folder: 'kube-score',
    module: 'github.com/zegl/kube-score',
    package: 'github.com/zegl/kube-score/cmd/kube-score',
  },
  'kube-controller-manager': {
    folder: 'kubernetes',
    module: 'k8s.io/kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  /** Ours: reads the objects of the Prometheus operator into its types. */
  monitors: {
    folder: 'monitors',
    module: 'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring',
    package: '.',
  },
  promtool: {
    folder: 'promtool',
    module: 'github.com/prometheus/prometheus',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    // The clouds in which Prometheus could look for targets are most of it, and no rule needs one.
    tags: 'remove_all_sd',
  },
  /** Ours: what the library says that Flux and kpt go by. */
  kstatus: { folder: 'kstatus', module: 'github.com/fluxcd/cli-utils', package: '.' },
  /** All of Argo CD: which part it is depends on ARGOCD_BINARY_NAME. */
  argocd: {
    folder: 'argocd',
    module: 'github.com/argoproj/argo-cd/v3',
    package: 'github.com/argoproj/argo-cd/v3/cmd',
  },
  /** Ours: a Redis in memory, for Argo CD. */
  redis: { folder: 'redis', module: 'github.com/alicebob/miniredis/v2', package: '.' },
  /** Judges what GitHub runs. */
  actionlint: {
    folder: 'actionlint',
    module: 'github.com/rhysd/actionlint',
    package: 'github.com/rhysd/actionlint/cmd/actionlint',
  },
  /** Ours: the operator that `npm run bench` compares with. */
  'go-peer': {
    folder: '../../bench/go-peer',
    module: 'sigs.k8s.io/controller-runtime',
    package: '.',
  },
} as const satisfies Readonly<Record<string, Omit<Recipe, 'program'>>>;

export type ProgramName = keyof typeof recipes;

/** What the tests of chart, manifests and monitoring run. */
export const FOR_PACKAGING: readonly ProgramName[] = [
  'helm',
  'helm3',
  'kustomize',
  'kube-score',
  'kube-controller-manager',
  'monitors',
  'promtool',
  'kstatus',
  'argocd',
  'actionlint',
];

/**
 * The path of a program in exactly the version of its go.mod: from the cache, else built, which
 * takes up to two minutes.
 */
export async function findProgram(
  program: ProgramName,
  {
    say = progressLines(),
    env = process.env,
  }: { readonly say?: Say; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { recipe, version, folder, path } = placeOf(program, env);
  if (existsSync(path)) return path;
  const withoutGo = `There is no ${program} ${version} in ${folder}, and no "go" on the PATH to build it. Install Go 1.26 or newer and put it on the PATH.`;
  await buildFromGoModules({ recipes: [recipe], folder, env, say, withoutGo });
  return path;
}

/** Where a program is once it is built. */
function placeOf(program: ProgramName, env: NodeJS.ProcessEnv) {
  const recipe: Recipe = { program, ...recipes[program] };
  const version =
    recipe.package === '.'
      ? `${versionOf(recipe)}-${sourceHash(recipe.folder)}`
      : versionOf(recipe);
  const { os, arch } = builtVersions().platform;
  const folder = join(cacheFolder(env), 'programs', `${program}-${version}-${os}-${arch}`);
  return { recipe, version, folder, path: join(folder, program) };
}

function sourceHash(program: string): string {
  const folder = join(import.meta.dirname, 'go', program);
  const sources = readdirSync(folder).filter((name) => name === 'go.mod' || name.endsWith('.go'));
  const hash = createHash('sha256');
  for (const name of sources.toSorted()) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 8);
}
