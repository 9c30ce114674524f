import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder } from '../controlplane/binaries.ts';
import { versionOf } from '../controlplane/go-build.ts';
import { succeed } from './run.ts';

interface Source {
  readonly module: string;
  readonly version: string;
  /** Of the whole module, as Go computes it. */
  readonly sum: string;
  readonly files: readonly string[];
}

const FLUX = 'config/crd/bases';
const ESO = 'config/crds/bases/external-secrets.io';

const ARGO_CD: Source = {
  module: 'github.com/argoproj/argo-cd/v3',
  // The one that the suite of Argo CD runs.
  version: versionOf({
    program: 'argocd',
    folder: 'argocd',
    module: 'github.com/argoproj/argo-cd/v3',
    package: '',
  }),
  sum: 'h1:Xm1BF+I5OgDKUG3SDK49vn2/Y5AMyaNVko+/JT08gj0=',
  files: ['application', 'applicationset', 'appproject'].map(
    (name) => `manifests/crds/${name}-crd.yaml`,
  ),
};

/** Where the CRDs of programs come from that our guides name: each has them in its Go module. */
const SOURCES: readonly Source[] = [
  ARGO_CD,
  {
    module: 'github.com/fluxcd/kustomize-controller',
    version: 'v1.7.3',
    sum: 'h1:SzNnGn/4ObAPEHHleM5U7y/AKxKXph3Vj6ZhteeXw8M=',
    files: [`${FLUX}/kustomize.toolkit.fluxcd.io_kustomizations.yaml`],
  },
  {
    module: 'github.com/fluxcd/source-controller',
    version: 'v1.7.3',
    sum: 'h1:gFfeBiNUgF0kFFGap/rrMeJqz+0Tod0ARENJO8w/UA8=',
    files: ['gitrepositories', 'ocirepositories'].map(
      (name) => `${FLUX}/source.toolkit.fluxcd.io_${name}.yaml`,
    ),
  },
  {
    module: 'github.com/fluxcd/helm-controller',
    version: 'v1.4.0',
    sum: 'h1:rkm8rmB6Na7eNc4pJOnvtXEaJ19iKluRtayHKjBxcUM=',
    files: [`${FLUX}/helm.toolkit.fluxcd.io_helmreleases.yaml`],
  },
  {
    module: 'github.com/external-secrets/external-secrets',
    version: 'v1.3.2',
    sum: 'h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=',
    files: ['externalsecrets', 'clusterexternalsecrets'].map((name) => `${ESO}_${name}.yaml`),
  },
  {
    module: 'github.com/bitnami-labs/sealed-secrets',
    version: 'v0.40.0',
    sum: 'h1:rvCP35JL8ZV5LNA2SrwNR6iLyoM3ulrSFWN0lBtYEYI=',
    files: ['helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml'],
  },
];

/** Paths of these CRDs: from the cache, else from Go's module proxy, for which Go has to be there. */
export async function foreignCrds(): Promise<string[]> {
  return (await Promise.all(SOURCES.map(filesOf))).flat();
}

/** Those of Argo CD alone. */
export async function argoCdCrds(): Promise<string[]> {
  return filesOf(ARGO_CD);
}

async function filesOf({ module, version, sum, files }: Source): Promise<string[]> {
  const cache = join(cacheFolder(process.env), 'crds');
  const folder = join(cache, `${module.replaceAll('/', '-')}-${version}`);
  const paths = files.map((file) => join(folder, basename(file)));
  if (paths.every((path) => existsSync(path))) return paths;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, 'unfinished-'));
  try {
    // Outside of any module: its requirements are of no interest here.
    const downloaded = await succeed('go', ['mod', 'download', '-json', `${module}@${version}`], {
      cwd: unfinished,
      env: { GOWORK: 'off', GOFLAGS: '' },
    });
    const { Dir, Sum } = JSON.parse(downloaded) as { readonly Dir: string; readonly Sum: string };
    if (Sum !== sum) throw new Error(`${module} ${version} is ${Sum}, and not ${sum}`);
    for (const file of files) await cp(join(Dir, file), join(unfinished, basename(file)));
    // Another process may have been quicker.
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return paths;
}
