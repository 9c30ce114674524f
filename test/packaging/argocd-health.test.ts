import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from '../controlplane/run.ts';

/** What the programs of Argo CD and Flux make of a status. */
interface State {
  /** Status and reason of `Ready`. */
  readonly ready: `${'True' | 'False' | 'Unknown'} ${string}`;
  /** True beside it. */
  readonly beside?: 'Reconciling' | 'Stalled';
  readonly argocd: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  /** By the conditions alone. */
  readonly flux: 'Current' | 'InProgress' | 'Failed' | 'Terminating';
  /** With deploy/flux/health-check-exprs.yaml; absent: the same. */
  readonly expressions?: 'Current' | 'InProgress';
  /** Absent: 2, the generation of the object. */
  readonly observed?: number;
  readonly isDeleted?: true;
}

const fine = { argocd: 'Healthy', flux: 'Current' } as const;
const goesOn = { beside: 'Reconciling', argocd: 'Progressing', flux: 'InProgress' } as const;
const needsAPerson = { beside: 'Stalled', argocd: 'Degraded', flux: 'Failed' } as const;
const rests = { argocd: 'Suspended', flux: 'InProgress', expressions: 'Current' } as const;
const stale = { observed: 1, argocd: 'Progressing', flux: 'InProgress' } as const;
const ends = { flux: 'Terminating', expressions: 'InProgress' } as const;

const STATES: Readonly<Record<string, State>> = {
  'not visited': { ready: 'Unknown Pending', ...stale, observed: -1 },
  applied: { ready: 'True Applied', ...fine },
  edited: { ready: 'True Applied', ...stale },
  'edited while it was stalled': { ready: 'False Rejected', ...needsAPerson, ...stale },
  'being changed': { ready: 'Unknown Pending', ...goesOn },
  'planned, with changes': { ready: 'False Planned', ...rests },
  'planned, without changes': { ready: 'True Planned', ...rests, flux: 'Current' },
  'suspended, never confirmed': { ready: 'False Suspended', ...rests },
  'suspended, applied': { ready: 'True Suspended', ...rests, flux: 'Current' },
  'in the way of another operation': { ready: 'False Conflict', ...goesOn },
  'without an answer': { ready: 'False OutcomeUnknown', ...goesOn },
  'not confirmed at first': { ready: 'False NotConfirmed', ...goesOn },
  'not confirmed': { ready: 'False NotConfirmed', ...needsAPerson },
  'refused a value': { ready: 'False Rejected', ...needsAPerson },
  'refused a key': { ready: 'False Unauthorized', ...needsAPerson },
  'without a Secret': { ready: 'False SecretNotFound', ...needsAPerson },
  // Else a rename with PruneLast would never end; see health.lua.
  'in a conflict, at first': { ready: 'False TargetConflict', ...goesOn, argocd: 'Healthy' },
  'in a conflict': { ready: 'False TargetConflict', ...needsAPerson },
  'being deleted': { ready: 'True Applied', isDeleted: true, ...stale, ...ends },
};

const TIME = '2026-03-01T12:00:00Z';
const METADATA = { name: 'acme', namespace: 'ingest', generation: 2, resourceVersion: '41' };
const DELETED = { deletionTimestamp: TIME, finalizers: ['pipewright.dev/x'] };
const messageOf = (reason: string): string => `what there is to say of ${reason}`;

/** An object in this state. */
function objectIn({ ready, beside, observed = 2, isDeleted }: State) {
  const [status = '', reason = ''] = ready.split(' ');
  const of = { reason, message: messageOf(reason), observedGeneration: observed };
  const condition = { ...of, lastTransitionTime: TIME };
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Organization',
    metadata: { ...METADATA, ...(isDeleted && DELETED) },
    spec: { organizationId: 'acme' },
    status: {
      observedGeneration: observed,
      conditions: [
        { type: 'Ready', status, ...condition },
        ...(beside ? [{ type: beside, status: 'True', ...condition }] : []),
      ],
      // Lua must give back lists as they were, empty ones too.
      organization: { privateEndpoints: [] },
    },
  };
}

let folder: string;
let argocd: string;

beforeAll(async () => {
  folder = await mkdtemp(join(controlPlane.folder, 'argocd-health-'));
  argocd = await findProgram('argocd');
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: argocd-cm }\n';
  const patch = await readFile('deploy/argocd/argocd-cm.yaml', 'utf8');
  await writeFile(join(folder, 'argocd-cm.yaml'), head + patch);
});

