import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './binaries.ts';
import { buildFromGoModules, builtVersions, type Recipe, versionOf } from './go-build.ts';
import { progressLines, type Say } from './progress.ts';

/** Programs that some tests run beside the control plane. */
const recipes = {
  helm: { folder: 'helm', module: 'helm.sh/helm/v4', package: 'helm.sh/helm/v4/cmd/helm' },
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
  /**
   * Of the oldest Kubernetes that the operator works with; etcd and kubectl are those of the
   * newest.
   */
  'kube-apiserver-floor': {
    folder: 'kubernetes-floor',
    module: 'k8s.io/kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
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
} as const satisfies Readonly<Record<string, Omit<Recipe, 'program'>>>;

export type ProgramName = keyof typeof recipes;
/**
 * Built only by the suites that need them, of which `npm test` runs none: a real Argo CD, and the
 * oldest Kubernetes.
 */
const FOR_OTHER_SUITES: readonly string[] = ['argocd', 'redis', 'kube-apiserver-floor'];

/** All that `npm test` runs, in the order in which they are best built. */
export const programNames = (Object.keys(recipes) as ProgramName[]).filter(
  (name) => !FOR_OTHER_SUITES.includes(name),
);

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
  const recipe: Recipe = { program, ...recipes[program] };
  const version =
    recipe.package === '.'
      ? `${versionOf(recipe)}-${sourceHash(recipe.folder)}`
      : versionOf(recipe);
  const { os, arch } = builtVersions().platform;
  const folder = join(cacheFolder(env), 'programs', `${program}-${version}-${os}-${arch}`);
  const path = join(folder, program);
  if (existsSync(path)) return path;
  const withoutGo = `There is no ${program} ${version} in ${folder}, and no "go" on the PATH to build it. Install Go 1.26 or newer and put it on the PATH.`;
  await buildFromGoModules({ recipes: [recipe], folder, env, say, withoutGo });
  return path;
}

function sourceHash(folder: string): string {
  const source = readFileSync(join(import.meta.dirname, 'go', folder, 'main.go'));
  return createHash('sha256').update(source).digest('hex').slice(0, 8);
}
