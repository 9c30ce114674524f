import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../src/kube/resource.ts';
import { type Collection, collectionOf, done, versionOf } from './kubernetes-collection.ts';
import { OTHER_UID, PENDING, PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import type { Open, Told } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;

async function made(open: Open): Promise<{ readonly things: Collection; readonly object: Told }> {
  const things = await collectionOf(open, type);
  return {
    things,
    object: done(await things.create('a', { spec }, { annotations: { a: '1', b: '2' } })),
  };
}

/** What a JSON merge patch does. */
export function patchCases(open: Open): void {
  describe('a merge patch', () => {
    test('changes what it names, takes off what it makes null, and leaves the rest', async () => {
      const { things } = await made(open);
      const change = { engine_max_threads: null, engine_max_insert_threads: 4 };
      const patched = done(
        await things.patch('a', {
          metadata: { annotations: { a: null, c: '3' } },
          spec: { settings: change },
        }),
      );
      const { engine_max_threads: _, ...kept } = spec.settings;
      expect(patched.spec).toEqual({
        ...spec,
        settings: { ...kept, engine_max_insert_threads: 4 },
      });
      expect(patched.metadata).toMatchObject({ generation: 2, annotations: { b: '2', c: '3' } });
      expect(patched.metadata.annotations).not.toHaveProperty('a');
    });

    test('replaces the whole list of finalizers, in a new version of the same generation', async () => {
      const { things, object } = await made(open);
      const one = done(
        await things.patch('a', { metadata: { finalizers: ['example.com/b', 'example.com/a'] } }),
      );
      expect(one.metadata).toMatchObject({
        finalizers: ['example.com/b', 'example.com/a'],
        generation: 1,
      });
      expect(compareVersions(versionOf(one), versionOf(object))).toBeGreaterThan(0);
      const two = done(await things.patch('a', { metadata: { finalizers: ['example.com/c'] } }));
      expect(two.metadata.finalizers).toEqual(['example.com/c']);
      const none = done(await things.patch('a', { metadata: { finalizers: null } }));
      expect(none.metadata).not.toHaveProperty('finalizers');
    });

    test('with the version of now is done', async () => {
      const { things, object } = await made(open);
      const { resourceVersion } = object.metadata;
      const patched = done(
        await things.patch('a', { metadata: { resourceVersion, finalizers: ['example.com/a'] } }),
      );
      expect(patched.metadata.finalizers).toEqual(['example.com/a']);
    });

    test('with another version is refused, even where it changes nothing', async () => {
      const { things, object } = await made(open);
      const newest = done(await things.patch('a', { spec: { suspend: true } }));
      const { resourceVersion } = object.metadata;
      for (const change of [{ finalizers: ['example.com/a'] }, { uid: OTHER_UID }, {}]) {
        expectRefused(await things.patch('a', { metadata: { resourceVersion, ...change } }), {
          status: 409,
          reason: 'Conflict',
          of: { type, name: 'a' },
        });
      }
      expect(done(await things.get('a'))).toEqual(newest);
    });

    test.each([null, ''])('with the version %j is refused', async (resourceVersion) => {
      const { things } = await made(open);
      const answer = await things.patch('a', {
        metadata: { resourceVersion, annotations: { c: '3' } },
      });
      expectRefused(answer, {
        status: 422,
        reason: 'Invalid',
        message: { with: 'metadata.resourceVersion' },
      });
    });

    test('with its own uid is done, with another one refused as wrong and not as a conflict', async () => {
      const { things, object } = await made(open);
      const { uid } = object.metadata;
      const patched = done(await things.patch('a', { metadata: { uid, annotations: { c: '3' } } }));
      expect(patched.metadata.annotations).toHaveProperty('c', '3');
      const answer = await things.patch('a', {
        metadata: { uid: OTHER_UID, annotations: { d: '4' } },
      });
      expectRefused(answer, { status: 422, reason: 'Invalid', message: { with: 'metadata.uid' } });
      expect(done(await things.get('a'))).toEqual(patched);
    });

    test('cannot make up what is the server’s to say', async () => {
      const { things, object } = await made(open);
      const claimed = {
        generation: 9,
        creationTimestamp: '2001-01-01T00:00:00Z',
        annotations: { c: '3' },
      };
      const { metadata } = done(await things.patch('a', { metadata: claimed }));
      const { creationTimestamp } = object.metadata;
      expect(metadata).toMatchObject({ generation: 1, creationTimestamp, annotations: { c: '3' } });
    });

    test('that changes nothing makes no version', async () => {
      const { things } = await made(open);
      const first = done(await things.patch('a', { spec: { suspend: true } }));
      const changes = [
        { spec: { suspend: true } },
        { metadata: { finalizers: null } },
        { metadata: { finalizers: [] } },
      ];
      for (const change of [...changes, { metadata: { annotations: { a: '1' } } }, {}]) {
        expect(versionOf(done(await things.patch('a', change)))).toBe(versionOf(first));
      }
    });

    test('of the object leaves its status, of the status everything else', async () => {
      const { things } = await made(open);
      const change = { spec: { suspend: true }, status: { attempts: 3 } };
      const first = done(await things.patch('a', change));
      expect(first).toMatchObject({ spec: { ...spec, suspend: true } });
      expect(first.status).toEqual(PENDING);
      const second = done(
        await things.patch('a', { ...change, spec: { suspend: false } }, 'status'),
      );
      expect(second.spec).toEqual({ ...spec, suspend: true });
      expect(second.status).toEqual({ ...PENDING, attempts: 3 });
    });

    test('into what the schema does not allow is refused', async () => {
      const { things, object } = await made(open);
      for (const change of [{ settings: { engine_max_threads: 99 } }, null]) {
        expectRefused(await things.patch('a', { spec: change }), {
          status: 422,
          reason: 'Invalid',
          message: { with: 'spec' },
          of: { type, name: 'a', byKind: true },
        });
      }
      expect(done(await things.get('a'))).toEqual(object);
    });

    test('of what is not there finds nothing', async () => {
      const { things } = await made(open);
      expectRefused(await things.patch('b', { spec: { suspend: true } }), {
        status: 404,
        reason: 'NotFound',
        message: 'pipesettings.pipewright.dev "b" not found',
        of: { type, name: 'b' },
      });
    });

    test('has to call itself one', async () => {
      const { things, object } = await made(open);
      const { namespace, name } = object.metadata;
      const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings/${name}`;
      const ask = { method: 'PATCH', path, contentType: 'application/json', body: {} };
      expectRefused(await things.under.send(ask), { status: 415, reason: 'UnsupportedMediaType' });
    });
  });
}
