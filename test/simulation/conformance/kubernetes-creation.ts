import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../src/kube/resource.ts';
import { collectionOf, done, versionOf } from './kubernetes-collection.ts';
import {
  ACTIVITIES,
  EXAMPLES,
  ORGANIZATIONS,
  OTHER_UID,
  PENDING,
  PIPES,
} from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import { NOWHERE, type Open } from './kubernetes-under-test.ts';

/** What is made, what is not, and what the server says and adds itself. */
export function creationCases(open: Open): void {
  describe.each(EXAMPLES)('creation of $type.kind', ({ type, spec }) => {
    test('gives a uid, a version, generation 1 and the second of the creation', async () => {
      const things = await collectionOf(open, type);
      const from = Math.floor(things.under.now() / 1_000) * 1_000;
      const { apiVersion, kind, metadata, ...content } = done(await things.create('a', { spec }));
      const to = things.under.now();
      expect({ apiVersion, kind }).toEqual({
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: type.kind,
      });
      expect(metadata).toMatchObject({ name: 'a', namespace: things.namespace, generation: 1 });
      expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const created = Date.parse(metadata.creationTimestamp ?? '');
      expect(created >= from && created <= to).toBe(true);
      expect(content).toEqual({ spec, status: PENDING });
      expect(done(await things.get('a'))).toEqual({ apiVersion, kind, metadata, ...content });
    });

    test('begins with the default status, whatever its creator says', async () => {
      const things = await collectionOf(open, type);
      const status = { observedGeneration: 7, attempts: -1 };
      expect(done(await things.create('a', { spec, status })).status).toEqual(PENDING);
    });

    test('is refused under a name that is taken', async () => {
      const things = await collectionOf(open, type);
      const first = done(await things.create('a', { spec }));
      const second = await things.create('a', { spec: { ...spec, suspend: true } });
      expectRefused(second, {
        status: 409,
        reason: 'AlreadyExists',
        message: `${type.plural}.pipewright.dev "a" already exists`,
        of: { type, name: 'a' },
      });
      expect(done(await things.get('a'))).toEqual(first);
    });

    test('is refused without a spec', async () => {
      const things = await collectionOf(open, type);
      const answer = await things.create('a');
      expectRefused(answer, {
        status: 422,
        reason: 'Invalid',
        message: { with: 'spec: Required' },
        of: { type, name: 'a', byKind: true },
      });
      expectRefused(await things.get('a'), {
        status: 404,
        reason: 'NotFound',
        of: { type, name: 'a' },
      });
    });

    test('under a name that was deleted gives another uid and begins anew', async () => {
      const things = await collectionOf(open, type);
      const first = done(await things.create('a', { spec }));
      done(await things.patch('a', { spec: { suspend: true } }));
      done(await things.delete('a'));
      const second = done(await things.create('a', { spec }));
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(second.metadata.generation).toBe(1);
      expect(compareVersions(versionOf(second), versionOf(first))).toBeGreaterThan(0);
    });
  });

  describe('creation', () => {
    test('takes labels, annotations and finalizers, and nothing else of metadata', async () => {
      const things = await collectionOf(open, PIPES.type);
      const said = { labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/a'] };
      const claimed = {
        uid: OTHER_UID,
        generation: 9,
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      const { metadata } = done(
        await things.create('a', { spec: PIPES.spec }, { ...said, ...claimed }),
      );
      expect(metadata).toMatchObject({ ...said, generation: 1 });
      expect(metadata.uid).not.toBe(OTHER_UID);
      expect(metadata.creationTimestamp).not.toBe(claimed.creationTimestamp);
      expect(metadata).not.toHaveProperty('deletionTimestamp');
    });

    test('leaves out labels, annotations and finalizers that are empty', async () => {
      const things = await collectionOf(open, PIPES.type);
      const { metadata } = done(
        await things.create(
          'a',
          { spec: PIPES.spec },
          { labels: {}, annotations: {}, finalizers: [] },
        ),
      );
      for (const field of ['labels', 'annotations', 'finalizers'])
        expect(metadata).not.toHaveProperty(field);
    });

    test('drops fields that the schema does not know, at any depth', async () => {
      const things = await collectionOf(open, PIPES.type);
      const { spec } = PIPES;
      const settings = { ...spec.settings, engine_max_thread: 8 };
      const made = done(
        await things.create('a', { spec: { ...spec, settings, unknown: {} }, unknown: 1 }),
      );
      expect(made.spec).toEqual(spec);
      expect(made).not.toHaveProperty('unknown');
    });

    test('drops a null where a field may be absent', async () => {
      const things = await collectionOf(open, ORGANIZATIONS.type);
      const [endpoint] = ORGANIZATIONS.spec.privateEndpoints;
      const { description: _, ...bare } = endpoint;
      const privateEndpoints = [{ ...bare, description: null }];
      const made = done(
        await things.create('a', {
          spec: { ...ORGANIZATIONS.spec, privateEndpoints, suspend: null },
        }),
      );
      expect(made.spec).toEqual({ ...ORGANIZATIONS.spec, privateEndpoints: [bare] });
    });

    test('keeps an empty list', async () => {
      const things = await collectionOf(open, ORGANIZATIONS.type);
      const spec = { ...ORGANIZATIONS.spec, privateEndpoints: [] };
      expect(done(await things.create('a', { spec })).spec).toEqual(spec);
    });

    test.each([
      PIPES.type,
      { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' },
    ])('of $kind is refused with a version', async (type) => {
      const things = await collectionOf(open, type);
      const spec = type === PIPES.type ? PIPES.spec : {};
      const answer = await things.create('a', { spec }, { resourceVersion: '5' });
      const message = 'resourceVersion should not be set on objects to be created';
      expectRefused(answer, { status: 500, message });
    });

    test('is refused without a name, and what is no JSON is', async () => {
      const things = await collectionOf(open, PIPES.type);
      const nameless = await things.create('', { spec: PIPES.spec });
      expectRefused(nameless, {
        status: 422,
        reason: 'Invalid',
        of: { type: PIPES.type, byKind: true },
      });
      expectRefused(await things.post('{"kind":'), { status: 400, reason: 'BadRequest' });
    });

    test('is refused in a namespace that is not there', async () => {
      const things = await collectionOf(open, PIPES.type);
      const elsewhere = things.in(NOWHERE);
      const answer = await elsewhere.create('a', { spec: PIPES.spec });
      expectRefused(answer, {
        status: 404,
        reason: 'NotFound',
        message: 'namespaces "nowhere" not found',
      });
    });

    test.each([
      { type: PIPES.type, body: { spec: PIPES.spec } },
      {
        type: { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' },
        body: {},
      },
    ])('of $type.kind is refused in a namespace that is being deleted', async ({ type, body }) => {
      const things = await collectionOf(open, type);
      await things.under.terminate(things.namespace ?? '');
      const resource = `${type.plural}.${type.group}`;
      const why = `unable to create new content in namespace ${things.namespace} because it is being terminated`;
      expectRefused(await things.create('a', body), {
        status: 403,
        reason: 'Forbidden',
        message: `${resource} "a" is forbidden: ${why}`,
        of: { type, name: 'a' },
      });
    });

    test.each(WRONG)(
      'of $example.type.kind is refused with $what',
      async ({ example, change, field }) => {
        const { type, spec } = example;
        const things = await collectionOf(open, type);
        const answer = await things.create('a', { spec: { ...spec, ...change } });
        expectRefused(answer, {
          status: 422,
          reason: 'Invalid',
          message: { with: field },
          of: { type, name: 'a', byKind: true },
        });
        expectRefused(await things.get('a'), { status: 404, reason: 'NotFound' });
      },
    );
  });
}

const [ENDPOINT] = ORGANIZATIONS.spec.privateEndpoints;
const settings = (value: object) => ({ settings: value });
const endpoints = (...list: unknown[]) => ({ privateEndpoints: list });
const threads = 'spec.settings.engine_max_threads';

const WRONG = [
  {
    example: PIPES,
    what: 'a number too large',
    change: settings({ engine_max_threads: 65 }),
    field: threads,
  },
  {
    example: PIPES,
    what: 'a number too small',
    change: settings({ engine_max_threads: -1 }),
    field: threads,
  },
  {
    example: PIPES,
    what: 'text for a number',
    change: settings({ engine_max_threads: '8' }),
    field: threads,
  },
  {
    example: PIPES,
    what: 'a fraction',
    change: settings({ engine_max_threads: 5.5 }),
    field: threads,
  },
  { example: PIPES, what: 'no settings', change: settings({}), field: 'spec.settings' },
  {
    example: PIPES,
    what: 'unknown settings only',
    change: settings({ none: 1 }),
    field: 'spec.settings',
  },
  {
    example: PIPES,
    what: 'a null that must be there',
    change: { settings: null },
    field: 'spec.settings',
  },
  { example: PIPES, what: 'a field missing', change: { pipeId: undefined }, field: 'spec.pipeId' },
  {
    example: PIPES,
    what: 'an id of odd characters',
    change: { pipeId: 'a b' },
    field: 'spec.pipeId',
  },
  { example: PIPES, what: 'an unknown mode', change: { mode: 'apply' }, field: 'spec.mode' },
  {
    example: PIPES,
    what: 'too short an interval',
    change: { reassertInterval: '1m' },
    field: 'spec.reassertInterval',
  },
  {
    example: ORGANIZATIONS,
    what: 'neither name nor endpoints',
    change: { name: undefined, privateEndpoints: undefined },
    field: 'spec',
  },
  {
    example: ORGANIZATIONS,
    what: 'an endpoint twice',
    change: endpoints(ENDPOINT, ENDPOINT),
    field: 'privateEndpoints',
  },
  {
    example: ORGANIZATIONS,
    what: 'a null in a list',
    change: endpoints(null),
    field: 'spec.privateEndpoints',
  },
  {
    example: ORGANIZATIONS,
    what: 'an endpoint without a region',
    change: endpoints({ ...ENDPOINT, region: undefined }),
    field: 'spec.privateEndpoints',
  },
  {
    example: ORGANIZATIONS,
    what: 'an id that is no UUID',
    change: { organizationId: 'acme' },
    field: 'spec.organizationId',
  },
  {
    example: ORGANIZATIONS,
    what: 'too long a name',
    change: { name: 'n'.repeat(257) },
    field: 'spec.name',
  },
  {
    example: ORGANIZATIONS,
    what: 'an unknown policy',
    change: { deletionPolicy: 'Remove' },
    field: 'spec.deletionPolicy',
  },
  {
    example: ACTIVITIES,
    what: 'a field missing',
    change: { activityId: undefined },
    field: 'spec.activityId',
  },
  {
    example: ACTIVITIES,
    what: 'a Secret without a name',
    change: { credentialsSecretRef: {} },
    field: 'spec.credentialsSecretRef.name',
  },
];
