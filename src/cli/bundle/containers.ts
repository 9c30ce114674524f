import type { KubeObject } from '../../kube/resource.ts';

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string };
    readonly secretKeyRef?: { readonly name: string };
  };
}

/** A container, as far as it is used. */
export interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** A Deployment, as far as it is used. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template: { readonly metadata?: KubeObject['metadata']; readonly spec: PodSpec };
  };
}

/** Names of what its variables are taken from. */
export function sourcesOf({ env = [] }: Container): {
  readonly configMaps: string[];
  readonly secrets: string[];
} {
  const unique = (names: readonly (string | undefined)[]): string[] =>
    [...new Set(names)].filter((name) => name !== undefined);
  return {
    configMaps: unique(env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name)),
    secrets: unique(env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)),
  };
}
