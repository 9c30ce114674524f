import { expect, test } from 'vitest';
import { organization } from '../../src/kinds/organization/index.ts';
import type { Organization } from '../../src/kinds/organization/resource.ts';
import { apiHashOf } from '../../src/kinds/target/proof.ts';
import { keyOf } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { anAnswer, BASE_URL } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization } from '../support/organization-objects.ts';

/** An Organization kind by itself, at an API whose list has one endpoint. */
function aKind() {
  const clock = new FakeClock();
  const bodies: (string | undefined)[] = [];
  const listed = e('a');
  /** What the API shows; then that list. */
  const results: Readonly<Record<string, unknown>>[] = [];
  /** What happens while a call is under way. */
  const meanwhile: (() => Promise<void>)[] = [];
  /** What happens while the key is read. */
  const reading: (() => Promise<void>)[] = [];
  const kind = organization.create(
    aKindContext(clock, {
      async answer(body) {
        bodies.push(body);
        await meanwhile.shift()?.();
        return anAnswer(200, { result: results.shift() ?? { privateEndpoints: [listed] } });
      },
      whileReading: async () => reading.shift()?.(),
    }),
  );
  return { kind, clock, bodies, meanwhile, reading, results };
}

test('an attempt does not outlast the lead: what another process has given up meanwhile is not removed', async () => {
  const { kind, clock, bodies } = aKind();
  const proof = { time: '2025-12-31T00:00:00Z', apiHash: apiHashOf(BASE_URL) };
  const ours = anOrganization({ ids: [], status: { proof, privateEndpoints: [entry('a')] } });
  kind.takeOver();
  kind.sink().replace([ours], '7', false);
  expect(await kind.reconcile(ours, clock)).toMatchObject({
    did: 'look',
    outcome: { next: 'go-on' },
  });
  // Another one was proven then, and is gone by now.
  const yielded: Organization = {
    ...ours,
    metadata: { ...ours.metadata, resourceVersion: '8' },
    status: { proof, privateEndpoints: [entry('a', { origin: 'Found' })] },
  };
  kind.put(yielded);
  kind.takeOver();
  const { did, status } = await kind.reconcile(yielded, clock);
  expect(did).toBe('look');
  expect(status ?? {}).not.toHaveProperty('pendingChange');
  expect(bodies).toHaveLength(2);
});

test('an intent that another process has put on record in the same second is waited for as that of another', async () => {
  const { kind, clock, bodies } = aKind();
  let object = anOrganization({ ids: ['b'] });
  const key = keyOf(object);
  const sent = (): number => bodies.filter((body) => body?.includes('"b"')).length;
  /** All steps that follow one another at once, each of them written down. */
  const visit = async (): Promise<void> => {
    for (let goesOn = true; goesOn; ) {
      const { status = object.status, outcome } = await kind.reconcile(object, clock);
      const resourceVersion = String(Number(object.metadata.resourceVersion) + 1);
      object = {
        ...object,
        metadata: { ...object.metadata, resourceVersion },
        status,
      } as Organization;
      kind.put(object);
      kind.recorded(key, 'written');
      goesOn = outcome.next === 'go-on';
    }
  };
  kind.takeOver();
  kind.sink().replace([object], '1', false);
  // Whatever may have been sent before this process has seen the object is over.
  await clock.advance(100_000);
  await kind.reconcile(object, clock);
  const { did, status } = await kind.reconcile(object, clock);
  expect(did).toBe('intend');
  // To the letter the same; this process's own write has been refused.
  object = {
    ...object,
    metadata: { ...object.metadata, resourceVersion: '8' },
    status,
  } as Organization;
  kind.put(object);
  kind.recorded(key, 'lost');
  const before = bodies.length;
  await visit();
  await clock.advance(11_000);
  await visit();
  expect(bodies.length - before, 'looked at at once, and after 10 s').toBe(2);
  await clock.advance(24_000 + 59_999);
  await visit();
  expect(sent()).toBe(0);
  await clock.advance(10_000);
  await visit();
  expect(sent()).toBe(1);
});

