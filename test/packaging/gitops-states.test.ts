import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toYaml } from '../../src/cli/yaml.ts';
import { FAILURES } from '../../src/waits.ts';
import { kubectl } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { kstatus } from '../support/kstatus.ts';
import type { Pset } from '../support/scene-objects.ts';
import {
  dataFile,
  fileText,
  folderOf,
  storedStates,
  withoutChance,
} from '../support/state-files.ts';
import { STATES, type State } from '../support/state-table.ts';
import { KINDS, type KindName, makersOf } from '../support/states.ts';
import { invalidSpecs } from '../support/states-invalid.ts';
import {
  afterAWhile,
  atOnce,
  midway,
  type Still,
  unreachable,
  unvisited,
  withoutRights,
} from '../support/states-reached.ts';
import { succeed } from './run.ts';

/**
 * Every state that an object can be in, each brought about by the operator, and what those who read
 * it conclude. What is found is what is stored in deploy/argocd:
 * `npm run test:packaging -- test/packaging/gitops-states.test.ts -u` writes it anew.
 */
interface Found {
  readonly object: Pset;
  /** Absent: `kubectl wait` was not asked, for the API server is gone. */
  readonly wait: State['wait'] | undefined;
  /** As it is stored. */
  readonly stored: Pset;
}

const keyOf = (kind: KindName, state: string): string => `${kind} ${state}`;
const found = new Map<string, Found>();

/** The rows of one kind. */
function rowsOf(kind: KindName): (State & { readonly state: string })[] {
  return Object.entries(STATES)
    .filter(([, { kinds = KINDS }]) => kinds.includes(kind))
    .map(([state, row]) => ({ state, ...row, reason: row.called?.[kind] ?? row.reason }));
}
const ALL = KINDS.flatMap((kind) => rowsOf(kind).map((row) => ({ kind, ...row })));

beforeAll(async () => {
  const scenes = [unvisited, atOnce, afterAWhile, withoutRights, unreachable, midway];
  const [invalid, ...opened] = await Promise.all([
    invalidSpecs(),
    ...scenes.map((open) => open().then(taken)),
  ]);
  for (const object of invalid) keep(object, 'default');
  await Promise.all(opened.map((still) => still.end()));
}, 240_000);

afterAll(() => found.clear());

/** Keeps what a scene has, after `kubectl wait` has been asked about all of it. */
async function taken(still: Still): Promise<Still> {
  const { scene } = still;
  const makers = makersOf(scene);
  for (const kind of KINDS) {
    const rows = rowsOf(kind);
    const objects = await makers[kind].list();
    const wanted = objects.filter(({ metadata }) =>
      rows.some(({ state }) => state === metadata.name),
    );
    const names = wanted.map(({ metadata }) => metadata.name);
    const [ready, stalled] = await Promise.all([
      met('Ready', kind, scene.namespace, names),
      met('Stalled', kind, scene.namespace, names),
    ]);
    for (const object of wanted) {
      const { name } = object.metadata;
      const both = ready.has(name) && stalled.has(name);
      if (both) throw new Error(`${kind} ${name} is Ready and Stalled`);
      keep(
        object,
        scene.namespace,
        ready.has(name) ? 'Ready' : stalled.has(name) ? 'Stalled' : 'neither',
      );
    }
  }
  return still;
}

function keep(object: Pset, namespace: string, wait?: State['wait']): void {
  const { kind } = object as Pset & { readonly kind: KindName };
  const key = keyOf(kind, object.metadata.name);
  if (found.has(key)) throw new Error(`${key} was made twice`);
  found.set(key, { object, wait, stored: withoutChance(object, namespace) });
}

/** The objects for which `kubectl wait` ends at once. */
async function met(
  condition: string,
  kind: KindName,
  namespace: string,
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { stdout } = await kubectl([
    'wait',
    '-n',
    namespace,
    kind,
    ...names,
    `--for=condition=${condition}`,
    '--timeout=0',
  ]);
  return new Set([...stdout.matchAll(/^\S+\/(\S+) condition met$/gm)].map(([, name = '']) => name));
}

function get(kind: KindName, state: string): Found {
  const one = found.get(keyOf(kind, state));
  if (!one) throw new Error(`no ${kind} was brought to the state "${state}"`);
  return one;
}

test('the table has every reason that there is, for each kind that can have it', () => {
  const reasons = (kind: KindName) => new Set(rowsOf(kind).map(({ reason }) => reason));
  const failures = Object.keys(FAILURES);
  const only = (...names: string[]) => failures.filter((reason) => !names.includes(reason)).sort();
  const known = (kind: KindName) =>
    [...reasons(kind)].filter((reason) => failures.includes(reason)).sort();
  expect(known('Organization')).toEqual(only());
  expect(known('PipeSettings')).toEqual(only('EndpointConflict', 'RemovalBlocked'));
  expect(known('Activity')).toEqual(
    only('EndpointConflict', 'RemovalBlocked', 'TargetConflict', 'NotConfirmed', 'OutcomeUnknown'),
  );
});

test.each(ALL)('$kind, $state: the operator brings it there', ({ kind, state, reason }) => {
  const { object } = get(kind, state);
  expect(object.status.conditions.find(({ type }) => type === 'Ready')?.reason).toBe(reason);
});

test.each(ALL.filter(({ state }) => state !== 'spec-invalid'))(
  '$kind, $state: kubectl wait finds met: $wait',
  ({ kind, state, wait }) => {
    expect(get(kind, state).wait).toBe(wait);
  },
);

test('the library that Flux goes by agrees with the table, and our rewriting of its rules with it', async () => {
  const objects = ALL.map(({ kind, state }) => get(kind, state).object);
  const printed = await succeed(await findProgram('kstatus'), [], {
    stdin: objects.map((one) => JSON.stringify(one)).join('\n'),
  });
  const verdicts = printed
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { status: string }).status);
  const named = (list: readonly string[]) =>
    ALL.map(({ kind, state }, index) => `${kind} ${state}: ${list[index]}`);
  expect(named(verdicts)).toEqual(named(ALL.map((row) => row.kstatus)));
  expect(named(objects.map(kstatus))).toEqual(named(verdicts));
}, 600_000);

describe.each(KINDS)('what is stored in deploy/argocd of %s', (kind) => {
  test.each(rowsOf(kind))('$state is what the operator makes', async ({ state }) => {
    await expect(fileText(get(kind, state).stored)).toMatchFileSnapshot(dataFile(kind, state));
  });

  // A state that is new is written only when this file has been run, so none is asked for here.
  test('has nothing else', () => {
    const states = rowsOf(kind).map(({ state }) => state);
    expect(storedStates(kind).filter((stored) => !states.includes(stored))).toEqual([]);
  });

  test('has the test of Argo CD for each', async () => {
    const tests = rowsOf(kind)
      // Argo CD itself says of what is being deleted that it is; no script is asked.
      .filter(({ kstatus }) => kstatus !== 'Terminating')
      .map(({ state, argocd }) => ({
        healthStatus: { status: argocd, message: messageOf(get(kind, state).stored) },
        inputPath: `testdata/${state}.yaml`,
      }));
    await expect(toYaml({ tests })).toMatchFileSnapshot(`${folderOf(kind)}/health_test.yaml`);
  });
});

function messageOf({ metadata, status }: Pset): string {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  return status.observedGeneration === metadata.generation
    ? `${ready?.reason}: ${ready?.message}`
    : 'Waiting for the operator to reconcile this version of the object';
}
