import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import { startControlPlane } from '../controlplane/controlplane.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { wideColumns } from '../support/columns.ts';
import { editCrd } from '../support/edit-crds.ts';
import { SPECIALS } from '../support/failure-causes.ts';
import { type Expected, ROWS } from '../support/failure-rows.ts';
import { kstatus } from '../support/kstatus.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { recordVersions, type Versions } from '../support/versions.ts';

const ALL: readonly (Expected & { readonly name: string })[] = [...ROWS, ...SPECIALS];

let scene: Scene;
let versions: Versions;

beforeAll(async () => {
  scene = await openScene();
  versions = await recordVersions(scene.namespace);
  const { simulator } = scene;
  for (const { name, fault } of ROWS) simulator.always(fault, { pathIncludes: pathOf(name) });
  const rows = ROWS.map(async ({ name }) => {
    await scene.newKey(name);
    await scene.psets.create(name, { credentialsSecretRef: { name } });
  });
  await Promise.all([...rows, ...SPECIALS.map((special) => special.break(scene))]);
  await waitFor(
    () => ALL.filter(({ name }) => firstFailure(name) === undefined).map(({ name }) => name),
    {
      what: 'every object to have failed once',
      until: (left) => left.length === 0,
    },
  );
});

afterAll(async () => {
  await versions?.end();
  await scene?.end();
});

function condition(object: Pset | undefined, type: string) {
  return object?.status.conditions.find((one) => one.type === type);
}

function failureOf(name: string): Pset {
  const failure = firstFailure(name);
  if (!failure) throw new Error(`${name} has not failed`);
  return failure;
}

function firstFailure(name: string): Pset | undefined {
  return versions.of(name).find((object) => condition(object, 'Ready')?.status === 'False');
}

describe.each(ALL)(
  '$name → $reason',
  ({ name, reason, side, firstWait, says, outcome, httpStatus, ...more }) => {
    const first = (): Pset => failureOf(name);

    test(`Ready is False, and ${side} is the one condition beside it`, () => {
      const object = first();
      const ready = condition(object, 'Ready');
      expect(object.status.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
        'Ready=False',
        `${side}=True`,
      ]);
      expect(ready?.reason).toBe(reason);
      expect(ready?.message).toMatch(says);
      expect(ready?.message).not.toContain('\n');
      expect(condition(object, side)).toMatchObject({ reason, message: ready?.message ?? '' });
      for (const one of object.status.conditions)
        expect(one.observedGeneration).toBe(object.metadata.generation);
      expect(object.status.observedGeneration).toBe(object.metadata.generation);
      expect(kstatus(object)).toBe(side === 'Stalled' ? 'Failed' : 'InProgress');
    });

    test('lastRequest tells what came back, or is absent where nothing was sent', () => {
      const { lastRequest } = first().status;
      const [call] = scene.simulator.calls({ pathIncludes: pathOf(name) });
      const sent = outcome !== undefined;
      const requestId = (more.requestId ?? httpStatus !== undefined) ? call?.requestId : undefined;
      expect(call !== undefined).toBe(sent);
      expect(lastRequest?.operation).toBe(sent ? 'UpdatePipeSettings' : undefined);
      expect(lastRequest?.outcome).toBe(outcome);
      expect(lastRequest?.httpStatus).toBe(httpStatus);
      expect(lastRequest?.requestId).toBe(requestId);
      expect(condition(first(), 'Ready')?.message).toContain(
        requestId === undefined ? '' : `(request ${requestId})`,
      );
      expect(lastRequest?.message ?? '').toMatch(sent && outcome !== 'Succeeded' ? says : /^$/);
    });

    test(`the next attempt is ${firstWait} s away`, () => {
      const { attempts, nextAttemptTime, lastRequest, conditions } = first().status;
      expect(attempts).toBe(reason === 'TargetConflict' ? undefined : 1);
      const failedAt = Date.parse(lastRequest?.time ?? conditions[0]?.lastTransitionTime ?? '');
      const wait = (Date.parse(nextAttemptTime ?? '') - failedAt) / 1000;
      expect(wait).toBeGreaterThanOrEqual(more.exact ? firstWait : firstWait * 0.8);
      // A time in status is a whole second: the one of the failure is rounded down, the one to come
      // up.
      expect(wait).toBeLessThanOrEqual((more.exact ? firstWait : firstWait * 1.2) + 2);
    });
  },
);

test('no attempt comes earlier than its class allows, nor does one that is due stay away', async () => {
  const soon = ROWS.filter(({ firstWait }) => firstWait <= 2);
  await Promise.all(
    soon.map(async ({ name, firstWait }) => {
      const calls = await scene.simulator.waitForCalls(2, {
        match: { pathIncludes: pathOf(name) },
      });
      const [one, two] = calls;
      const waited = ((two?.receivedAt ?? 0) - (one?.receivedAt ?? 0)) / 1000;
      expect(waited, name).toBeGreaterThanOrEqual(firstWait * 0.8 - 0.05);
    }),
  );
  const late = ALL.filter(({ firstWait, name }) => firstWait >= 30 && name !== 'same-pipe');
  for (const { name, firstWait } of late) {
    // On a busy machine the second attempt may be due by now.
    const [one, two = { receivedAt: Number.POSITIVE_INFINITY }] = scene.simulator.calls({
      pathIncludes: pathOf(name),
    });
    expect((two.receivedAt - (one?.receivedAt ?? 0)) / 1000, name).toBeGreaterThanOrEqual(
      firstWait * 0.8 - 0.05,
    );
  }
});

