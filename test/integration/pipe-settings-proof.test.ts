import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { allow, asAdmin, createOrReplace, operatorRules } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { type MovableClock, slowClock } from '../support/movable-clock.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let scene: Scene;
let other: string;
let operators: InnerOperator[] = [];
beforeAll(async () => {
  [scene, other] = await Promise.all([openScene({ start: false }), newNamespace()]);
  await share();
  await secretThere(scene.key.secret);
});
afterEach(async () => {
  await Promise.all(operators.map((operator) => operator.stop()));
  operators = [];
});
afterAll(() => scene.end());

/** Gives the scene's operator the same rights in the other namespace. */
async function share(): Promise<void> {
  await allow(other, 'operator', await operatorRules(), { from: scene.namespace });
}

function secretThere(keySecret: string): Promise<unknown> {
  const secret = {
    metadata: { name: 'management-api' },
    stringData: { keyId: scene.key.id, keySecret },
  };
  return createOrReplace(`/api/v1/namespaces/${other}/secrets`, secret);
}

async function operatorOf(
  namespaces: readonly string[],
  clock: MovableClock = slowClock(),
): Promise<InnerOperator> {
  const operator = await scene.startInner({ namespaces, clock });
  operators.push(operator);
  return operator;
}

function pathIn(namespace: string, name = ''): string {
  return `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings/${name}`;
}

/** Creates an object in the other namespace for this pipe. */
async function thereIs(name: string, pipeId: string, settings: object): Promise<void> {
  await asAdmin('POST', pathIn(other), {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId,
      credentialsSecretRef: { name: 'management-api' },
      settings,
    },
  });
}

function untilThere(name: string, reason: string): Promise<Pset> {
  return waitFor(() => asAdmin<Pset>('GET', pathIn(other, name)), {
    what: `${name} there to be ${reason}`,
    until: (object) => ready(object).reason === reason,
  });
}

test('a namespace that is refused at the start keeps those waiting who waited for an object in it, until it is listed', async () => {
  await thereIs('winner', 'out-of-sight', { engine_max_threads: 3 });
  const before = await operatorOf([other, scene.namespace]);
  await untilThere('winner', 'Applied');
  await scene.psets.create('loser', { pipeId: 'out-of-sight' });
  const message = ready(await scene.psets.until('loser', 'TargetConflict')).message;
  expect(message).toContain('an object in another namespace');
  expect(message).toContain(
    'kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=out-of-sight',
  );
  expect(message).not.toContain('winner');
  await before.stop();
  operators = [];

  await allow(other, 'operator', [], { from: scene.namespace });
  const clock = slowClock();
  const starting = operatorOf([other, scene.namespace], clock);
  const patience = setInterval(() => clock.advance(5 * SECOND), 100);
  const operator = await starting;
  clearInterval(patience);
  await settled(scene, operator);
  expect(ready(await scene.psets.until('loser', 'TargetConflict')).message).toContain(
    'could not be listed yet',
  );
  await share();
  await waitFor(() => scene.psets.get('loser'), {
    what: 'the loser to know who holds the pipe',
    until: (object) => {
      clock.advance(5 * SECOND);
      return ready(object).message === message;
    },
  });
  await settled(scene, operator);
  expect(scene.psets.puts('out-of-sight')).toHaveLength(1);
});

test('two that were proven out of sight of each other become one: the older holds, and sends again what was confirmed before', async () => {
  await scene.psets.create('older', { pipeId: 'merged', settings: { engine_max_threads: 1 } });
  await operatorOf([scene.namespace]);
  const older = await scene.psets.until('older', 'Applied');
  await waitFor(() => Date.now(), {
    what: 'the next second',
    until: (now) => now > Date.parse(older.status.lastRequest?.time ?? '') + 2 * SECOND,
  });
  await thereIs('younger', 'merged', { engine_max_threads: 2 });
  await operatorOf([other]);
  await untilThere('younger', 'Applied');
  await Promise.all(operators.map((operator) => operator.stop()));
  operators = [];

  const clock = slowClock();
  await operatorOf([scene.namespace, other], clock);
  await untilThere('younger', 'TargetConflict');
  clock.advance(2 * SECOND);
  expect((await scene.psets.putsUntil('merged', 3)).map(({ body }) => body)).toEqual([
    { engine_max_threads: 1 },
    { engine_max_threads: 2 },
    { engine_max_threads: 1 },
  ]);
});

