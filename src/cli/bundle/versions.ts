import { definitions } from '../../kinds/definitions.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Missing } from './missing.ts';
import type { Part } from './part.ts';

interface Version {
  readonly gitVersion: string;
  readonly platform: string;
}

interface Crd {
  readonly metadata: {
    readonly generation: number;
    readonly creationTimestamp: string;
    readonly labels?: object;
  };
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
    }[];
  };
  readonly status?: { readonly storedVersions?: readonly string[]; readonly conditions?: object };
}

/** Throws UserError where the API server does not answer. */
export async function serverVersion(kubectl: Kubectl): Promise<string> {
  return shown(await kubectl.get<Version>('/version'));
}

export async function kubectlVersion(kubectl: Kubectl): Promise<string> {
  const said = await kubectl.succeed(['version', '--client', '--output=json']);
  return shown((JSON.parse(said) as { readonly clientVersion: Version }).clientVersion);
}

function shown({ gitVersion, platform }: Version): string {
  return `${gitVersion} ${platform}`;
}

/** Which versions of the three kinds the API server serves and stores. */
export async function crdPart(kubectl: Kubectl, missing: Missing): Promise<Part[]> {
  const found = await Promise.all(
    definitions.map(async ({ type }) => {
      const name = `${type.plural}.${type.group}`;
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
      const crd = await missing.unless(`the CRD ${name}`, () => kubectl.get<Crd>(path));
      return crd ? [{ name, ...kept(crd) }] : [];
    }),
  );
  const crds = found.flat();
  return crds.length === 0 ? [] : [{ path: 'crds.yaml', content: crds }];
}

function kept({ metadata, spec, status }: Crd): object {
  const { generation, creationTimestamp, labels } = metadata;
  return {
    generation,
    creationTimestamp,
    ...(labels && { labels }),
    versions: spec.versions.map(({ name, served, storage }) => ({ name, served, storage })),
    ...(status?.storedVersions && { storedVersions: status.storedVersions }),
    ...(status?.conditions && { conditions: status.conditions }),
  };
}
