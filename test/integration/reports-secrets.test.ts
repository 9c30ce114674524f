import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled } from '../support/watching.ts';

/** It is asked for every 2 s: long before the next attempt by itself, 48 s away or more. */
const SOON_MS = 8_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const using = (name: string): object => ({ credentialsSecretRef: { name } });

describe('a corrected Secret is tried soon, whatever the answer to the one before', () => {
  test.each([
    ['404', 'NotFound'],
    ['400', 'Rejected'],
    ['403', 'Forbidden'],
  ])('%s, as to a key of another organization', async (status, reason) => {
    const name = `answered-${status}`;
    const { id } = await scene.newKey(name);
    scene.simulator.always({ status: Number(status) }, { keyId: id });
    await scene.psets.create(name, { ...using(name) });
    await scene.psets.until(name, reason);
    await scene.newKey(name);
    await scene.psets.until(name, 'Applied', SOON_MS);
    expect(scene.psets.puts(name).map(({ status: answered }) => answered)).toEqual([
      Number(status),
      200,
    ]);
  });

  test('and no more than once: the same failure again waits for its time', async () => {
    const { id } = await scene.newKey('stubborn');
    scene.simulator.always({ status: 400 }, { pathIncludes: pathOf('stubborn') });
    await scene.psets.create('stubborn', { ...using('stubborn') });
    await scene.psets.until('stubborn', 'Rejected');
    const second = await scene.newKey('stubborn');
    await scene.psets.putsUntil('stubborn', 2);
    await settled(scene);
    expect(scene.psets.puts('stubborn').map(({ keyId }) => keyId)).toEqual([id, second.id]);
  });
});

test('log and status name an answer only where the reconcile made that call', async () => {
  scene.simulator.always({ status: 400, error: 'no' }, { pathIncludes: pathOf('quiet') });
  await scene.psets.create('quiet');
  await scene.psets.until('quiet', 'Rejected');
  const [put] = scene.psets.puts('quiet');
  const operator = scene.operator();
  const linesOf = () => operator.lines.filter(({ name }) => name === 'quiet');
  const before = await waitFor(() => linesOf().length, { what: 'the log of the attempt' });
  await scene.psets.create('quiet', { suspend: true });
  const object = await scene.psets.until('quiet', 'Suspended');
  await settled(scene);
  const since = linesOf().slice(before);
  expect(since.length).toBeGreaterThan(0);
  expect(JSON.stringify(since)).not.toContain(put?.requestId);
  expect(ready(object).message).not.toContain(put?.requestId);
  const events = await scene.events('quiet');
  expect(events.filter(({ note }) => note.includes(put?.requestId ?? '–'))).toHaveLength(1);
});
