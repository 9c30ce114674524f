import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from '../controlplane/run.ts';
import { kstatus } from '../support/kstatus.ts';
import { BUILD_MS } from './helm.ts';

/** What Argo CD and Flux make of a status, by the programs of both. */
interface State {
  readonly state: string;
  /** Of `Ready`. */
  readonly ready: readonly [status: 'True' | 'False' | 'Unknown', reason: string];
  /** True beside it. */
  readonly beside?: 'Reconciling' | 'Stalled';
  /** Absent: the generation of the object, which is 2. */
  readonly observedGeneration?: number;
  readonly deletionTimestamp?: string;
  readonly kind?: 'Organization' | 'PipeSettings' | 'Activity';
  readonly argocd: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  /** By the conditions alone. */
  readonly flux: 'Current' | 'InProgress' | 'Failed' | 'Terminating';
  /** With deploy/flux/health-check-exprs.yaml; absent: the same. */
  readonly expressions?: 'Current' | 'InProgress';
}

const fine = { argocd: 'Healthy', flux: 'Current' } as const;
const goesOn = { beside: 'Reconciling', argocd: 'Progressing', flux: 'InProgress' } as const;
const needsAPerson = { beside: 'Stalled', argocd: 'Degraded', flux: 'Failed' } as const;
const rests = { argocd: 'Suspended', flux: 'InProgress', expressions: 'Current' } as const;
const stale = { observedGeneration: 1, argocd: 'Progressing', flux: 'InProgress' } as const;
const stalledFor = ['Rejected', 'Unauthorized', 'Forbidden', 'NotFound', 'SecretInvalid'];
const continuesAfter = ['Conflict', 'DependencyNotReady', 'RateLimited', 'Unavailable'];

const STATES: readonly State[] = [
  {
    state: 'not visited',
    ready: ['Unknown', 'Pending'],
    observedGeneration: -1,
    argocd: 'Progressing',
    flux: 'InProgress',
  },
  { state: 'applied', kind: 'PipeSettings', ready: ['True', 'Applied'], ...fine },
  { state: 'fetched', kind: 'Activity', ready: ['True', 'Fetched'], ...fine },
  { state: 'edited', ready: ['True', 'Applied'], ...stale },
  { state: 'edited while it was stalled', ready: ['False', 'Rejected'], ...needsAPerson, ...stale },
  { state: 'being changed', ready: ['Unknown', 'Pending'], ...goesOn },
  { state: 'planned, with changes', ready: ['False', 'Planned'], ...rests },
  { state: 'planned, without changes', ready: ['True', 'Planned'], ...rests, flux: 'Current' },
  { state: 'suspended, never confirmed', ready: ['False', 'Suspended'], ...rests },
  { state: 'suspended, applied', ready: ['True', 'Suspended'], ...rests, flux: 'Current' },
  ...continuesAfter.map(
    (reason): State => ({
      state: `${reason}, tried again`,
      ready: ['False', reason],
      ...goesOn,
    }),
  ),
  ...stalledFor.map(
    (reason): State => ({
      state: `${reason}, for a person`,
      ready: ['False', reason],
      ...needsAPerson,
    }),
  ),
  { state: 'not confirmed at first', ready: ['False', 'NotConfirmed'], ...goesOn },
  { state: 'not confirmed', ready: ['False', 'NotConfirmed'], ...needsAPerson },
  // Else a rename with PruneLast would never end; see health.lua.
  {
    state: 'in a conflict, at first',
    ready: ['False', 'TargetConflict'],
    ...goesOn,
    argocd: 'Healthy',
  },
  { state: 'in a conflict', ready: ['False', 'TargetConflict'], ...needsAPerson },
  {
    state: 'being deleted',
    ready: ['True', 'Applied'],
    deletionTimestamp: '2026-03-01T12:00:00Z',
    observedGeneration: 1,
    argocd: 'Progressing',
    flux: 'Terminating',
    expressions: 'InProgress',
  },
];

const REQUESTED = 'pipewright.dev/reconcile-requested-at';

/** An object in this state. */
function objectIn({ ready, beside, observedGeneration = 2, ...rest }: State) {
  const [status, reason] = ready;
  const { kind = 'Organization', deletionTimestamp } = rest;
  const condition = {
    reason,
    message: messageOf(reason),
    observedGeneration,
    lastTransitionTime: '2026-03-01T12:00:00Z',
  };
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind,
    metadata: {
      name: 'acme',
      namespace: 'ingest',
      generation: 2,
      resourceVersion: '41',
      ...(deletionTimestamp && {
        deletionTimestamp,
        finalizers: ['pipewright.dev/remove-private-endpoints'],
      }),
    },
    spec: { organizationId: 'acme' },
    status: {
      observedGeneration,
      conditions: [
        { type: 'Ready', status, ...condition },
        ...(beside ? [{ type: beside, status: 'True', ...condition }] : []),
      ],
      // Lua must give back lists as they were, empty ones too.
      organization: { privateEndpoints: [] },
    },
  };
}

