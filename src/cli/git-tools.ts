/** The marks that each tool leaves on what it applies. */
export const GIT_TOOLS = {
  'Argo CD': ['argocd.argoproj.io/instance', 'argocd.argoproj.io/tracking-id'],
  Flux: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
} as const;
