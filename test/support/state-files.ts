import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { toYaml } from '../../src/cli/yaml.ts';
import type { Pset } from './scene-objects.ts';
import type { KindName } from './states.ts';

/** In the layout of Argo CD's own repository. */
const FOLDER = join(
  import.meta.dirname,
  '../../deploy/argocd/resource_customizations/pipewright.dev',
);

export const folderOf = (kind: KindName): string => join(FOLDER, kind);
export const dataFile = (kind: KindName, state: string): string =>
  join(folderOf(kind), 'testdata', `${state}.yaml`);

/** The states that are in the repository. */
export function storedStates(kind: KindName): string[] {
  const names = readdirSync(join(folderOf(kind), 'testdata'));
  return names.map((name) => name.replace(/\.yaml$/, '')).sort();
}

/** One state of deploy/argocd, as it is stored there. */
export interface StoredState {
  readonly kind: KindName;
  readonly state: string;
  readonly object: StateObject;
}

export interface StateObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

/** Every state of every kind that is in the repository. */
export function everyState(): StoredState[] {
  const kinds = readdirSync(FOLDER) as KindName[];
  return kinds.flatMap((kind) =>
    storedStates(kind).map((state) => ({
      kind,
      state,
      object: parse(readFileSync(dataFile(kind, state), 'utf8')) as StateObject,
    })),
  );
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * The object without what another run would make different: that is made equal or left out, and
 * nothing else is touched.
 */
export function withoutChance(object: Pset, namespace: string): Pset {
  const { metadata, ...rest } = object;
  const left = ['uid', 'resourceVersion', 'managedFields', 'deletionGracePeriodSeconds'];
  const kept = Object.entries(metadata).filter(([name]) => !left.includes(name));
  return evened({ ...rest, metadata: Object.fromEntries(kept) }, namespace) as Pset;
}

/** The text of its file. */
export function fileText(object: Pset): string {
  return `# As the operator left it; see test/packaging/gitops-states.test.ts. Do not edit.\n${toYaml(object)}`;
}

function evened(object: object, namespace: string): unknown {
  const ids: string[] = [];
  const numbered = (id: string): string => {
    if (!ids.includes(id)) ids.push(id);
    return `00000000-0000-4000-8000-${String(ids.indexOf(id) + 1).padStart(12, '0')}`;
  };
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]),
      );
    if (key === 'attempts' && !isCounted(object)) return 1;
    if (typeof value !== 'string') return value;
    if (key === 'secretResourceVersion') return '1';
    return value
      .replaceAll(TIME, '2026-03-01T12:00:00Z')
      .replaceAll(namespace, 'ingest')
      .replaceAll(UUID, numbered)
      .replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'0'.repeat(64)}`)
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8443');
  };
  return visit(object, '');
}

/** Elsewhere time decides how often it was tried before it was read. */
function isCounted(object: object): boolean {
  return (object as Pset).status.conditions.some(({ reason }) => reason === 'NotConfirmed');
}