test('what another process has sent counts from when this one was told of it, also where a call of its own was under way then', async () => {
  const { kind, clock, meanwhile } = aKind();
  const proof = { time: '2025-12-31T00:00:00Z', apiHash: apiHashOf(BASE_URL) };
  const ours = anOrganization({
    ids: ['a', 'b'],
    status: { proof, privateEndpoints: [entry('a')] },
  });
  const pendingChange = { time: '2026-01-01T00:00:05Z', add: [e('b')], remove: [] };
  const lastRequest = {
    operation: 'UpdateOrganization',
    outcome: 'Succeeded',
    time: pendingChange.time,
  } as const;
  const theirs: Organization = {
    ...ours,
    metadata: { ...ours.metadata, resourceVersion: '8' },
    status: { proof, privateEndpoints: [entry('a')], pendingChange, lastRequest },
  };
  meanwhile.push(async () => {
    await clock.advance(5_000);
    kind.put(theirs);
    await clock.advance(25_000);
  });
  kind.takeOver();
  kind.sink().replace([ours], '7', false);
  expect(await kind.reconcile(ours, clock)).toMatchObject({ did: 'look' });
  await clock.advance(75_000);
  // 100 s after that intent was first seen it can be at work no more.
  expect(await kind.reconcile(kind.get('ingest/acme') ?? theirs, clock)).toMatchObject({
    did: 'look',
    outcome: { next: 'go-on' },
  });
});

test.each([
  [5_000, 'send', 2],
  [5_001, 'called-off', 1],
])('an intent whose key was %s ms in coming: %s', async (ms, does, calls) => {
  const { kind, clock, bodies, reading } = aKind();
  let object = anOrganization({ ids: ['b'] });
  kind.takeOver();
  kind.sink().replace([object], '1', false);
  await kind.reconcile(object, clock);
  const { status: intent } = await kind.reconcile(object, clock);
  expect(intent).toHaveProperty('pendingChange');
  object = {
    ...object,
    metadata: { ...object.metadata, resourceVersion: '2' },
    status: intent,
  } as Organization;
  kind.put(object);
  kind.recorded(keyOf(object), 'written');
  reading.push(() => clock.advance(ms));
  expect(await kind.reconcile(object, clock)).toMatchObject({ did: does });
  expect(bodies).toHaveLength(calls);
});

test('a list is not taken for empty by a process that was shown another one, also where no status tells of that', async () => {
  const { kind, clock, bodies, results } = aKind();
  let object = anOrganization({ ids: ['b'] });
  const key = keyOf(object);
  let version = 1;
  const put = (status: object | undefined): void => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    object = { ...object, metadata, ...(status && { status }) };
    kind.put(object);
  };
  kind.takeOver();
  kind.sink().replace([object], '1', false);
  results.push({ privateEndpoints: [e('theirs')] });
  const { status } = await kind.reconcile(object, clock);
  expect(status ?? {}).not.toHaveProperty('pendingChange');
  // Another process has recorded an attempt before that, which comes to be known now: this one's
  // own is not written.
  put({
    lastRequest: {
      operation: 'UpdateOrganization',
      outcome: 'Succeeded',
      time: '2026-01-01T00:00:00Z',
    },
    organization: { privateEndpointsTotal: 0 },
  });
  kind.recorded(key, 'lost');
  for (let look = 0; look < 6; look += 1) {
    results.push({ name: 'Acme' });
    const { status: written } = await kind.reconcile(object, clock);
    expect(written ?? {}).not.toHaveProperty('pendingChange');
    put(written);
    kind.recorded(key, 'written');
    await clock.advance(61_000);
  }
  expect(bodies.length).toBeGreaterThan(3);
  expect(object.status).toMatchObject({ organization: { privateEndpointsTotal: 1 } });
});

