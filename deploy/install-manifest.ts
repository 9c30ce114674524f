import { readdir, readFile } from 'node:fs/promises';

const CRDS = new URL('../crds/', import.meta.url);
const KUSTOMIZE = new URL('kustomize/', import.meta.url);

/**
 * The text of install.yaml, which a release makes: what the overlay `cluster-wide` makes but for the
 * ConfigMap with the flags.
 */
export async function installManifest(): Promise<string> {
  const [namespace = '', ...rest] = await Promise.all(
    [
      'base/namespace.yaml',
      'user-roles/user-roles.yaml',
      'base/rbac.yaml',
      'base/deployment.yaml',
      'base/networkpolicy.yaml',
    ].map((path) => readFile(new URL(path, KUSTOMIZE), 'utf8')),
  );
  const crds = (await readCrds()).map(({ text }) => text);
  return [namespace, ...crds, ...rest].join('---\n');
}

/** The CRDs that `crds/generate.ts` has written. */
export async function readCrds(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(CRDS)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(new URL(name, CRDS), 'utf8') })),
  );
}
