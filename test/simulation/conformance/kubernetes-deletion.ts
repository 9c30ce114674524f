import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../src/kube/resource.ts';
import {
  briefly,
  type Collection,
  collectionOf,
  done,
  versionOf,
} from './kubernetes-collection.ts';
import { PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import type { Open, OpenWatch, Told } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;
const ONE = 'example.com/one';
const TWO = 'example.com/two';

interface Scene {
  readonly things: Collection;
  readonly object: Told;
  /** From the creation on, which it does not show. */
  readonly watch: OpenWatch;
}

async function held(open: Open, finalizers: readonly string[]): Promise<Scene> {
  const things = await collectionOf(open, type);
  const object = done(await things.create('a', { spec }, { finalizers }));
  return { things, object, watch: await things.watch(versionOf(object)) };
}

/** What a deletion does, at once and by and by. */
export function deletionCases(open: Open): void {
  describe('a deletion', () => {
    test('of what nothing holds is done at once, and says of which uid', async () => {
      const { things, object, watch } = await held(open, []);
      expect(done(await things.delete('a'))).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', group: type.group, kind: type.plural, uid: object.metadata.uid },
      });
      expectRefused(await things.get('a'), {
        status: 404,
        reason: 'NotFound',
        of: { type, name: 'a' },
      });
      const line = await watch.next();
      const { resourceVersion } = line.object.metadata;
      expect(line).toEqual({
        type: 'DELETED',
        object: { ...object, metadata: { ...object.metadata, resourceVersion } },
      });
      expect(compareVersions(resourceVersion ?? '', versionOf(object))).toBeGreaterThan(0);
    });

    test('of what is not there finds nothing', async () => {
      const things = await collectionOf(open, type);
      expectRefused(await things.delete('a'), {
        status: 404,
        reason: 'NotFound',
        of: { type, name: 'a' },
      });
    });

    test('of what a finalizer holds marks it, in the next generation', async () => {
      const { things, object, watch } = await held(open, [ONE]);
      const from = Math.floor(things.under.now() / 1_000) * 1_000;
      const marked = done(await things.delete('a'));
      const { deletionTimestamp = '' } = marked.metadata;
      expect(deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Date.parse(deletionTimestamp)).toBeGreaterThanOrEqual(from);
      expect(marked).toEqual({
        ...object,
        metadata: {
          ...object.metadata,
          generation: 2,
          deletionTimestamp,
          deletionGracePeriodSeconds: 0,
          resourceVersion: expect.any(String) as string,
        },
      });
      expect(compareVersions(versionOf(marked), versionOf(object))).toBeGreaterThan(0);
      expect(done(await things.get('a'))).toEqual(marked);
      expect(await watch.next()).toEqual({ type: 'MODIFIED', object: marked });
    });

    test('of what is being deleted changes nothing', async () => {
      const { things } = await held(open, [ONE]);
      const marked = done(await things.delete('a'));
      expect(done(await things.delete('a'))).toEqual(marked);
    });

    test('cannot be taken back', async () => {
      const { things } = await held(open, [ONE]);
      const marked = done(await things.delete('a'));
      const { deletionTimestamp } = marked.metadata;
      done(
        await things.patch('a', {
          metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null },
        }),
      );
      const { deletionTimestamp: _, ...rest } = marked.metadata;
      const newest = done(
        await things.put({ ...marked, metadata: { ...rest, annotations: { note: 'x' } } }),
      );
      expect(newest.metadata).toMatchObject({ deletionTimestamp, annotations: { note: 'x' } });
    });

    test('leaves spec and status open to change', async () => {
      const { things } = await held(open, [ONE]);
      done(await things.delete('a'));
      const edited = done(await things.patch('a', { spec: { suspend: true } }));
      expect(edited.metadata.generation).toBe(3);
      const written = done(await things.put({ ...edited, status: { attempts: 1 } }, 'status'));
      expect(written).toMatchObject({
        spec: { suspend: true },
        status: { attempts: 1 },
        metadata: { generation: 3 },
      });
    });

    test('lets nobody add a finalizer, but put them in another order and take one off', async () => {
      const { things } = await held(open, [ONE, TWO]);
      const marked = done(await things.delete('a'));
      for (const finalizers of [[ONE, TWO, 'example.com/three'], ['example.com/three']]) {
        const refused = {
          status: 422,
          reason: 'Invalid',
          message: { with: 'metadata.finalizers: Forbidden: no new finalizers can be added' },
        };
        expectRefused(await things.patch('a', { metadata: { finalizers } }), refused);
        expectRefused(
          await things.put({ ...marked, metadata: { ...marked.metadata, finalizers } }),
          refused,
        );
      }
      const turned = done(await things.patch('a', { metadata: { finalizers: [TWO, ONE] } }));
      expect(turned.metadata.finalizers).toEqual([TWO, ONE]);
      const less = done(await things.patch('a', { metadata: { finalizers: [ONE] } }));
      expect(less.metadata).toMatchObject({ finalizers: [ONE], generation: 2 });
      expect(done(await things.get('a'))).toEqual(less);
    });

    test('is done when the last finalizer is off; the answer has the version from before, the watch the finalizer still on', async () => {
      const { things, watch } = await held(open, [ONE]);
      const marked = done(await things.delete('a'));
      const { finalizers: _, ...metadata } = marked.metadata;
      const { resourceVersion } = metadata;
      const last = done(
        await things.patch('a', { metadata: { resourceVersion, finalizers: null } }),
      );
      expect({ ...last.metadata, managedFields: 0 }).toEqual({ ...metadata, managedFields: 0 });
      expectRefused(await things.get('a'), { status: 404, reason: 'NotFound' });
      await watch.next();
      const line = await watch.next();
      expect(line.object.metadata).toMatchObject({ finalizers: [ONE], generation: 2 });
      expect(line.type).toBe('DELETED');
      expect(compareVersions(versionOf(line.object), versionOf(marked))).toBeGreaterThan(0);
    });

    test('is done too when a PUT takes off the last finalizer, and what else that changes is never seen', async () => {
      const { things, watch } = await held(open, [ONE]);
      const marked = done(await things.delete('a'));
      const { finalizers: _, ...metadata } = marked.metadata;
      const last = done(
        await things.put({ ...marked, metadata, spec: { ...spec, suspend: true } }),
      );
      expect(last).toMatchObject({
        spec: { suspend: true },
        metadata: { resourceVersion: versionOf(marked) },
      });
      await watch.next();
      expect((await watch.next()).object.spec).toEqual(spec);
    });

    test('is not done by taking a finalizer off an old version', async () => {
      const { things, object } = await held(open, [ONE]);
      done(await things.delete('a'));
      const { resourceVersion } = object.metadata;
      const answer = await things.patch('a', { metadata: { resourceVersion, finalizers: null } });
      expectRefused(answer, { status: 409, reason: 'Conflict', of: { type, name: 'a' } });
      expect(done(await things.get('a')).metadata.finalizers).toEqual([ONE]);
    });

    test('leaves nothing whose status could be written', async () => {
      const { things, object } = await held(open, []);
      done(await things.delete('a'));
      const refused = { status: 404, reason: 'NotFound', of: { type, name: 'a' } };
      expectRefused(await things.put({ ...object, status: { attempts: 1 } }, 'status'), refused);
      expectRefused(await things.patch('a', { metadata: { finalizers: [ONE] } }), refused);
    });

    test('and another object of the name are two: a write meant for the first is refused', async () => {
      const { things, object, watch } = await held(open, []);
      done(await things.delete('a'));
      const second = done(await things.create('a', { spec }));
      expect(second.metadata.uid).not.toBe(object.metadata.uid);
      const { resourceVersion } = second.metadata;
      for (const version of [versionOf(object), resourceVersion]) {
        const old = {
          ...object,
          metadata: { ...object.metadata, resourceVersion: version },
        } as Told;
        expectRefused(await things.put({ ...old, status: {} }, 'status'), {
          status: 409,
          reason: 'Conflict',
        });
      }
      expect([briefly(await watch.next()).type, briefly(await watch.next())]).toEqual([
        'DELETED',
        { type: 'ADDED', name: 'a', version: resourceVersion },
      ]);
    });
  });
}
