import { expect, test } from 'vitest';
import { objectPath } from '../../src/kube/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { createSecrets } from '../../src/kube/secrets/secrets.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { MemoryKube } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

const SELECTOR = 'use=api';
const KEYS = ['keyId'];
const path = objectPath(SECRET, 'ingest', 'api');

function labelled(labels: Readonly<Record<string, string>>) {
  return { type: 'Opaque', data: { keyId: 'b25l' }, metadata: { labels } };
}

function world() {
  const kube = new MemoryKube();
  const clock = new FakeClock();
  const stop = new AbortController();
  const changes: string[] = [];
  const secrets = createSecrets({
    client: kube.client({ clock, fate: () => ({}) }),
    clock,
    log: recordingLog().log,
    signal: stop.signal,
    selector: SELECTOR,
    onChange: (_, name) => changes.push(name),
  });
  /** Of values; a GET of metadata says so in its Accept header. */
  const reads = () =>
    kube.calls.filter(
      ({ method, path: asked, accept = '' }) =>
        method === 'GET' && asked === path && !accept.includes('PartialObjectMetadata'),
    ).length;
  return { kube, secrets, stop, changes, reads };
}

test('a Secret without the labels is not read, and says so; with them it is at once', async () => {
  const { kube, secrets, changes, reads } = world();
  kube.set(path, labelled({ use: 'something-else' }));
  secrets.refer('a', 'ingest', 'api');
  await settle();
  const forbidden = { state: 'forbidden', message: expect.stringContaining('use=api') as unknown };
  expect(secrets.state('ingest', 'api')).toEqual(forbidden);
  expect(await secrets.read('ingest', 'api', KEYS)).toEqual(forbidden);
  expect(reads()).toBe(0);

  changes.length = 0;
  kube.set(path, labelled({ use: 'api' }));
  await settle();
  expect(changes).toEqual(['api']);
  expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject({ data: { keyId: 'b25l' } });

  kube.set(path, labelled({}));
  await settle();
  expect(await secrets.read('ingest', 'api', KEYS)).toEqual(forbidden);
  expect(reads()).toBe(1);
});

test('nor is it while no watch tells of its labels', async () => {
  const { kube, secrets, reads } = world();
  kube.set(path, labelled({}));
  const read = await secrets.read('ingest', 'api', KEYS);
  expect([read.state, reads()]).toEqual(['forbidden', 0]);
  kube.set(path, labelled({ use: 'api' }));
  expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject({ state: 'present' });
});
