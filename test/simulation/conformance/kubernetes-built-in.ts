import { describe, expect, test } from 'vitest';
import { EVENT, type EventBody, eventBody } from '../../../src/kube/events/event-body.ts';
import {
  type Claim,
  claimed,
  LEASE,
  type Lease,
  released,
} from '../../../src/kube/lease/lease-record.ts';
import { compareVersions, type KubeObject } from '../../../src/kube/resource.ts';
import { changedAt, SECRET } from '../../../src/kube/secrets/secret-state.ts';
import { type Collection, collectionOf, done, versionOf } from './kubernetes-collection.ts';
import { OTHER_UID, PIPES } from './kubernetes-examples.ts';
import { expectRefused } from './kubernetes-refused.ts';
import type { Open, Told } from './kubernetes-under-test.ts';

/** The kinds of the API server itself, as the operator sends and reads them. */
export function builtInCases(open: Open): void {
  describe('a Lease', () => {
    test('is made as the operator sends it, and has no generation', async () => {
      const leases = await collectionOf(open, LEASE);
      const draft = claimed(undefined, claimBy('one', leases));
      const lease = done(await leases.post(draft));
      expect(lease.spec).toEqual(draft.spec);
      expect(lease.metadata).not.toHaveProperty('generation');
      const again = await leases.post(draft);
      expectRefused(again, {
        status: 409,
        reason: 'AlreadyExists',
        of: { type: LEASE, name: 'leader' },
      });
    });

    test('is renewed, taken over and released on the last version only', async () => {
      const leases = await collectionOf(open, LEASE);
      const first = asLease(done(await leases.post(claimed(undefined, claimBy('one', leases)))));
      const second = asLease(
        done(await leases.put(asTold(claimed(first, claimBy('one', leases, 2_000))))),
      );
      const refused = { status: 409, reason: 'Conflict', of: { type: LEASE, name: 'leader' } };
      expectRefused(
        await leases.put(asTold(claimed(first, claimBy('two', leases, 3_000)))),
        refused,
      );
      const third = asLease(
        done(await leases.put(asTold(claimed(second, claimBy('two', leases, 4_000))))),
      );
      expect(third.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
      const draft = released(third, leases.under.now());
      const fourth = done(await leases.put(asTold(draft)));
      expect(fourth.spec).toEqual(draft.spec);
      expect(fourth.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
      expect(compareVersions(versionOf(fourth), third.metadata.resourceVersion)).toBeGreaterThan(0);
    });

    test('that was deleted under its holder is in conflict with the holder’s next write', async () => {
      const leases = await collectionOf(open, LEASE);
      const lease = asLease(done(await leases.post(claimed(undefined, claimBy('one', leases)))));
      done(await leases.delete('leader'));
      const answer = await leases.put(asTold(claimed(lease, claimBy('one', leases, 2_000))));
      expectRefused(answer, {
        status: 409,
        reason: 'Conflict',
        of: { type: LEASE, name: 'leader' },
      });
      expectRefused(await leases.get('leader'), { status: 404, reason: 'NotFound' });
    });

    test('is not replaced without a version, or with another uid', async () => {
      const leases = await collectionOf(open, LEASE);
      const lease = done(await leases.post(claimed(undefined, claimBy('one', leases))));
      const { resourceVersion: _, ...unversioned } = lease.metadata;
      expectRefused(await leases.put({ ...lease, metadata: unversioned }), {
        status: 422,
        reason: 'Invalid',
      });
      const other = { ...lease, metadata: { ...lease.metadata, uid: OTHER_UID } };
      expectRefused(await leases.put(other), { status: 409, reason: 'Conflict' });
    });

    test('is refused with times of three digits, and without any time to hold it', async () => {
      const leases = await collectionOf(open, LEASE);
      const { spec, ...draft } = claimed(undefined, claimBy('one', leases));
      const milliseconds = { ...spec, renewTime: '2026-03-01T00:00:00.123Z' };
      expectRefused(await leases.post({ ...draft, spec: milliseconds }), {
        status: 400,
        reason: 'BadRequest',
      });
      const noTime = { ...spec, leaseDurationSeconds: 0 };
      expectRefused(await leases.post({ ...draft, spec: noTime }), {
        status: 422,
        reason: 'Invalid',
      });
      expectRefused(await leases.get('leader'), { status: 404, reason: 'NotFound' });
    });

    test.each([LEASE, SECRET])(
      'or a Secret has no status to be written apart ($kind)',
      async (type) => {
        const things = await collectionOf(open, type);
        const made = done(await things.create('a'));
        expectRefused(await things.put(made, 'status'), { status: 404, reason: 'NotFound' });
      },
    );
  });

  describe('an event', () => {
    test('is made as the operator sends it, and once', async () => {
      const events = await collectionOf(open, EVENT);
      const body = await eventIn(events);
      const made = done(await events.post(body));
      const { metadata, ...content } = body;
      expect(made).toMatchObject({
        ...content,
        metadata: { name: metadata.name, namespace: events.namespace },
      });
      expectRefused(await events.post(body), {
        status: 409,
        reason: 'AlreadyExists',
        of: { type: EVENT, name: metadata.name },
      });
    });

    test.each([
      { field: 'note', text: 'ä'.repeat(513) },
      { field: 'reason', text: 'ä'.repeat(65) },
      { field: 'action', text: 'ä'.repeat(65) },
      { field: 'reportingInstance', text: 'ä'.repeat(65) },
      { field: 'reason', text: '' },
      { field: 'action', text: '' },
      { field: 'reportingInstance', text: '' },
    ])('is refused with more bytes in $field than fit, or with none', async ({ field, text }) => {
      const events = await collectionOf(open, EVENT);
      const body = await eventIn(events);
      expectRefused(await events.post({ ...body, [field]: text }), {
        status: 422,
        reason: 'Invalid',
      });
      expectRefused(await events.get(body.metadata.name), { status: 404, reason: 'NotFound' });
    });

    test('may be as long as the operator makes it', async () => {
      const events = await collectionOf(open, EVENT);
      const long = { note: 'ä'.repeat(2_000), reason: 'ä'.repeat(200), action: 'ä'.repeat(200) };
      expect((await events.post(await eventIn(events, long))).status).toBe(201);
    });

    test('is refused with a time of three digits, or none', async () => {
      const events = await collectionOf(open, EVENT);
      const body = await eventIn(events);
      const eventTime = '2026-03-01T00:00:00.123Z';
      expectRefused(await events.post({ ...body, eventTime }), {
        status: 400,
        reason: 'BadRequest',
      });
      expectRefused(await events.post({ ...body, eventTime: undefined }), {
        status: 422,
        reason: 'Invalid',
      });
    });
  });

  describe('a Secret', () => {
    const data = { keyId: btoa('id'), keySecret: Buffer.from('ä\0ÿ').toString('base64') };

    test('keeps its type and its data', async () => {
      const secrets = await collectionOf(open, SECRET);
      const type = 'kubernetes.io/basic-auth';
      const basic = { username: btoa('id'), password: btoa('secret') };
      expect(done(await secrets.create('a', { type, data: basic }))).toMatchObject({
        type,
        data: basic,
      });
      const plain = done(await secrets.create('b', { data }));
      expect(plain).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data });
      expect(done(await secrets.get('b'))).toEqual(plain);
      expect(done(await secrets.get('a'))).toMatchObject({ type, data: basic });
    });

    test('loses what a write leaves out, but cannot change its type', async () => {
      const secrets = await collectionOf(open, SECRET);
      const secret = done(await secrets.create('a', { data }));
      const { data: _, ...bare } = secret;
      expectRefused(await secrets.put({ ...secret, type: 'example.com/other' }), {
        status: 422,
        reason: 'Invalid',
        message: { with: 'type: Invalid value' },
        of: { type: SECRET, name: 'a', byKind: true },
      });
      expect(done(await secrets.put(bare))).not.toHaveProperty('data');
    });

    test('tells when it was last changed, to the second', async () => {
      const secrets = await collectionOf(open, SECRET);
      const first = done(await secrets.create('a', { data }));
      expect(changedAt(first as KubeObject)).toBe(
        Date.parse(first.metadata.creationTimestamp ?? ''),
      );
      await nextSecond(secrets);
      const from = Math.floor(secrets.under.now() / 1_000) * 1_000;
      const second = done(await secrets.patch('a', { data: { keyId: btoa('other') } }));
      const changed = changedAt(second as KubeObject) ?? 0;
      expect(changed >= from && changed <= secrets.under.now()).toBe(true);
      await nextSecond(secrets);
      const same = done(await secrets.patch('a', { data: { keyId: btoa('other') } }));
      expect(same).toEqual(second);
      const labelled = done(await secrets.patch('a', { metadata: { labels: { a: '1' } } }));
      expect(changedAt(labelled as KubeObject)).toBeGreaterThan(changed);
    });
  });
}

function claimBy(identity: string, { namespace = '', under }: Collection, laterMs = 0): Claim {
  return { namespace, name: 'leader', identity, leaseMs: 15_000, now: under.now() + laterMs };
}

function asLease(told: Told): Lease {
  return told as Lease;
}

function asTold(draft: object): Told {
  return draft as Told;
}

async function eventIn(events: Collection, more: object = {}): Promise<EventBody> {
  const { type, spec } = PIPES;
  const object = done(await events.beside(type).create('a', { spec })) as KubeObject;
  const says = {
    type: 'Normal',
    reason: 'Applied',
    action: 'Apply',
    note: 'sent ✓',
    ...more,
  } as const;
  const origin = { instance: 'pipewright-0', now: events.under.now() };
  return eventBody({ object: { ...object, type }, ...says }, origin);
}

/** Times of changes are in whole seconds. */
function nextSecond({ under }: Collection): Promise<void> {
  const now = Math.floor(under.now() / 1_000);
  return under.until('the next second', () => Math.floor(under.now() / 1_000) > now);
}
