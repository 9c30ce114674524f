import type { KubeObject } from '../../kube/resource.ts';
import { complaintOf, type Kubectl, KubectlError } from '../kubectl.ts';
import type { Manifest, Problem } from './manifests.ts';

/** What the API server would store, or why it would not. */
export type DryRun =
  | { readonly object: KubeObject }
  | { readonly problem: Problem }
  /** Its namespace is not there yet, so nothing of the object can be either. */
  | { readonly namespaceIsMissing: true };

/**
 * `kubectl apply --dry-run=server` of all at once: defaults, admission policies and immutable
 * fields as they really are, and the live status. Throws KubectlError where it cannot be asked.
 */
export async function dryRun(
  manifests: readonly Manifest[],
  kubectl: Kubectl,
  namespace: string | undefined,
): Promise<ReadonlyMap<Manifest, DryRun>> {
  const results = new Map<Manifest, DryRun>();
  const where = namespace === undefined ? [] : ['-n', namespace];
  const args = ['apply', '--dry-run=server', '-o', 'json', ...where, '-f', '-'];
  // kubectl prints nothing at all where one of many is refused: who it was is found by halves.
  const applyOrBisect = async (some: readonly Manifest[]): Promise<void> => {
    const [only, ...more] = some;
    if (!only) return;
    const items = some.map(({ value }) => value);
    const ran = await kubectl.run(args, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    if (ran.code === 0) {
      const stored = objectsIn(ran.stdout);
      // kubectl prints them in the order in which it was given them.
      for (const [at, manifest] of some.entries()) results.set(manifest, storedAt(stored, at));
      return;
    }
    const said = complaintOf(ran, args);
    if (!ABOUT_AN_OBJECT.test(said)) throw new KubectlError(said);
    if (more.length === 0) return void results.set(only, refusalOf(only, said));
    const half = Math.ceil(some.length / 2);
    await applyOrBisect(some.slice(0, half));
    await applyOrBisect(some.slice(half));
  };
  await applyOrBisect(manifests);
  return results;
}

function objectsIn(stdout: string): readonly KubeObject[] {
  const printed = JSON.parse(stdout) as KubeObject & { readonly items?: readonly KubeObject[] };
  return printed.items ?? [printed];
}

function storedAt(stored: readonly KubeObject[], at: number): DryRun {
  const object = stored[at];
  if (!object) throw new Error('kubectl apply --dry-run=server printed less than it was given');
  return { object };
}

/** Else it is about the cluster, or the user. */
const ABOUT_AN_OBJECT =
  /The \w+ ".*" is invalid|Error from server \((Invalid|BadRequest|NotFound|Conflict)\)|The request is invalid|denied (the )?request|error validating data: (\[|ValidationError|unknown)|exceeded quota/;

function refusalOf(manifest: Manifest, said: string): DryRun {
  if (/namespaces "[^"]+" not found/.test(said)) return { namespaceIsMissing: true };
  const [field] = /\bspec(?:\.\w+|\[\d+\])*/.exec(said) ?? [];
  const steps = field?.split(/[.[\]]+/).filter((step) => step !== '') ?? [];
  const place = manifest.placeOf(steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)));
  return {
    problem: { ...place, message: `the API server refuses it: ${said.replace(/: "\{.*\}"/, '')}` },
  };
}