test('kubectl get shows in columns what the status says', async () => {
  const settled = ALL.filter(({ firstWait }) => firstWait >= 30);
  const stored = async (): Promise<Map<string, Pset>> =>
    new Map((await scene.psets.list()).map((object) => [object.metadata.name, object]));
  const versionsOf = (objects: ReadonlyMap<string, Pset>): string =>
    settled.map(({ name }) => objects.get(name)?.metadata.resourceVersion).join();
  const look = async () => ({
    before: await stored(),
    columns: await wideColumns(scene.namespace),
    objects: await stored(),
  });
  const { columns, objects } = await waitFor(look, {
    what: 'a look between two attempts',
    until: ({ before, objects: after }) => versionsOf(before) === versionsOf(after),
  });
  for (const { name, reason } of settled) {
    const status = objects.get(name)?.status;
    expect(columns.get(name), name).toMatchObject({
      READY: 'False',
      REASON: reason,
      STALLED: condition(objects.get(name), 'Stalled') ? 'True' : '',
      PIPE: name === 'same-pipe' ? 'shared' : name,
      'LAST APPLIED': '',
      'REQUEST ID': status?.lastRequest?.requestId ?? '',
      'NEXT ATTEMPT': status?.nextAttemptTime ?? '',
      MESSAGE: condition(objects.get(name), 'Ready')?.message ?? '',
    });
  }
});

test('each failure is warned of once, however often it is tried again', async () => {
  await waitFor(() => Promise.all(ALL.map(({ name }) => scene.events(name))), {
    what: 'an event for every object that needs one',
    until: (all) =>
      all.every((events, index) => events.length > 0 || ALL[index]?.reason === 'TargetConflict'),
  });
  for (const { name, reason } of ALL) {
    const events = await scene.events(name);
    const warning = ['Warning', reason, condition(firstFailure(name), 'Ready')?.message];
    // A conflict is taken for a rename in Git at first, which is nothing to warn of.
    const expected = reason === 'TargetConflict' ? [] : [warning];
    expect(
      events.map((event) => [event.type, event.reason, event.note]),
      name,
    ).toEqual(expected);
  }
});

test('waiting with kubectl times out while it fails', async () => {
  const args = [
    'wait',
    '--for=condition=Ready',
    '--timeout=1s',
    '-n',
    scene.namespace,
    'pset/http-400',
  ];
  const { code, stderr } = await kubectl(args);
  expect(code).not.toBe(0);
  expect(stderr).toContain('timed out');
});

test('all recover when asked to try now; what told of the failure is gone, and an event says so', async () => {
  scene.simulator.clear();
  await Promise.all(SPECIALS.map((special) => special.mend(scene)));
  // Only now: it would not take it well if an object that it waits for were removed, as one of the
  // causes is.
  const waiting = kubectl([
    'wait',
    '--for=condition=Ready',
    '--timeout=60s',
    '-n',
    scene.namespace,
    'pset',
    '--all',
  ]);
  const byItself = new Set(SPECIALS.filter((special) => special.byItself).map(({ name }) => name));
  const asked = new Map<string, string>();
  await Promise.all(
    ALL.filter(({ name }) => !byItself.has(name)).map(async ({ name }) =>
      asked.set(name, await scene.psets.request(name)),
    ),
  );
  // One may recover by itself between the API's recovery and the request: then the request makes a
  // second call.
  const acknowledged = async (name: string): Promise<Pset> => {
    const object = await scene.psets.until(name, 'Applied', 40_000);
    expect(object.status.lastHandledReconcileAt, name).toBe(asked.get(name));
    return object;
  };
  const recovered = await Promise.all(
    ALL.map(({ name }) =>
      waitFor(() => acknowledged(name), { what: `${name} to recover`, timeoutMs: 40_000 }),
    ),
  );
  expect((await waiting).code).toBe(0);
  for (const object of recovered) {
    const { name } = object.metadata;
    const { status } = object;
    expect(
      status.conditions.map(({ type, status: is }) => `${type}=${is}`),
      name,
    ).toEqual(['Ready=True']);
    expect(kstatus(object), name).toBe('Current');
    expect(status.attempts, name).toBeUndefined();
    expect(status.nextAttemptTime, name).toBeUndefined();
    expect(status['differences'], name).toBeUndefined();
    expect(status.lastRequest, name).toMatchObject({ outcome: 'Succeeded', httpStatus: 200 });
    expect(status.lastRequest?.message, name).toBeUndefined();
    expect(status.applied?.requestId, name).toBe(status.lastRequest?.requestId);
  }
  await Promise.all(
    ALL.map(async ({ name, reason }) => {
      const events = await waitFor(() => scene.events(name), {
        what: `an event about the recovery of ${name}`,
        until: (seen) => seen.some(({ type }) => type === 'Normal'),
      });
      const normal = events.filter(({ type }) => type === 'Normal');
      expect(
        normal.map((event) => event.reason),
        name,
      ).toEqual(['Applied']);
      expect(normal[0]?.note).toContain(`after ${reason}`);
    }),
  );
});

