import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../src/kube/resource.ts';
import { type Collection, collectionOf, done, versionOf } from './kubernetes-collection.ts';
import { EXAMPLES, ORGANIZATIONS, OTHER_UID, PENDING, PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import type { Open, Told } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;
/** A status that says little. */
const SEEN = { observedGeneration: 1 };

/** An object whose status was written once: who made it is long gone. */
async function visited(
  open: Open,
): Promise<{ readonly things: Collection; readonly object: Told }> {
  const things = await collectionOf(open, type);
  const made = done(
    await things.create('a', { spec }, { labels: { team: 'a' }, finalizers: ['example.com/a'] }),
  );
  return { things, object: done(await things.put({ ...made, status: SEEN }, 'status')) };
}

function withMeta(object: Told, metadata: object): Told {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

function isNewer(now: Told, before: Told): boolean {
  return compareVersions(versionOf(now), versionOf(before)) > 0;
}

/** What replacing an object does, and replacing its status. */
export function writeCases(open: Open): void {
  describe('a write', () => {
    test('of another spec makes the next generation and a new version', async () => {
      const { things, object } = await visited(open);
      const edited = done(await things.put({ ...object, spec: { ...spec, suspend: true } }));
      expect(edited.metadata.generation).toBe(2);
      expect(isNewer(edited, object)).toBe(true);
      expect(edited).toMatchObject({ spec: { ...spec, suspend: true }, status: SEEN });
      expect(done(await things.get('a'))).toEqual(edited);
    });

    test('of labels and annotations alone makes a new version of the same generation', async () => {
      const { things, object } = await visited(open);
      const edited = done(await things.put(withMeta(object, { annotations: { note: 'x' } })));
      expect(edited.metadata).toMatchObject({
        generation: 1,
        labels: { team: 'a' },
        annotations: { note: 'x' },
      });
      expect(isNewer(edited, object)).toBe(true);
    });

    test('takes off the labels and finalizers that it does not name', async () => {
      const { things, object } = await visited(open);
      const { labels: _, finalizers: __, ...bare } = object.metadata;
      const edited = done(await things.put({ ...object, metadata: bare }));
      expect(edited.metadata).not.toHaveProperty('labels');
      expect(edited.metadata).not.toHaveProperty('finalizers');
    });

    test('of the object leaves its status as it is', async () => {
      const { things, object } = await visited(open);
      const edited = done(
        await things.put({ ...object, spec: { ...spec, suspend: true }, status: { attempts: 9 } }),
      );
      expect(edited.status).toEqual(SEEN);
    });

    test('of the status leaves everything else as it is, and the generation', async () => {
      const { things, object } = await visited(open);
      const said = withMeta(object, {
        labels: { team: 'b' },
        annotations: { note: 'x' },
        finalizers: [],
      });
      const written = done(
        await things.put(
          { ...said, spec: { ...spec, pipeId: 'other' }, status: { attempts: 1 } },
          'status',
        ),
      );
      expect(written.spec).toEqual(spec);
      expect(written.metadata).toMatchObject({
        generation: 1,
        labels: { team: 'a' },
        finalizers: ['example.com/a'],
      });
      expect(written.metadata).not.toHaveProperty('annotations');
      expect(isNewer(written, object)).toBe(true);
    });

    test('of the status needs no spec and replaces the whole status', async () => {
      const { things, object } = await visited(open);
      const { spec: _, ...bare } = object;
      const written = done(await things.put({ ...bare, status: { attempts: 1 } }, 'status'));
      expect(written).toMatchObject({ spec });
      expect(written.status).toEqual({ attempts: 1 });
      expect(done(await things.put({ ...written, status: {} }, 'status')).status).toEqual({});
    });

    test.each([undefined, null])(
      'of a status that is %s brings the default back',
      async (status) => {
        const { things, object } = await visited(open);
        expect(done(await things.put({ ...object, status }, 'status')).status).toEqual(PENDING);
      },
    );

    test('of the status drops what the schema does not know, and what is null', async () => {
      const { things, object } = await visited(open);
      const said = {
        attempts: 1,
        nextAttemptTime: null,
        unknown: 1,
        lastRequest: REQUEST_WITH_MORE,
      };
      const written = done(await things.put({ ...object, status: said }, 'status'));
      expect(written.status).toEqual({ attempts: 1, lastRequest: REQUEST });
    });

    test('of a status that the schema does not allow is refused', async () => {
      const { things, object } = await visited(open);
      for (const status of [
        { attempts: -1 },
        { conditions: [{ type: 'Ready' }] },
        { nextAttemptTime: 'soon' },
      ]) {
        expectRefused(await things.put({ ...object, status }, 'status'), {
          status: 422,
          reason: 'Invalid',
          message: { with: `status.${Object.keys(status).join()}` },
          of: { type, name: 'a', byKind: true },
        });
      }
      expect(done(await things.get('a'))).toEqual(object);
    });

    test('that changes nothing makes no version', async () => {
      const { things, object } = await visited(open);
      const empty = withMeta(object, { annotations: {} });
      expect(versionOf(done(await things.put(object)))).toBe(versionOf(object));
      expect(versionOf(done(await things.put(empty)))).toBe(versionOf(object));
      expect(versionOf(done(await things.put(object, 'status')))).toBe(versionOf(object));
      expect(done(await things.get('a'))).toEqual(object);
    });

    test('that changes nothing makes a version all the same, once, where it is the first one', async () => {
      const things = await collectionOf(open, type);
      const made = done(await things.create('a', { spec }));
      const first = done(await things.put(made));
      expect(isNewer(first, made)).toBe(true);
      expect({ ...first, metadata: undefined }).toEqual({ ...made, metadata: undefined });
      expect(versionOf(done(await things.put(first)))).toBe(versionOf(first));
    });
  });

  describe.each([
    { of: 'an object', subresource: undefined },
    { of: 'a status', subresource: 'status' },
  ] as const)('a write of $of', ({ subresource }) => {
    const change = (object: Told): Told =>
      subresource
        ? { ...object, status: { attempts: 5 } }
        : { ...object, spec: { ...spec, suspend: true } };

    test('on another version than the last one is refused', async () => {
      const { things, object } = await visited(open);
      const newest = done(await things.patch('a', { metadata: { annotations: { note: 'x' } } }));
      for (const resourceVersion of [versionOf(object), `${versionOf(newest)}0`]) {
        expectRefused(
          await things.put(change(withMeta(newest, { resourceVersion })), subresource),
          CONFLICT,
        );
      }
      expect(done(await things.get('a'))).toEqual(newest);
    });

    test('on an old version is refused for that, whatever else is wrong with it', async () => {
      const { things, object } = await visited(open);
      done(await things.patch('a', { metadata: { annotations: { note: 'x' } } }));
      const wrong = { ...object, spec: {}, status: { attempts: -1 } };
      expectRefused(await things.put(wrong, subresource), CONFLICT);
    });

    test('with the uid of another object is refused', async () => {
      const { things, object } = await visited(open);
      for (const resourceVersion of [versionOf(object), '1']) {
        const other = withMeta(object, { uid: OTHER_UID, resourceVersion });
        const of = { type, name: 'a' };
        const message = {
          with: `UID in precondition: ${OTHER_UID}, UID in object meta: ${object.metadata.uid}`,
        };
        expectRefused(await things.put(change(other), subresource), {
          status: 409,
          reason: 'Conflict',
          message,
          of,
        });
      }
      expect(done(await things.get('a'))).toEqual(object);
    });

    test('without a uid is done', async () => {
      const { things, object } = await visited(open);
      const edited = done(
        await things.put(change(withMeta(object, { uid: undefined })), subresource),
      );
      expect(edited.metadata.uid).toBe(object.metadata.uid);
      expect(isNewer(edited, object)).toBe(true);
    });

    test('without a version is refused', async () => {
      const { things, object } = await visited(open);
      for (const resourceVersion of [undefined, '']) {
        expectRefused(
          await things.put(change(withMeta(object, { resourceVersion })), subresource),
          {
            status: 422,
            reason: 'Invalid',
            message: { with: 'metadata.resourceVersion' },
            of: { type, name: 'a' },
          },
        );
      }
    });

    test('of what is not there finds nothing', async () => {
      const { things, object } = await visited(open);
      const answer = await things.put(withMeta(object, { name: 'b' }), subresource);
      const message = 'pipesettings.pipewright.dev "b" not found';
      expectRefused(answer, { status: 404, reason: 'NotFound', message, of: { type, name: 'b' } });
    });
  });

  describe.each(EXAMPLES)('a write of $type.kind', (example) => {
    test.each(Object.entries(example.immutable))('cannot change %s to %s', async (field, value) => {
      const things = await collectionOf(open, example.type);
      const made = done(await things.create('a', { spec: example.spec }));
      const refused = {
        status: 422,
        reason: 'Invalid',
        message: { with: `spec.${field}: Forbidden: is immutable` },
      };
      expectRefused(await things.put({ ...made, spec: { ...made.spec, [field]: value } }), refused);
      expectRefused(await things.patch('a', { spec: { [field]: value } }), refused);
      expect(done(await things.get('a'))).toEqual(made);
    });

    test('cannot leave out the spec', async () => {
      const things = await collectionOf(open, example.type);
      const { spec: _, ...bare } = done(await things.create('a', { spec: example.spec }));
      expectRefused(await things.put(bare), {
        status: 422,
        reason: 'Invalid',
        message: { with: 'spec: Required' },
      });
    });
  });

  test('a field that a write leaves out is gone', async () => {
    const things = await collectionOf(open, ORGANIZATIONS.type);
    const made = done(await things.create('a', { spec: ORGANIZATIONS.spec }));
    const { privateEndpoints: _, ...less } = ORGANIZATIONS.spec;
    const edited = done(await things.put({ ...made, spec: less }));
    expect(edited.spec).toEqual(less);
    expect(edited.metadata.generation).toBe(2);
  });
}

const REQUEST = { operation: 'put-settings', outcome: 'Succeeded', time: '2026-03-01T00:00:00Z' };
const REQUEST_WITH_MORE = { ...REQUEST, requestId: null, unknown: { deep: 1 } };

const CONFLICT = {
  status: 409,
  reason: 'Conflict',
  message:
    'Operation cannot be fulfilled on pipesettings.pipewright.dev "a": the object has been modified; please apply your changes to the latest version and try again',
  of: { type, name: 'a' },
};
