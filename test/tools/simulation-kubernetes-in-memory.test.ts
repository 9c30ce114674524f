import { describe, expect, test } from 'vitest';
import { kubernetesCases } from '../simulation/conformance/kubernetes.ts';
import { collectionOf, done, versionOf } from '../simulation/conformance/kubernetes-collection.ts';
import { PIPES } from '../simulation/conformance/kubernetes-examples.ts';
import { InMemoryKubernetes } from '../simulation/conformance/kubernetes-in-memory.ts';
import { forgottenCases } from '../simulation/conformance/kubernetes-lists.ts';

const { type, spec } = PIPES;

describe('the simulated API server', () => {
  kubernetesCases(() => new InMemoryKubernetes());
});

describe('the simulated API server that forgets', () => {
  forgottenCases(() => new InMemoryKubernetes(1_000));
});

/** What a real one cannot be made to do within a test. */
describe('the simulated API server alone', () => {
  // A real one's watches are answered from memory, which holds on to what etcd has long forgotten.
  test('says that a version is too old once everything of before is forgotten, and takes the one of then', async () => {
    const kubernetes = new InMemoryKubernetes();
    const things = await collectionOf(() => kubernetes, type);
    const made = done(await things.create('a', { spec }));
    const edited = done(await things.patch('a', { spec: { suspend: true } }));
    kubernetes.server.objects.compact();
    const [line, ...more] = await (await things.watch(versionOf(made))).rest();
    expect(line).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(more).toEqual([]);
    const watch = await things.watch(versionOf(edited));
    const last = done(await things.create('b', { spec }));
    expect(await watch.next()).toEqual({ type: 'ADDED', object: last });
  });

  // Of a real one etcd would have to be stopped and its data put back.
  test('goes back to a backup with its versions, and gives those of since a second time', async () => {
    const kubernetes = new InMemoryKubernetes();
    const { objects } = kubernetes.server;
    const things = await collectionOf(() => kubernetes, type);
    const made = done(await things.create('a', { spec }));
    const backup = objects.backup();
    const edited = done(await things.patch('a', { spec: { suspend: true } }));
    done(await things.create('b', { spec }));
    const page = done(await things.list({ limit: '1' }));
    objects.restore(backup, { forwards: false });
    expect(done(await things.list())).toMatchObject({
      items: [made],
      metadata: { resourceVersion: versionOf(made) },
    });
    const { continue: token = '' } = page.metadata;
    expect(await things.list({ limit: '1', continue: token })).toMatchObject({ status: 504 });
    const watch = await things.watch(versionOf(edited));
    const other = done(await things.patch('a', { metadata: { annotations: { note: 'x' } } }));
    expect(versionOf(other)).toBe(versionOf(edited));
    const next = done(await things.patch('a', { spec: { suspend: true } }));
    expect(await watch.next()).toEqual({ type: 'MODIFIED', object: next });
    expect(await things.list({ limit: '1', continue: token })).toMatchObject({ status: 410 });
  });
});
