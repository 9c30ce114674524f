import { plainLine } from '../../api/reply/text.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Kubectl, KubectlError } from '../cluster/kubectl.ts';
import { failureOf } from '../cluster/kubectl-failure.ts';
import type { Manifest, Problem } from '../manifests/manifests.ts';
import { UserError } from '../user-error.ts';

/** What the API server would store, or why it would not. */
export type DryRun =
  | { readonly object: KubeObject }
  | { readonly problem: Problem }
  /** Its namespace is not there yet, so nothing of the object can be either. */
  | { readonly isUnborn: true };

export interface DryRunOptions {
  readonly kubectl: Kubectl;
  readonly serverSide: boolean;
  readonly forceConflicts: boolean;
  /** Told how many are done. */
  readonly onProgress: (done: number) => void;
}

/** kubectl gets so many at once; each costs it two requests. */
const AT_ONCE = 100;

/**
 * `kubectl apply --dry-run=server`: defaults, other appliers' fields, admission policies and
 * immutable fields as they really are. Throws UserError where that cannot be asked at all.
 */
export async function dryRun(
  manifests: readonly Manifest[],
  options: DryRunOptions,
): Promise<ReadonlyMap<Manifest, DryRun>> {
  const results = new Map<Manifest, DryRun>();
  for (let at = 0; at < manifests.length; at += AT_ONCE) {
    await applySome(manifests.slice(at, at + AT_ONCE), options, results);
    options.onProgress(results.size);
  }
  return results;
}

/** kubectl prints nothing at all where one of many is refused: who it was is found by halves. */
async function applySome(
  manifests: readonly Manifest[],
  options: DryRunOptions,
  results: Map<Manifest, DryRun>,
): Promise<void> {
  const [only, ...more] = manifests;
  if (!only) return;
  const ran = await apply(manifests, options);
  if (ran.code === 0) {
    const stored = objectsIn(ran.stdout);
    for (const manifest of manifests) results.set(manifest, storedFor(manifest, stored));
    return;
  }
  const unborn = namespacesNotThere(ran.stderr);
  const rest = manifests.filter(({ namespace }) => !unborn.has(namespace));
  if (rest.length < manifests.length) {
    for (const manifest of manifests)
      if (unborn.has(manifest.namespace)) results.set(manifest, { isUnborn: true });
    await applySome(rest, options, results);
    return;
  }
  if (more.length === 0) {
    results.set(only, refusalOf(only, ran.stderr));
    return;
  }
  const half = Math.ceil(manifests.length / 2);
  await applySome(manifests.slice(0, half), options, results);
  await applySome(manifests.slice(half), options, results);
}

function apply(
  manifests: readonly Manifest[],
  { kubectl, serverSide, forceConflicts }: DryRunOptions,
) {
  const items = manifests.map(({ value, namespace }) => ({
    ...value,
    metadata: { ...(value.metadata as object), namespace },
  }));
  const how = [
    ...(serverSide ? ['--server-side'] : []),
    ...(forceConflicts ? ['--force-conflicts'] : []),
  ];
  return kubectl.run(
    ['apply', '--dry-run=server', ...how, '-o', 'json', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
}

function objectsIn(stdout: string): readonly KubeObject[] {
  const printed = JSON.parse(stdout) as KubeObject & { readonly items?: readonly KubeObject[] };
  return printed.items ?? [printed];
}

function storedFor(
  { definition, namespace, name }: Manifest,
  stored: readonly KubeObject[],
): DryRun {
  const object = stored.find(
    ({ kind, metadata }) =>
      kind === definition.type.kind && metadata.namespace === namespace && metadata.name === name,
  );
  if (!object)
    throw new UserError(
      `kubectl apply --dry-run=server printed nothing for ${definition.shortName}/${name} in namespace ${namespace}; try again with --dry-run=none`,
    );
  return { object };
}

/** As the API server refuses what is to be made in a namespace that there is not. */
function namespacesNotThere(stderr: string): ReadonlySet<string> {
  const found = stderr.matchAll(/\(NotFound\): [^:]*: namespaces "([^"]+)" not found/g);
  return new Set([...found].map(([, name = '']) => name));
}

const LONGEST = 600;

function refusalOf(manifest: Manifest, stderr: string): DryRun {
  const failure = failureOf(stderr, ['apply', '--dry-run=server']);
  if (failure.reason === 'NoSuchKind')
    throw new UserError(
      `the cluster does not know the kind ${manifest.definition.type.kind}: its CRD is not installed. What to do: kubectl pipewright doctor; or plan by the schemas alone with --offline`,
    );
  if (
    failure.reason === 'Forbidden' &&
    / is forbidden: User "[^"]*" cannot \w+ resource /.test(stderr)
  )
    throw new UserError(
      `${failure.message}. Without it the plan can go by reading alone, with --dry-run=none`,
    );
  if (failure.reason === 'Unreachable' || failure.reason === 'Unauthorized')
    throw new KubectlError(failure);
  const said = plainLine(stderr.replace(/^Error from server[^:]*: /, ''), LONGEST, (text) => text);
  return {
    problem: { place: placeIn(manifest, said), message: `the API server refuses it: ${said}` },
  };
}

/** Of the field that the refusal names first. */
function placeIn(manifest: Manifest, said: string): Problem['place'] {
  const [field] = /\bspec(?:\.\w+|\[\d+\])*/.exec(said) ?? [];
  if (field === undefined) return manifest.place;
  const path = field.split(/[.[\]]+/).filter((step) => step !== '');
  return manifest.placeOf(path.map((step) => (/^\d+$/.test(step) ? Number(step) : step)));
}