const messageOf = (reason: string): string => `what there is to say of ${reason}`;

let folder: string;
let argocd: string;
let flux: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipewright-argocd-health-'));
  [argocd, flux] = await Promise.all([findProgram('argocd'), findProgram('kstatus')]);
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: argocd-cm }\n';
  const patch = await readFile('deploy/argocd/argocd-cm.yaml', 'utf8');
  await writeFile(join(folder, 'argocd-cm.yaml'), head + patch);
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true }));

/** What `argocd admin settings resource-overrides` prints for this object. */
async function overrides(command: string, object: object, ...more: string[]): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify(object));
  const settings = ['--argocd-cm-path', join(folder, 'argocd-cm.yaml')];
  const args = ['admin', 'settings', 'resource-overrides', command, file, ...more, ...settings];
  return succeed(argocd, args, {
    env: {
      ARGOCD_BINARY_NAME: 'argocd',
      // With what it shows the difference: all of both objects, each below the name of its file.
      KUBECTL_EXTERNAL_DIFF: 'tail -n +1',
      TMPDIR: folder,
    },
  });
}

describe('Argo CD', () => {
  test.concurrent.each(STATES)('$state is $argocd', async (state) => {
    const object = objectIn(state);
    const printed = await overrides('health', object);
    const isOfNow = object.status.observedGeneration === object.metadata.generation;
    const [, reason] = state.ready;
    const message = state.deletionTimestamp
      ? 'Pending deletion'
      : isOfNow
        ? `${reason}: ${messageOf(reason)}`
        : 'Waiting for the operator to reconcile this version of the object';
    expect(printed).toContain(`STATUS: ${state.argocd}\nMESSAGE: ${message}\n`);
  });

  const applied = objectIn({ state: '', ready: ['True', 'Applied'], ...fine });
  const { deletionTimestamp = '' } = STATES.at(-1) ?? {};
  test.concurrent.each([
    { of: 'an object', spec: {}, offered: ['reconcile', 'suspend'] },
    { of: 'one in Plan', spec: { mode: 'Plan' }, offered: ['suspend'] },
    { of: 'a suspended one', spec: { suspend: true }, offered: ['resume'] },
    { of: 'one being deleted', metadata: { deletionTimestamp }, offered: ['reconcile'] },
  ])('of $of it offers $offered', async ({ spec, metadata, offered }) => {
    const printed = await overrides('list-actions', {
      ...applied,
      metadata: { ...applied.metadata, ...metadata },
      spec: { ...applied.spec, ...spec },
    });
    const enabled = [...printed.matchAll(/^(\w+) +false$/gm)].map(([, name]) => name);
    expect(enabled).toEqual(offered);
  });

  test.concurrent.each([
    { action: 'suspend', before: {}, suspend: true },
    { action: 'resume', before: { suspend: true }, suspend: false },
  ])('$action sets spec.suspend and nothing else', async ({ action, before, suspend }) => {
    const object = { ...applied, spec: { ...applied.spec, ...before } };
    const left = await runAction(object, action);
    expect(left).toEqual({ ...object, spec: { ...object.spec, suspend } });
  });

  test('reconcile sets an annotation that is new in each version of the object', async () => {
    const left = await runAction(applied, 'reconcile');
    const { annotations } = left.metadata;
    expect(annotations?.[REQUESTED]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z at resourceVersion 41$/);
    expect(left).toEqual({ ...applied, metadata: { ...applied.metadata, annotations } });
  });
});

interface Changed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The object as the action leaves it. */
async function runAction(object: object, action: string): Promise<Changed> {
  const printed = await overrides('run-action', object, action);
  const [, , after = ''] = printed.split(/^==> .* <==\n/m);
  return parse(after) as Changed;
}

describe('Flux', () => {
  test('reads the conditions as the table says, and as our rewriting of its rules does', async () => {
    const objects = STATES.map(objectIn);
    const verdicts = await fluxVerdicts(objects);
    const named = (read: (index: number) => string | undefined) =>
      STATES.map(({ state }, index) => `${state}: ${read(index)}`);
    expect(named((at) => verdicts[at]?.status)).toEqual(named((at) => STATES[at]?.flux));
    expect(objects.map(kstatus)).toEqual(verdicts.map(({ status }) => status));
    expect(named((at) => verdicts[at]?.expressions)).toEqual(
      named((at) => STATES[at]?.expressions ?? STATES[at]?.flux),
    );
  });
});

interface Verdict {
  readonly status: string;
  readonly expressions: string;
}

async function fluxVerdicts(objects: readonly object[]): Promise<Verdict[]> {
  const text = await readFile('deploy/flux/health-check-exprs.yaml', 'utf8');
  const { healthCheckExprs } = parse(text) as { readonly healthCheckExprs: unknown };
  const file = join(folder, 'expressions.json');
  await writeFile(file, JSON.stringify(healthCheckExprs));
  const stdin = objects.map((one) => JSON.stringify(one)).join('\n');
  const printed = await succeed(flux, [file], { stdin });
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict);
}
