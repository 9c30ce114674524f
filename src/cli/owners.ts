interface Owner {
  readonly name: string;
  /** By which the tool knows its objects again. */
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/** The marks that each tool leaves on what it applies. */
export const OWNERS: readonly Owner[] = [
  {
    name: 'Argo CD',
    labels: ['argocd.argoproj.io/instance'],
    annotations: ['argocd.argoproj.io/tracking-id'],
  },
  {
    name: 'Flux',
    labels: [
      'kustomize.toolkit.fluxcd.io/name',
      'kustomize.toolkit.fluxcd.io/namespace',
      'helm.toolkit.fluxcd.io/name',
      'helm.toolkit.fluxcd.io/namespace',
    ],
    annotations: [],
  },
  {
    name: 'Helm',
    labels: [],
    annotations: ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'],
  },
];