test('one whose key is wrong keeps nobody of another namespace, and of its own only until it is refused', async () => {
  await scene.secret('wrong', { keyId: scene.key.id, keySecret: 'nobody-knows' });
  const wrong = { pipeId: 'bad-key', credentialsSecretRef: { name: 'wrong' } };
  await scene.psets.create('first', wrong);
  const clock = slowClock();
  await operatorOf([scene.namespace, other], clock);
  await scene.psets.until('first', 'Unauthorized');
  await thereIs('good', 'bad-key', { engine_max_threads: 3 });
  await untilThere('good', 'Applied');
  await scene.psets.until('first', 'TargetConflict');

  await scene.psets.create('first-here', { ...wrong, pipeId: 'bad-key-here' });
  await scene.psets.until('first-here', 'Unauthorized');
  await scene.psets.create('second-here', { pipeId: 'bad-key-here' });
  await scene.psets.until('second-here', 'Applied');
  expect(ready(await scene.psets.until('first-here', 'TargetConflict')).message).toContain(
    '"second-here"',
  );
});

test('a holder keeps the pipe while it is suspended, planned, or without Secret; but until 24 hours of that are over where it is by mistake', async () => {
  await scene.secret('own', { keyId: scene.key.id, keySecret: scene.key.secret });
  const spec = { pipeId: 'kept', credentialsSecretRef: { name: 'own' } };
  const clock = slowClock();
  const operator = await operatorOf([scene.namespace, other], clock);
  await scene.psets.create('keeper', spec);
  const { proof } = (await scene.psets.until('keeper', 'Applied')).status;
  await thereIs('waiting', 'kept', { engine_max_threads: 3 });
  await untilThere('waiting', 'TargetConflict');
  await scene.psets.create('keeper', { ...spec, suspend: true });
  await scene.psets.until('keeper', 'Suspended');
  await scene.psets.create('keeper', { ...spec, mode: 'Plan' });
  await scene.psets.until('keeper', 'Planned');
  await scene.removeSecret('own');
  await scene.psets.create('keeper', { ...spec, settings: { engine_max_threads: 5 } });
  const unusable = await scene.psets.until('keeper', 'SecretNotFound');
  expect(unusable.status['proof']).toMatchObject({
    ...(proof as object),
    unusableSince: expect.any(String),
  });
  clock.advance(23 * HOUR);
  await settled(scene, operator);
  await untilThere('waiting', 'TargetConflict');
  expect(scene.psets.puts('kept')).toHaveLength(1);
  clock.advance(HOUR);
  await untilThere('waiting', 'Applied');
  await scene.psets.until('keeper', 'TargetConflict');
  expect((await scene.psets.get('keeper')).status).not.toHaveProperty('proof');
});

test('after a write without an answer no other object calls until it is settled, also where its object is gone', async () => {
  const clock = slowClock();
  const operator = await operatorOf([scene.namespace, other], clock);
  scene.simulator.next({ transport: 'reset-after' }, { match: { pathIncludes: '/unsettled/' } });
  await scene.psets.create('lost', { pipeId: 'unsettled' });
  await scene.psets.until('lost', 'OutcomeUnknown');
  await thereIs('heir', 'unsettled', { engine_max_threads: 3 });
  expect(ready(await untilThere('heir', 'TargetConflict')).message).toContain('not known yet');
  await scene.psets.remove('lost');
  // Before it has heard of that, it would try again.
  await settled(scene, operator);
  clock.advance(90 * SECOND);
  await settled(scene, operator);
  await untilThere('heir', 'TargetConflict');
  expect(scene.psets.puts('unsettled')).toHaveLength(1);
  clock.advance(6 * SECOND);
  await untilThere('heir', 'Applied');
  expect(scene.psets.puts('unsettled')).toHaveLength(2);
});