test('an API that is down makes it Unavailable: nothing was sent; it goes on when the API is back', async () => {
  const { simulator } = scene;
  await simulator.down();
  // When it answers this, it has seen its connections to the API end; what it sends over one of
  // those counts as sent.
  await scene.operator().page('livez');
  await scene.psets.create('down');
  await waitFor(() => firstFailure('down') !== undefined, { what: 'the attempt to fail' });
  const failed = failureOf('down');
  const { status } = failed;
  expect(condition(failed, 'Ready')?.reason).toBe('Unavailable');
  expect(condition(failed, 'Reconciling')?.status).toBe('True');
  expect(condition(failed, 'Ready')?.message).toMatch(
    /connection refused by 127\.0\.0\.1:\d+.*Nothing was sent/,
  );
  expect(status.lastRequest).toMatchObject({ outcome: 'Unavailable' });
  expect(status.lastRequest?.httpStatus).toBeUndefined();
  expect(status.attempts).toBe(1);
  const wait =
    Date.parse(status.nextAttemptTime ?? '') - Date.parse(status.lastRequest?.time ?? '');
  expect(wait).toBeGreaterThanOrEqual(800);
  expect(wait).toBeLessThanOrEqual(3_200);
  await waitFor(() => versions.of('down').some(({ status: then }) => then.attempts === 2), {
    what: 'a second attempt',
  });
  await simulator.up();
  const { status: after } = await scene.psets.until('down', 'Applied');
  expect(after.attempts).toBeUndefined();
  await waitFor(() => versions.reasons('down').join(), {
    what: 'all that down went through',
    until: (all) => all === ['Pending', 'Unavailable', 'Applied'].join(),
  });
});

test('a stored object that the schema of today would refuse is SpecInvalid, makes no call, and is mended by an edit', {
  timeout: 120_000,
}, async () => {
  const [own, simulator] = await Promise.all([startControlPlane(), startSimulator()]);
  let operator: RunningOperator | undefined;
  const run = async (args: readonly string[], stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await own.kubectl(args, stdin);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const crd = ['apply', '--server-side', '--force-conflicts', '-f'];
  const stored = (threads: number): string =>
    JSON.stringify({
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      metadata: { name: 'old', namespace: 'default' },
      spec: {
        organizationId: ORGANIZATION,
        serviceId: SERVICE,
        pipeId: 'old',
        credentialsSecretRef: { name: 'api' },
        settings: { engine_max_threads: threads },
      },
    });
  try {
    await run([...crd, 'crds/']);
    await editCrd(own, 'pipesettings', (installed) => {
      const text = JSON.stringify(installed);
      const lax = text.replace(/("engine_max_threads":\{[^}]*"maximum":)\d+/, '$19999');
      expect(lax).not.toBe(text);
      return JSON.parse(lax) as unknown;
    });
    await run([
      'create',
      'secret',
      'generic',
      'api',
      '-n',
      'default',
      '--from-literal=keyId=a',
      '--from-literal=keySecret=b',
    ]);
    await waitFor(() => run(['apply', '-f', '-'], stored(4_000)), {
      what: 'the lax schema to be in force',
    });
    await run([...crd, 'crds/pipesettings.yaml']);
    const flags = ['--leader-elect=false'];
    operator = await startOperator({
      kubeconfig: own.adminKubeconfig,
      apiUrl: simulator.url,
      flags,
    });
    const get = async (): Promise<Pset> =>
      JSON.parse(await run(['get', 'pset', 'old', '-n', 'default', '-o', 'json'])) as Pset;
    const refused = await waitFor(get, {
      what: 'the object to be SpecInvalid',
      until: (object) => condition(object, 'Ready')?.reason === 'SpecInvalid',
    });
    expect(condition(refused, 'Stalled')?.status).toBe('True');
    expect(condition(refused, 'Ready')?.message).toMatch(/engine_max_threads/);
    expect(refused.status.nextAttemptTime).toBeUndefined();
    expect(kstatus(refused)).toBe('Failed');
    expect(simulator.callCount()).toBe(0);
    await run(['apply', '-f', '-'], stored(8));
    const mended = await waitFor(get, {
      what: 'the object to be Applied',
      until: (object) => condition(object, 'Ready')?.reason === 'Applied',
    });
    expect(kstatus(mended)).toBe('Current');
  } finally {
    await operator?.kill();
    await Promise.all([own.stop(), simulator.stop()]);
  }
});
