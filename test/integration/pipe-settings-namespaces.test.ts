import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { allow, asAdmin, createOrReplace, operatorRules } from '../support/cluster.ts';
import { slowClock } from '../support/movable-clock.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

const SECOND = 1_000;

let scene: Scene;
let other: string;
beforeAll(async () => {
  [scene, other] = await Promise.all([openScene({ start: false }), newNamespace()]);
  await share();
  const secret = {
    metadata: { name: 'management-api' },
    stringData: { keyId: scene.key.id, keySecret: scene.key.secret },
  };
  await createOrReplace(`/api/v1/namespaces/${other}/secrets`, secret);
});
afterAll(() => scene.end());

/** Gives the scene's operator the same rights in the other namespace. */
async function share(): Promise<void> {
  await allow(other, 'operator', await operatorRules(), { from: scene.namespace });
}

const there = (name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${other}/pipesettings/${name}`;

test('a namespace that is refused at the start keeps those waiting who waited for an object in it, until it is listed', async () => {
  await asAdmin('POST', there(''), {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name: 'winner' },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: 'out-of-sight',
      credentialsSecretRef: { name: 'management-api' },
      settings: { engine_max_threads: 3 },
    },
  });
  const namespaces = [other, scene.namespace];
  const before = await scene.startInner({ namespaces, clock: slowClock() });
  await waitFor(() => asAdmin<Pset>('GET', there('winner')), {
    what: 'the object there to be applied',
    until: (object) => ready(object).reason === 'Applied',
  });
  await scene.psets.create('loser', { pipeId: 'out-of-sight' });
  const message = ready(await scene.psets.until('loser', 'TargetConflict')).message;
  expect(message).toContain('an object in another namespace');
  expect(message).toContain(
    'kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=out-of-sight',
  );
  expect(message).not.toContain('winner');
  await before.stop();

  await allow(other, 'operator', [], { from: scene.namespace });
  const clock = slowClock();
  const starting = scene.startInner({ namespaces, clock });
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