test.each(['before', 'during'])(
  'a rival goes %s the look for what it had confirmed: no other one follows',
  async (when) => {
    const { kind, clock, bodies, meanwhile } = aKind();
    let object = anOrganization({ ids: ['a'] });
    const visit = async (): Promise<void> => {
      const { status = object.status } = await kind.reconcile(object, clock);
      const resourceVersion = String(Number(object.metadata.resourceVersion) + 10);
      object = {
        ...object,
        metadata: { ...object.metadata, resourceVersion },
        status,
      } as Organization;
      kind.put(object);
      kind.recorded(keyOf(object), 'written');
    };
    kind.takeOver();
    kind.sink().replace([object], '7', false);
    await visit();
    expect(object.status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
    await clock.advance(200_000);
    // As where the namespace of a rival comes to be seen late.
    const metadata = {
      name: 'late',
      uid: 'uid-9',
      resourceVersion: '30',
      creationTimestamp: at(0),
    };
    const time = new Date(clock.now() - 100_000).toISOString();
    const status = {
      proof: { time, apiHash: apiHashOf(BASE_URL) },
      applied: { time, generation: 1, requestHash: '-', keys: [] },
    };
    const rival = anOrganization({ ids: ['a'], metadata, status });
    const goes = async (): Promise<void> => kind.sink().apply('DELETED', rival);
    kind.sink().apply('ADDED', rival);
    if (when === 'during') meanwhile.push(goes);
    else await goes();
    await visit();
    await visit();
    await visit();
    expect(bodies).toHaveLength(2);
  },
);

test('the name that a rival of ours had set, which is gone by now, is not told as a change made elsewhere', async () => {
  const { kind, clock, bodies, results } = aKind();
  const { spec, ...rest } = anOrganization({ ids: ['a'] });
  let object = { ...rest, spec: { ...(spec as object), name: 'Ours' } } as Organization;
  const visit = async (): Promise<void> => {
    for (let goesOn = true; goesOn; ) {
      const { status = object.status, outcome } = await kind.reconcile(object, clock);
      const resourceVersion = String(Number(object.metadata.resourceVersion) + 10);
      object = {
        ...object,
        metadata: { ...object.metadata, resourceVersion },
        status,
      } as Organization;
      kind.put(object);
      kind.recorded(keyOf(object), 'written');
      goesOn = outcome.next === 'go-on';
    }
  };
  const shows = (name: string) => ({ name, privateEndpoints: [e('a')] });
  kind.takeOver();
  kind.sink().replace([object], '7', false);
  results.push(shows('Ours'));
  await visit();
  await clock.advance(200_000);
  const metadata = { name: 'late', uid: 'uid-9', resourceVersion: '30', creationTimestamp: at(0) };
  const time = new Date(clock.now() - 100_000).toISOString();
  const applied = { time, generation: 1, requestHash: '-', keys: [] };
  const rival = anOrganization({
    ids: ['a'],
    metadata,
    status: { proof: { time, apiHash: apiHashOf(BASE_URL) }, applied },
  });
  kind.sink().apply('ADDED', rival);
  kind.sink().apply('DELETED', rival);
  const before = bodies.length;
  results.push(shows('Theirs'), shows('Ours'));
  await visit();
  expect(bodies.length).toBeGreaterThan(before);
  expect(object.status).toMatchObject({ organization: { name: 'Ours' } });
  expect(object.status?.drift).toBeUndefined();
});

test.each([
  ['another process was shown one between', true],
  ['none was', false],
])(
  'two looks without a list, a minute apart, may say that it is empty, where %s: not %s',
  async (_, isShown) => {
    const { kind, clock, results } = aKind();
    results.push({}, {});
    let object = anOrganization({ ids: ['b'] });
    kind.takeOver();
    kind.sink().replace([object], '1', false);
    const { status } = await kind.reconcile(object, clock);
    expect(status).toMatchObject({ conditions: [{ reason: 'NotConfirmed' }, {}] });
    await clock.advance(70_000);
    const time = new Date(clock.now() - 5_000).toISOString();
    const lastRequest = { operation: 'UpdateOrganization', outcome: 'Succeeded', time } as const;
    const organization = { privateEndpoints: [], privateEndpointsTotal: 0 };
    const theirs = { ...status, ...(isShown && { organization, lastRequest }) };
    object = { ...object, metadata: { ...object.metadata, resourceVersion: '2' }, status: theirs };
    kind.put(object);
    kind.recorded(keyOf(object), 'written');
    if (isShown) kind.takeOver();
    const next = await kind.reconcile(object, clock);
    expect(next.outcome.next === 'go-on', 'it counts as empty').toBe(!isShown);
  },
);

test('an intent that was called off is known not to have left, also where another process has spoken before that could be said', async () => {
  const { kind, clock, results, reading } = aKind();
  const key = 'ingest/acme';
  let object = anOrganization({ ids: ['b'] });
  const put = (status: object | undefined): void => {
    const resourceVersion = String(Number(object.metadata.resourceVersion) + 1);
    object = {
      ...object,
      metadata: { ...object.metadata, resourceVersion },
      status,
    } as Organization;
    kind.put(object);
  };
  kind.takeOver();
  kind.sink().replace([object], '1', false);
  await kind.reconcile(object, clock);
  const { status: intent } = await kind.reconcile(object, clock);
  put(intent);
  kind.recorded(key, 'written');
  reading.push(() => clock.advance(5_001));
  expect(await kind.reconcile(object, clock)).toMatchObject({ did: 'called-off' });
  const lastRequest = {
    operation: 'UpdateOrganization',
    outcome: 'Succeeded',
    time: at(0),
  } as const;
  put({ ...intent, lastRequest, privateEndpoints: [entry('b')] });
  kind.recorded(key, 'lost');
  kind.takeOver();
  results.push({ privateEndpoints: [e('b')] });
  const { status } = await kind.reconcile(object, clock);
  expect(status).toMatchObject({ privateEndpoints: [entry('b', { origin: 'Found' })] });
  expect(status).not.toHaveProperty('pendingChange');
});
