import { describe, expect, test } from 'vitest';
import { LEASE } from '../../../src/kube/lease/lease-record.ts';
import { compareVersions } from '../../../src/kube/resource.ts';
import { SECRET } from '../../../src/kube/secrets/secret-state.ts';
import {
  briefly,
  type Collection,
  collectionOf,
  done,
  versionOf,
} from './kubernetes-collection.ts';
import { PIPES } from './kubernetes-examples.ts';
import type { Open, OpenWatch, Told, WatchLine } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;
const EDIT = { spec: { suspend: true } };

function nextOf(watch: OpenWatch, count: number): Promise<WatchLine[]> {
  return Array.from({ length: count }).reduce<Promise<WatchLine[]>>(
    async (lines) => [...(await lines), await watch.next()],
    Promise.resolve([]),
  );
}

/** Makes an object, changes it and deletes it; gives its two versions. */
async function life(things: Collection, name: string): Promise<[Told, Told]> {
  const made = done(await things.create(name, { spec }));
  const edited = done(await things.patch(name, EDIT));
  done(await things.delete(name));
  return [made, edited];
}

/** What a watch brings, and how it ends. */
export function watchCases(open: Open): void {
  describe('a watch', () => {
    test('from the version of a list on misses nothing, and shows nothing of before', async () => {
      const things = await collectionOf(open, type);
      await life(things, 'before');
      const from = versionOf(done(await things.list()));
      const [made, edited] = await life(things, 'a');
      const watch = await things.watch(from);
      const last = done(await things.create('b', { spec }));
      const lines = await nextOf(watch, 4);
      const [, , gone] = lines;
      const resourceVersion = versionOf(gone?.object ?? { metadata: {} });
      expect(lines).toEqual([
        { type: 'ADDED', object: made },
        { type: 'MODIFIED', object: edited },
        {
          type: 'DELETED',
          object: { ...edited, metadata: { ...edited.metadata, resourceVersion } },
        },
        { type: 'ADDED', object: last },
      ]);
      expect(compareVersions(resourceVersion, versionOf(edited))).toBeGreaterThan(0);
      expect(compareVersions(resourceVersion, versionOf(last))).toBeLessThan(0);
    });

    test('goes on from any line of another', async () => {
      const things = await collectionOf(open, type);
      const first = await things.watch(await things.version());
      await life(things, 'a');
      done(await things.create('b', { spec }));
      const lines = await nextOf(first, 4);
      for (const [index, { object }] of lines.slice(0, -1).entries()) {
        const watch = await things.watch(versionOf(object));
        expect(await nextOf(watch, 3 - index)).toEqual(lines.slice(index + 1));
      }
    });

    test('shows a write of the status, and no write that changes nothing', async () => {
      const things = await collectionOf(open, type);
      const made = done(await things.create('a', { spec }));
      const watch = await things.watch(versionOf(made));
      const written = done(await things.put({ ...made, status: { attempts: 1 } }, 'status'));
      done(await things.put(written, 'status'));
      done(await things.patch('a', { metadata: { finalizers: null } }));
      const edited = done(await things.patch('a', EDIT));
      expect(await nextOf(watch, 2)).toEqual([
        { type: 'MODIFIED', object: written },
        { type: 'MODIFIED', object: edited },
      ]);
    });

    test('of one namespace and kind shows no other', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch(await things.version());
      done(await things.beside(SECRET).create('a'));
      done(await things.in(await things.under.newNamespace()).create('a', { spec }));
      done(await things.create('b', { spec }));
      expect((await watch.next()).object.metadata.name).toBe('b');
    });

    test('of all namespaces shows each', async () => {
      const things = await collectionOf(open, type);
      const other = things.in(await things.under.newNamespace());
      const watch = await things.everywhere().watch(await things.version());
      const made = [
        done(await things.create('a', { spec })),
        done(await other.create('a', { spec })),
      ];
      const seen: Told[] = [];
      while (seen.length < 2) {
        const { object } = await watch.next();
        if ([things.namespace, other.namespace].includes(object.metadata.namespace))
          seen.push(object);
      }
      expect(seen).toEqual(made);
    });

    test('by name shows that object only, whatever becomes of it', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch(await things.version(), {
        fieldSelector: 'metadata.name=b',
      });
      await life(things, 'a');
      await life(things, 'b');
      const again = done(await things.create('b', { spec }));
      const lines = (await nextOf(watch, 4)).map(briefly);
      expect(lines.map(({ type, name }) => `${type} ${name}`)).toEqual([
        'ADDED b',
        'MODIFIED b',
        'DELETED b',
        'ADDED b',
      ]);
      expect(lines[3]?.version).toBe(versionOf(again));
    });

    test('by label shows who enters as added, and who leaves as deleted: as it last was, in the version of its leaving', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch(await things.version(), { labelSelector: 'team=x' });
      done(await things.create('a', { spec }));
      const entered = done(await things.patch('a', { metadata: { labels: { team: 'x' } } }));
      const changed = done(await things.patch('a', { metadata: { annotations: { note: 'x' } } }));
      const left = done(await things.patch('a', { metadata: { labels: { team: 'y' } }, ...EDIT }));
      done(await things.patch('a', { metadata: { annotations: { note: 'y' } } }));
      done(await things.delete('a'));
      const born = done(await things.create('b', { spec }, { labels: { team: 'x' } }));
      const resourceVersion = versionOf(left);
      expect(await nextOf(watch, 4)).toEqual([
        { type: 'ADDED', object: entered },
        { type: 'MODIFIED', object: changed },
        {
          type: 'DELETED',
          object: { ...changed, metadata: { ...changed.metadata, resourceVersion } },
        },
        { type: 'ADDED', object: born },
      ]);
    });

    test.each([LEASE, SECRET])('of $kind names the kind in every line', async (type) => {
      const things = await collectionOf(open, type);
      const from = await things.version();
      const made = done(await things.create('a'));
      const watch = await things.watch(from, { fieldSelector: 'metadata.name=a' });
      expect(await watch.next()).toEqual({ type: 'ADDED', object: made });
      expect(made.kind).toBe(type.kind);
    });

    test.each([type, SECRET])(
      'of metadata only shows neither spec nor data, of a deletion neither ($kind)',
      async (type) => {
        const things = await collectionOf(open, type);
        const watch = await things.watchMetadata(await things.version());
        const content = type === SECRET ? { data: { keyId: btoa('id') } } : { spec };
        const { metadata } = done(await things.create('a', content));
        done(await things.delete('a'));
        const form = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
        const [added, deleted] = await nextOf(watch, 2);
        expect(added).toEqual({ type: 'ADDED', object: { ...form, metadata } });
        const resourceVersion = versionOf(deleted?.object ?? { metadata: {} });
        expect(deleted).toEqual({
          type: 'DELETED',
          object: { ...form, metadata: { ...metadata, resourceVersion } },
        });
      },
    );

    test('from a version that the server has forgotten begins well, says so and ends', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch('1', { timeoutSeconds: '60', allowWatchBookmarks: 'true' });
      const [line, ...more] = await watch.rest();
      expect(more).toEqual([]);
      const { message, ...status } = line?.object ?? { metadata: {} };
      expect({ type: line?.type, object: status }).toEqual({
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          reason: 'Expired',
          code: 410,
        },
      });
      expect(message).toMatch(/^too old resource version: 1 \(\d+\)$/);
    });
  });

  describe.concurrent('the time of a watch', () => {
    test('over, it ends well', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch(await things.version(), { timeoutSeconds: '1' });
      const made = done(await things.create('a', { spec }));
      expect(await watch.rest()).toEqual([{ type: 'ADDED', object: made }]);
    });

    test('from a version that is still to come, it begins well, is silent and ends well', async () => {
      const things = await collectionOf(open, type);
      const future = String(Number(await things.version()) + 1_000_000);
      const watch = await things.watch(future, {
        timeoutSeconds: '5',
        allowWatchBookmarks: 'true',
      });
      await life(things, 'a');
      expect(await watch.rest()).toEqual([]);
    });

    test('from a version that is soon to come, it shows what is written after it, and nothing before', async () => {
      const things = await collectionOf(open, type);
      const soon = String(Number(await things.version()) + 3);
      const watch = await things.watch(soon);
      let made: Told;
      let count = 0;
      do {
        count += 1;
        made = done(await things.create(`a-${count}`, { spec }));
      } while (compareVersions(versionOf(made), soon) <= 0);
      expect(await watch.next()).toEqual({ type: 'ADDED', object: made });
    });

    test.each([
      { kind: type.kind, apiVersion: `${type.group}/${type.version}` },
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
    ])(
      'near its end, a watch of $kind that takes bookmarks hears how far it has come',
      async (form) => {
        const things = await collectionOf(open, type);
        const query = { timeoutSeconds: '5', allowWatchBookmarks: 'true' };
        const from = await things.version();
        const watch = await (form.kind === type.kind
          ? things.watch(from, query)
          : things.watchMetadata(from, query));
        const { metadata } = done(await things.create('a', { spec }));
        const [added, bookmark, ...more] = await watch.rest();
        expect(added).toMatchObject({ type: 'ADDED', object: { ...form, metadata } });
        const resourceVersion = versionOf(bookmark?.object ?? { metadata: {} });
        expect(bookmark).toEqual({
          type: 'BOOKMARK',
          object: { ...form, metadata: { resourceVersion } },
        });
        expect(
          compareVersions(resourceVersion, metadata.resourceVersion ?? ''),
        ).toBeGreaterThanOrEqual(0);
        expect(more.filter((line) => line.type !== 'BOOKMARK')).toEqual([]);
      },
    );

    test('near its end, a watch that takes no bookmarks gets none', async () => {
      const things = await collectionOf(open, type);
      const watch = await things.watch(await things.version(), { timeoutSeconds: '5' });
      const made = done(await things.create('a', { spec }));
      expect(await watch.rest()).toEqual([{ type: 'ADDED', object: made }]);
    });
  });
}
