import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../api/reply/json.ts';
import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { customResourceDefinition } from '../../kinds/schema/manifest.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { isForbidden, type Kubectl } from '../cluster/kubectl.ts';
import type { Shell } from '../shell.ts';
import { type Release, releaseOf } from './deployment.ts';
import { HELM_COMMAND, upgrade } from './installation.ts';
import { attempt, type Report } from './report.ts';
import { grouped, listed, quoted } from './words.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface CrdReading {
  readonly name: string;
  readonly definition: Definition;
  /** Undefined: there is none. */
  readonly found: KubeObject | undefined;
}

/** The CRDs of the cluster; undefined where the user may not read them, which is put down. */
export async function readCrds(
  kubectl: Kubectl,
  report: Report,
): Promise<readonly CrdReading[] | undefined> {
  const read = await attempt(() =>
    Promise.all(
      definitions.map(async (definition): Promise<CrdReading> => {
        const name = `${definition.type.plural}.${definition.type.group}`;
        return { name, definition, found: await kubectl.find<KubeObject>(`${CRDS}/${name}`) };
      }),
    ),
  );
  if ('value' in read) return read.value;
  // The first call of all: what else it fails for, every other would fail for too.
  const { refusal } = read;
  if (!isForbidden(refusal)) throw refusal;
  report.cannot('crds', `The CRDs could not be read: ${refusal.message}`);
  return undefined;
}

/** The release that the CRDs came with, whether or not it is still there. */
export function releaseOfCrds(crds: readonly CrdReading[]): Release | undefined {
  return crds.flatMap(({ found }) => (found && releaseOf(found)) ?? [])[0];
}

/**
 * Puts down what is missing or another. With a newer operator those of this plugin may be the old
 * ones, and applying them would take fields away.
 */
export function judgeCrds(
  crds: readonly CrdReading[],
  options: { readonly report: Report; readonly shell: Shell; readonly newerOperator?: string },
): void {
  const { report, shell, newerOperator } = options;
  const apply = shell.applied(shell.plugin('crds'));
  const missing = crds.filter(({ found }) => !found).map(({ name }) => name);
  if (missing.length > 0) {
    const isOne = missing.length === 1;
    report.find({
      check: 'crds',
      object: listed(missing.map((name) => `crd/${name}`)),
      says: `The cluster does not know the ${isOne ? 'kind' : 'kinds'} of ${listed(missing)}: ${isOne ? 'this CRD is' : 'these CRDs are'} not installed. If a release of Helm is to have ${isOne ? 'it' : 'them'} later, upgrade it with --take-ownership, and with Helm 4 with --force-conflicts too.`,
      command: apply,
    });
  }
  const others = crds.flatMap(({ name, definition, found }) => {
    if (!found) return [];
    const at = differenceOf(definition, found);
    return at === undefined ? [] : [{ name, at, release: releaseOf(found) }];
  });
  for (const same of grouped(others, ({ release }) => JSON.stringify(release ?? null))) {
    const release = same[0]?.release;
    const where = listed(same.map(({ name, at }) => `${name}, first at ${at}`));
    const says = `The cluster has a CRD of another version than this plugin: ${where}.`;
    const [more, command] =
      newerOperator === undefined
        ? mended(release, { apply, shell })
        : [
            `The operator is newer too: install kubectl-pipewright ${quoted(newerOperator)}, and do not apply the CRDs of this one.`,
          ];
    report.find({
      check: 'crds',
      object: listed(same.map(({ name }) => `crd/${name}`)),
      says: `${says} ${more}`,
      ...(command !== undefined && { command }),
    });
  }
  report.made('crds');
}

/** Fields that kubectl has taken from Helm would make its next upgrade fail. */
function mended(
  release: Release | undefined,
  { apply, shell }: { readonly apply: string; readonly shell: Shell },
): readonly [says: string, command: string] {
  const dropped = 'Fields that it does not know are dropped.';
  if (!release) return [dropped, apply];
  return [
    `${dropped} It belongs to a release of Helm. ${HELM_COMMAND}`,
    upgrade(release, [], shell),
  ];
}

interface Crd {
  readonly spec?: {
    readonly names?: unknown;
    readonly scope?: unknown;
    readonly versions?: readonly { readonly name?: string }[];
  };
}

/** Where the CRD of the cluster is another than ours, in words; undefined: nowhere. */
export function differenceOf(definition: Definition, crd: object): string | undefined {
  const { spec: wanted } = customResourceDefinition(definition);
  const { spec: found = {} } = crd as Crd;
  const [ours] = wanted.versions;
  const version = found.versions?.find(({ name }) => name === ours?.name);
  if (!version) return `version ${definition.type.version}, which it lacks`;
  return (
    differs(wanted.names, found.names, 'names') ??
    differs(wanted.scope, found.scope, 'scope') ??
    differs(ours, version, definition.type.version)
  );
}

/** Steps that say where in a CRD something is, and nothing of what a user knows of the object. */
const WRAPPING = new Set(['schema', 'openAPIV3Schema', 'properties']);

function differs(wanted: unknown, found: unknown, at: string): string | undefined {
  if (isDeepStrictEqual(wanted, found)) return undefined;
  if (!isObject(wanted) || !isObject(found)) return at;
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
    const inner = WRAPPING.has(key) ? at : `${at}.${key}`;
    const place = differs(wanted[key], found[key], inner);
    if (place !== undefined) return place;
  }
  return undefined;
}
