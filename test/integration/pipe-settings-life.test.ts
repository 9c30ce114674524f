import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import { asAdmin, change, writesOf } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { expectCurrent, settled } from '../support/watching.ts';

/** What a PipeSettings has to do with Kubernetes; all else is lived through in the simulation. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const pathTo = (name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings/${name}`;

function bodiesOf(pipe: string): unknown[] {
  return scene.psets.puts(pipe).map(({ body }) => body);
}

/** What the operator did for one object: calls, writes to its status, events about it. */
async function doneFor(name: string) {
  await settled(scene);
  const [writes, events] = await Promise.all([scene.psets.writes(name), scene.events(name)]);
  for (const write of writes)
    expect(write).toMatchObject({ verb: 'update', subresource: 'status', code: 200 });
  return {
    puts: scene.psets.puts(name).length,
    writes: writes.length,
    events: events.map(({ reason }) => reason),
  };
}

function annotate(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  return change(pathTo(name), (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, annotations },
  }));
}

test('a new object costs one PUT, one write and no event; an edit one of each', async () => {
  await scene.psets.create('edited');
  await scene.psets.until('edited', 'Applied');
  expect(await doneFor('edited')).toEqual({ puts: 1, writes: 1, events: [] });
  await scene.psets.create('edited', { settings: { engine_max_threads: 16 } });
  const after = await scene.psets.until('edited', 'Applied');
  expectCurrent(after);
  expect(after.status.applied).toMatchObject({
    generation: 2,
    requestId: scene.psets.puts('edited').at(-1)?.requestId,
  });
  await waitFor(() => scene.events('edited'), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  expect(await doneFor('edited')).toEqual({ puts: 2, writes: 2, events: ['Applied'] });
});

test('labels, other annotations and finalizers of others cost nothing', async () => {
  await scene.psets.create('labelled');
  const before = await scene.psets.until('labelled', 'Applied');
  for (const added of [
    { labels: { team: 'ingest' } },
    { annotations: { 'example.com/note': 'x' } },
    { finalizers: ['example.com/hold'] },
    { finalizers: [] },
  ])
    await change(pathTo('labelled'), (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, ...added },
    }));
  expect(await doneFor('labelled')).toEqual({ puts: 1, writes: 1, events: [] });
  expect((await scene.psets.get('labelled')).status).toEqual(before.status);
});

test('a request to try now sends the declared state once per value', async () => {
  await scene.psets.create('asked');
  await scene.psets.until('asked', 'Applied');
  for (const [index, value] of ['a', 'a', 'b'].entries()) {
    await annotate('asked', { 'pipewright.dev/reconcile-requested-at': value });
    await scene.psets.untilIt(
      'asked',
      `${value} handled`,
      ({ status }) => status.lastHandledReconcileAt === value,
    );
    expect((await doneFor('asked')).puts).toBe([2, 2, 3][index]);
  }
});

test('deletion makes no call, waits for nobody and leaves the pipe as it is', async () => {
  await scene.psets.create('leaving', { settings: { engine_max_threads: 32 } });
  await scene.psets.until('leaving', 'Applied');
  const gone = await asAdmin<{ status: string }>('DELETE', pathTo('leaving'));
  // With a finalizer the server would answer with the object and its deletionTimestamp.
  expect(gone.status).toBe('Success');
  await settled(scene);
  expect(scene.simulator.calls({ pathIncludes: pathOf('leaving') })).toHaveLength(1);
});

describe('while its call runs', () => {
  /** Creates an object and resolves while its PUT has taken effect but not been answered. */
  async function midway(name: string): Promise<void> {
    scene.simulator.next({ hold: true }, { match: { pathIncludes: pathOf(name) } });
    await scene.psets.create(name, { settings: { engine_max_threads: 5 } });
    await scene.psets.putsUntil(name, 1);
  }

  test('an edit is sent after it, and the status ends at the edit', async () => {
    await midway('changed');
    await scene.psets.create('changed', { settings: { engine_max_threads: 6 } });
    scene.simulator.release();
    const object = await scene.psets.until('changed', 'Applied');
    await settled(scene);
    expect(bodiesOf('changed')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
    expectCurrent(object);
    expect(object.status['history']).toMatchObject([{ generation: 1 }, { generation: 2 }]);
  });

  test('a deletion is followed by nothing: no call, no write, no complaint', async () => {
    await midway('deleted');
    await scene.psets.remove('deleted');
    scene.simulator.release();
    await settled(scene);
    expect(scene.psets.puts('deleted')).toHaveLength(1);
    expect((await scene.psets.writes('deleted')).filter(({ code }) => code < 300)).toEqual([]);
    const complaints = scene
      .operator()
      .lines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level));
    expect(complaints).toEqual([]);
  });

  test('an object made anew under the same name gets nothing of the old result', async () => {
    await midway('replaced');
    const { metadata } = await scene.psets.get('replaced');
    await scene.psets.remove('replaced');
    await scene.psets.create('replaced', { settings: { engine_max_threads: 6 } });
    scene.simulator.release();
    const object = await scene.psets.until('replaced', 'Applied');
    await settled(scene);
    expect(object.metadata.uid).not.toBe(metadata.uid);
    expect(bodiesOf('replaced')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
    expect(object.status.applied?.requestId).toBe(scene.psets.puts('replaced').at(-1)?.requestId);
    expect(object.status['history']).toHaveLength(1);
  });
});

test('the columns say what stands in the status', async () => {
  await scene.psets.create('columns', { credentialsSecretRef: { name: 'nowhere' } });
  const waiting = await scene.psets.until('columns', 'SecretNotFound');
  const get = ['get', 'pset', 'columns', '-n', scene.namespace, '-o', 'wide'];
  const { stdout } = await kubectl(get);
  expect(stdout).toMatch(/^NAME +READY +REASON +STALLED +LAST APPLIED +AGE /);
  expect(stdout).toMatch(/False\s+SecretNotFound/);
  expect(stdout).toContain(waiting.status.nextAttemptTime);
});

test('writes nothing but status and events, and is refused nothing but what was made anew meanwhile', async () => {
  await settled(scene);
  const writes = await writesOf(scene.user);
  const kinds = new Set(
    writes.map(({ verb, resource, subresource }) => `${verb} ${resource}/${subresource}`),
  );
  expect([...kinds].toSorted()).toEqual(['create events/', 'update pipesettings/status']);
  const refused = writes.filter(({ code }) => code >= 300);
  expect(
    refused.filter(({ name }) => !['changed', 'deleted', 'replaced'].includes(name ?? '')),
  ).toEqual([]);
});
