import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl } from '../controlplane/client.ts';
import type { BodyKind } from '../simulator/types.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SECRET, SERVICE, type Spec } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

/** What people read: the words of the API, those of the schema, and of another object. */

const REASON = 'the pipe is on fire';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

describe('the reason of a refusal is shown, wherever the API says it', () => {
  test.each<BodyKind>(['envelope', 'message', 'detail', 'errors', 'text'])(
    'in %s',
    async (body) => {
      const name = `said-in-${body}`;
      scene.simulator.always({ status: 400, error: REASON, body }, { pathIncludes: pathOf(name) });
      await scene.psets.create(name);
      const object = await scene.psets.until(name, 'Rejected');
      expect(ready(object).message).toContain(REASON);
      expect(object.status.lastRequest?.message).toContain(REASON);
    },
  );

  test('but for HTML, of which nothing is', async () => {
    scene.simulator.always(
      { status: 400, error: REASON, body: 'html' },
      { pathIncludes: pathOf('said-in-html') },
    );
    await scene.psets.create('said-in-html');
    const object = await scene.psets.until('said-in-html', 'Rejected');
    expect(JSON.stringify(object.status)).not.toContain(REASON);
  });
});

test('two objects whose pipeId differs in case stand for one pipe', async () => {
  await scene.psets.create('first', { pipeId: 'Same-Pipe' });
  await scene.psets.until('first', 'Applied');
  await scene.psets.create('second', { pipeId: 'same-pipe' });
  const waiting = await scene.psets.until('second', 'TargetConflict');
  expect(ready(waiting).message).toContain('first');
  await settled(scene);
  expect(scene.psets.puts('same-pipe')).toEqual([]);
  await scene.psets.remove('first');
  await scene.psets.until('second', 'Applied');
});

function manifest(name: string, spec: Spec): string {
  return JSON.stringify({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, namespace: scene.namespace },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: name,
      credentialsSecretRef: { name: SECRET },
      settings: { engine_max_threads: 8 },
      ...spec,
    },
  });
}

test('settings that the API has gained are declared, kept, sent and compared, without validation too', async () => {
  const additionalSettings = { new_limit: 5, new_mode: 'fast', new_switch: true };
  scene.simulator.play({ settings: { gained: Object.keys(additionalSettings) } });
  const apply = ['apply', '--server-side', '--validate=false', '-f', '-'];
  const { code, stderr } = await kubectl(apply, manifest('gained', { additionalSettings }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const object = await scene.psets.until('gained', 'Applied');
  expect(object.spec['additionalSettings']).toEqual(additionalSettings);
  expect(scene.psets.puts('gained').map(({ body }) => body)).toEqual([
    { engine_max_threads: 8, ...additionalSettings },
  ]);
  const changed = { ...additionalSettings, new_limit: 6 };
  await scene.psets.create('gained', { additionalSettings: changed });
  await scene.psets.until('gained', 'Applied');
  expect(scene.psets.puts('gained').at(-1)?.body).toEqual({ engine_max_threads: 8, ...changed });
});

describe('what a schema refuses is said in words', () => {
  test.each<[string, Spec, RegExp]>([
    ['a duration in days', { reassertInterval: '1d' }, /90m or 24h; write 1d as 24h/],
    ['a blank in an id', { pipeId: 'my pipe' }, /1 to 128 letters, digits/],
    ['an id that is too long', { pipeId: 'p'.repeat(129) }, /128/],
  ])('%s', async (_, spec, says) => {
    const { code, stderr } = await kubectl(['apply', '-f', '-'], manifest('wordy', spec));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/should match '|\[A-Za-z0-9|\^\[|\(\[0-9\]/);
  });
});
