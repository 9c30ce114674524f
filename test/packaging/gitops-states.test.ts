import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from '../../src/cli/yaml.ts';
import { FAILURES } from '../../src/waits.ts';
import { kubectl } from '../controlplane/client.ts';
import type { Kubectl } from '../controlplane/kubectl.ts';
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
import { invalidSpecs, NAMESPACE } from '../support/states-invalid.ts';
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
  /** What `kubectl wait` found met. */
  readonly wait: State['wait'];
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
  const [, ...opened] = await Promise.all([
    invalidSpecs(async (objects, ownKubectl) => {
      for (const kind of KINDS) {
        const mine = objects.filter((object) => kindOf(object) === kind);
        await keep({ kind, namespace: NAMESPACE, objects: mine, ask: ownKubectl });
      }
    }),
    ...scenes.map((open) => open().then(taken)),
  ]);
  await Promise.all(opened.map((still) => still.end()));
}, 240_000);

afterAll(() => found.clear());

/** Keeps what a scene has. */
async function taken(still: Still): Promise<Still> {
  const { scene } = still;
  const { namespace } = scene;
  const makers = makersOf(scene);
  for (const kind of KINDS) {
    const rows = rowsOf(kind);
    const objects = (await makers[kind].list()).filter(({ metadata }) =>
      rows.some(({ state }) => state === metadata.name),
    );
    await keep({ kind, namespace, objects, ask: kubectl });
  }
  return still;
}

interface Kept {
  readonly kind: KindName;
  readonly namespace: string;
  readonly objects: readonly Pset[];
  readonly ask: Kubectl;
}

/** Keeps objects, after `kubectl wait` has been asked about them. */
async function keep(kept: Kept): Promise<void> {
  const [ready, stalled] = await Promise.all([met('Ready', kept), met('Stalled', kept)]);
  for (const object of kept.objects) {
    const { name } = object.metadata;
    const key = keyOf(kept.kind, name);
    if (found.has(key)) throw new Error(`${key} was made twice`);
    if (ready.has(name) && stalled.has(name)) throw new Error(`${key} is Ready and Stalled`);
    const wait = ready.has(name) ? 'Ready' : stalled.has(name) ? 'Stalled' : 'neither';
    found.set(key, { object, wait, stored: withoutChance(object, kept.namespace) });
  }
}

const kindOf = (object: Pset): KindName => (object as Pset & { readonly kind: KindName }).kind;

/** The objects for which `kubectl wait` ends at once. */
async function met(
  condition: string,
  { kind, namespace, objects, ask }: Kept,
): Promise<Set<string>> {
  if (objects.length === 0) return new Set();
  const { stdout } = await ask([
    'wait',
    '-n',
    namespace,
    kind,
    ...objects.map(({ metadata }) => metadata.name),
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

test.each(ALL)('$kind, $state: kubectl wait finds met: $wait', ({ kind, state, wait }) => {
  expect(get(kind, state).wait).toBe(wait);
});

test('Flux agrees with the table, with and without expressions of its own, and our rewriting of its rules with it', async () => {
  const objects = ALL.map(({ kind, state }) => get(kind, state).object);
  const verdicts = await fluxVerdicts(objects);
  const named = (list: readonly (string | undefined)[]) =>
    ALL.map(({ kind, state }, index) => `${kind} ${state}: ${list[index]}`);
  const statuses = verdicts.map(({ status }) => status);
  expect(named(statuses)).toEqual(named(ALL.map((row) => row.kstatus)));
  expect(named(objects.map(kstatus))).toEqual(named(statuses));
  const expressions = verdicts.map((verdict) => verdict.expressions);
  expect(named(expressions)).toEqual(named(ALL.map((row) => row.expressions)));
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

interface FluxVerdict {
  readonly status: string;
  readonly expressions: string;
}

/** By the library that Flux goes by, and by the expressions of deploy/flux. */
async function fluxVerdicts(objects: readonly Pset[]): Promise<readonly FluxVerdict[]> {
  const { healthCheckExprs } = parse(
    readFileSync('deploy/flux/health-check-exprs.yaml', 'utf8'),
  ) as { readonly healthCheckExprs: unknown };
  const folder = mkdtempSync(join(tmpdir(), 'pipewright-flux-'));
  try {
    const file = join(folder, 'expressions.json');
    writeFileSync(file, JSON.stringify(healthCheckExprs));
    const printed = await succeed(await findProgram('kstatus'), [file], {
      stdin: objects.map((one) => JSON.stringify(one)).join('\n'),
    });
    const lines = printed.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as FluxVerdict);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
