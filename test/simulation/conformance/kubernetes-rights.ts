import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EVENT } from '../../../src/kube/events/event-body.ts';
import { LEASE } from '../../../src/kube/lease/lease-record.ts';
import type { ResourceType } from '../../../src/kube/resource.ts';
import { SECRET } from '../../../src/kube/secrets/secret-state.ts';
import type { Right } from '../kubernetes/rights.ts';
import { type Collection, collectionOf, done, versionOf } from './kubernetes-collection.ts';
import { PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import type { Answer, Open } from './kubernetes-under-test.ts';

const { type, spec } = PIPES;
const BY_NAME = { fieldSelector: 'metadata.name=a' };

interface Attempt {
  readonly what: string;
  readonly type: ResourceType;
  readonly run: (things: Collection) => Promise<Answer>;
  readonly verb: string;
  /** Where it is not the plural. */
  readonly resource?: string;
  /** The object is named in the refusal. */
  readonly names?: string;
  readonly everywhere?: true;
}

const absent = { metadata: { name: 'a' } };

const ATTEMPTS: readonly Attempt[] = [
  {
    what: 'list all',
    type,
    run: (things) => things.everywhere().list(),
    verb: 'list',
    everywhere: true,
  },
  { what: 'list', type, run: (things) => things.list(), verb: 'list' },
  { what: 'list by name', type, run: (things) => things.list(BY_NAME), verb: 'list', names: 'a' },
  {
    what: 'list Secrets',
    type: SECRET,
    run: (things) => things.listMetadata(BY_NAME),
    verb: 'list',
    names: 'a',
  },
  {
    what: 'watch all',
    type,
    run: (things) => things.everywhere().askToWatch('1'),
    verb: 'watch',
    everywhere: true,
  },
  { what: 'watch', type, run: (things) => things.askToWatch('1'), verb: 'watch' },
  {
    what: 'watch by name',
    type: SECRET,
    run: (things) => things.askToWatch('1', BY_NAME),
    verb: 'watch',
    names: 'a',
  },
  { what: 'read', type, run: (things) => things.get('a'), verb: 'get', names: 'a' },
  {
    what: 'read a Secret',
    type: SECRET,
    run: (things) => things.get('a'),
    verb: 'get',
    names: 'a',
  },
  { what: 'create', type, run: (things) => things.create('a', { spec }), verb: 'create' },
  { what: 'create an event', type: EVENT, run: (things) => things.create('a'), verb: 'create' },
  { what: 'create a Lease', type: LEASE, run: (things) => things.create('a'), verb: 'create' },
  { what: 'create what is no JSON', type, run: (things) => things.post('{'), verb: 'create' },
  { what: 'replace', type, run: (things) => things.put(absent), verb: 'update', names: 'a' },
  {
    what: 'replace a Lease',
    type: LEASE,
    run: (things) => things.put(absent),
    verb: 'update',
    names: 'a',
  },
  {
    what: 'replace the status',
    type,
    run: (things) => things.put(absent, 'status'),
    verb: 'update',
    resource: 'pipesettings/status',
    names: 'a',
  },
  { what: 'patch', type, run: (things) => things.patch('a', {}), verb: 'patch', names: 'a' },
  { what: 'delete', type, run: (things) => things.delete('a'), verb: 'delete', names: 'a' },
];

/** A user who may do this in the namespace, where no rule says otherwise. */
async function userWith(
  open: Open,
  type: ResourceType,
  rules: (namespace: string) => readonly Right[],
) {
  const things = await collectionOf(open, type);
  const name = `user-${randomUUID().slice(0, 13)}`;
  await things.under.give(name, rules(things.namespace ?? ''));
  return { things, name, theirs: things.as(name) };
}

const isForbidden = { status: 403, reason: 'Forbidden' };

/** Who may do what, and what others are told. */
export function rightsCases(open: Open): void {
  describe('without the right', () => {
    test.each(ATTEMPTS)(
      'nobody can $what, and is told which is missing and nothing else',
      async (attempt) => {
        const { things, name, theirs } = await userWith(open, attempt.type, () => []);
        const { group, plural } = attempt.type;
        const { verb, resource = plural, names, everywhere } = attempt;
        const whole = group === '' ? plural : `${plural}.${group}`;
        const what = names === undefined ? whole : `${whole} "${names}"`;
        const where = everywhere
          ? 'at the cluster scope'
          : `in the namespace "${things.namespace}"`;
        expectRefused(await attempt.run(theirs), {
          ...isForbidden,
          message: `${what} is forbidden: User "${name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`,
          of: { type: attempt.type, ...(names !== undefined && { name: names }) },
        });
      },
    );
  });

  describe('with a right', () => {
    test('in a namespace, that is done there, and nothing else or elsewhere', async () => {
      const verbs = ['get', 'list', 'watch', 'patch'];
      const { things, theirs } = await userWith(open, type, (namespace) => [
        { group: type.group, resources: [type.plural], verbs, namespace },
      ]);
      const made = done(await things.create('a', { spec }));
      expect(done(await theirs.get('a'))).toEqual(made);
      expect(done(await theirs.list()).items).toEqual([made]);
      const watch = await theirs.watch(versionOf(made));
      const patched = done(await theirs.patch('a', { spec: { suspend: true } }));
      expect(await watch.next()).toEqual({ type: 'MODIFIED', object: patched });
      expectRefused(await theirs.get('b'), { status: 404, reason: 'NotFound' });
      const elsewhere = theirs.in(await things.under.newNamespace());
      for (const answer of [
        await theirs.everywhere().list(),
        await elsewhere.list(),
        await theirs.beside(LEASE).list(),
        await theirs.put(patched),
        await theirs.put(patched, 'status'),
        await theirs.delete('a'),
      ]) {
        expectRefused(answer, isForbidden);
      }
      expect(done(await things.get('a'))).toEqual(patched);
    });

    test('to the status, the status is written and nothing else', async () => {
      const { things, theirs } = await userWith(open, type, (namespace) => [
        { group: type.group, resources: [`${type.plural}/status`], verbs: ['update'], namespace },
      ]);
      const made = done(await things.create('a', { spec }));
      const written = done(await theirs.put({ ...made, status: { attempts: 1 } }, 'status'));
      expect(written).toMatchObject({ spec, status: { attempts: 1 } });
      expectRefused(await theirs.put(written), isForbidden);
      expectRefused(await theirs.get('a'), isForbidden);
    });

    test('to one name, that one is read, listed and watched by its name, and no other', async () => {
      const verbs = ['get', 'list', 'watch', 'create'];
      const { things, theirs } = await userWith(open, SECRET, (namespace) => [
        { group: '', resources: ['secrets'], names: ['a'], verbs, namespace },
      ]);
      const other = { fieldSelector: 'metadata.name=b' };
      const from = await things.version();
      const made = done(await things.create('a', { data: { keyId: btoa('id') } }));
      done(await things.create('b'));
      expect(done(await theirs.get('a'))).toEqual(made);
      expect(done(await theirs.listMetadata(BY_NAME)).items).toHaveLength(1);
      expect((await (await theirs.watchMetadata(from, BY_NAME)).next()).object.metadata.name).toBe(
        'a',
      );
      done(await things.delete('a'));
      expectRefused(await theirs.get('a'), { status: 404, reason: 'NotFound' });
      expect(done(await theirs.list(BY_NAME)).items).toEqual([]);
      for (const answer of [
        await theirs.get('b'),
        await theirs.list(other),
        await theirs.askToWatch(from, other),
        await theirs.list(),
        await theirs.askToWatch(from),
        await theirs.create('a'),
      ]) {
        expectRefused(answer, isForbidden);
      }
    });

    test('in no one namespace, that is done in all, and for all at once', async () => {
      const { things, theirs } = await userWith(open, type, () => [
        { group: type.group, resources: [type.plural], verbs: ['list'] },
      ]);
      done(await things.create('a', { spec }));
      for (const there of [
        theirs,
        theirs.everywhere(),
        theirs.in(await things.under.newNamespace()),
      ]) {
        done(await there.list());
      }
      expectRefused(await theirs.get('a'), isForbidden);
    });

    test('that is taken away, nothing is done any more, but an open watch goes on', async () => {
      const verbs = ['list', 'watch'];
      const { things, name, theirs } = await userWith(open, type, (namespace) => [
        { group: type.group, resources: [type.plural], verbs, namespace },
      ]);
      const from = await things.version();
      const watch = await theirs.watch(from);
      await things.under.give(name, []);
      expectRefused(await theirs.list(), isForbidden);
      expectRefused(await theirs.askToWatch(from), isForbidden);
      const made = done(await things.create('a', { spec }));
      expect(await watch.next()).toEqual({ type: 'ADDED', object: made });
    });
  });
}