/** What `argocd admin settings resource-overrides` prints for this object. */
async function overrides(command: string, object: object, ...more: string[]): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(file, JSON.stringify(object));
  const settings = ['--argocd-cm-path', join(folder, 'argocd-cm.yaml')];
  const args = ['admin', 'settings', 'resource-overrides', command, file, ...more, ...settings];
  // What shows a difference here shows all of both objects, each below the name of its file.
  const env = { ARGOCD_BINARY_NAME: 'argocd', KUBECTL_EXTERNAL_DIFF: 'tail -n +1', TMPDIR: folder };
  return succeed(argocd, args, { env });
}

describe('Argo CD', () => {
  test.concurrent.each(Object.entries(STATES))('sees the health of one %s', async (_, state) => {
    const [, reason = ''] = state.ready.split(' ');
    const ofNow =
      state.observed === undefined
        ? `${reason}: ${messageOf(reason)}`
        : 'Waiting for the operator to reconcile this version of the object';
    const message = state.isDeleted ? 'Pending deletion' : ofNow;
    const printed = await overrides('health', objectIn(state));
    expect(printed).toContain(`STATUS: ${state.argocd}\nMESSAGE: ${message}\n`);
  });

  const applied = objectIn({ ready: 'True Applied', ...fine });
  const withSpec = (spec: object) => ({ ...applied, spec: { ...applied.spec, ...spec } });

  const deleted = { ...applied, metadata: { ...METADATA, ...DELETED } };

  test.concurrent.each([
    ['an object', applied, ['reconcile', 'suspend']],
    ['one in Plan', withSpec({ mode: 'Plan' }), ['suspend']],
    ['a suspended one', withSpec({ suspend: true }), ['resume']],
    ['one being deleted', deleted, ['reconcile']],
  ])('knows what to offer for %s', async (_, object, offered) => {
    const printed = await overrides('list-actions', object);
    const enabled = [...printed.matchAll(/^(\w+) +false$/gm)].map(([, name]) => name);
    expect(enabled).toEqual(offered);
  });

  test.concurrent.each([
    { action: 'suspend', before: {}, suspend: true },
    { action: 'resume', before: { suspend: true }, suspend: false },
  ])('$action sets spec.suspend and nothing else', async ({ action, before, suspend }) => {
    expect(await left(withSpec(before), action)).toEqual(withSpec({ suspend }));
  });

  test('reconcile sets an annotation that is new in each version of the object', async () => {
    const after = await left(applied, 'reconcile');
    const { annotations } = after.metadata;
    const requested = annotations?.['pipewright.dev/reconcile-requested-at'];
    expect(requested).toMatch(/^\d{4}-\d\d-\d\dT\S+Z at resourceVersion 41$/);
    expect(after).toEqual({ ...applied, metadata: { ...applied.metadata, annotations } });
  });
});

/** The object as the action leaves it. */
async function left(
  object: object,
  action: string,
): Promise<{ metadata: { annotations?: Record<string, string> } }> {
  const printed = await overrides('run-action', object, action);
  const [, , after = ''] = printed.split(/^==> .* <==\n/m);
  return parse(after);
}

test('Flux reads the conditions as the table says, with and without our expressions', async () => {
  const { healthCheckExprs } = parse(
    await readFile('deploy/flux/health-check-exprs.yaml', 'utf8'),
  ) as { readonly healthCheckExprs: unknown };
  const file = join(folder, 'expressions.json');
  await writeFile(file, JSON.stringify(healthCheckExprs));
  const stdin = Object.values(STATES).map((state) => JSON.stringify(objectIn(state)));
  const kstatus = await findProgram('kstatus');
  const printed = await succeed(kstatus, [file], { stdin: stdin.join('\n') });
  const verdicts = printed.trimEnd().split('\n');
  const names = Object.keys(STATES);
  const read = verdicts.map((line, at) => {
    const { status, expressions } = JSON.parse(line) as Readonly<Record<string, string>>;
    return [names[at], status, expressions];
  });
  expect(read).toEqual(
    Object.entries(STATES).map(([name, { flux, expressions = flux }]) => [name, flux, expressions]),
  );
});
