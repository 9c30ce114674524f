import { describe, expect, test } from 'vitest';
import { createPacer } from '../../src/api/pacer.ts';
import { createOrganizationKind } from '../../src/kinds/organization/index.ts';
import type { Organization, OrganizationSpec, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import type { Kind } from '../../src/runtime/kind.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { BASE_URL } from '../support/objects.ts';
import { anOrganization } from '../support/organization-model.ts';
import { recordingLog } from '../support/recording-log.ts';

const KEPT = { id: 'kept', cloudProvider: 'gcp', region: 'ap-northeast-1' };
const clock = new FakeClock('2026-03-01T12:00:00.000Z');

/** The kind as the operator makes it, with a watch that tests play; nothing here makes a call. */
function aKind(): Kind {
  const unused = (): never => {
    throw new Error('nobody has asked for this');
  };
  return createOrganizationKind({
    api: { baseUrl: BASE_URL, call: unused, close: unused },
    pacer: createPacer({ rate: { calls: 0, perMs: 1 }, inFlight: 1, clock, wake: unused }),
    secrets: { refer: () => undefined, release: () => undefined, state: () => ({ state: 'unknown' }) },
    readCredential: unused,
    clock,
    enqueue: () => undefined,
    onSecretChange: () => undefined,
    writeFinalizers: unused,
    log: recordingLog().log,
    unlisted: () => [],
    apiTimeoutMs: 30_000,
    planOnly: false,
    cleanupDeadlineMs: 600_000,
  });
}

function versioned(object: Organization, resourceVersion: number, status?: OrganizationStatus): Organization {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, resourceVersion: String(resourceVersion) },
    ...(status && { status }),
  };
}

const OLD = versioned(anOrganization({ privateEndpoints: [KEPT] }, { uid: 'old' }), 10, {
  applied: { time: '2026-03-01T11:30:00Z', generation: 1, requestHash: 'sha256:0', keys: ['privateEndpoints'] },
  privateEndpoints: [{ ...KEPT, origin: 'Added', state: 'Present' }],
});
/** Plan, so that a pass as the holder makes no call. */
const heir = (spec: Partial<OrganizationSpec> = {}): Organization =>
  versioned(anOrganization({ privateEndpoints: [KEPT], mode: 'Plan', ...spec }, { uid: 'new' }), 11);

/** A kind that knows the old object, and hears of the new one and the end of the old one in one breath. */
function afterRename(object = heir()): Kind {
  const kind = aKind();
  const watch = kind.sink(undefined);
  watch.replace([OLD], '10');
  watch.apply('ADDED', object);
  watch.apply('DELETED', versioned(OLD, 12));
  return kind;
}

/** A pass over the heir, whose status is then written. */
async function pass(
  kind: Kind,
  version: number,
): Promise<{ did: string; next: string; ledger: unknown; requests: unknown }> {
  const object = kind.get('ingest/new');
  if (!object) throw new Error('there is no heir');
  const { did, outcome, status } = await kind.pass(object, clock);
  const said: OrganizationStatus | undefined = status;
  if (said) kind.put(versioned(object as Organization, version, said));
  const { privateEndpoints, plan } = said ?? {};
  return { did, next: outcome.next, ledger: privateEndpoints, requests: plan?.requests };
}

describe('a new object and the end of the old one in one breath', () => {
  test('leave what the old one added to the new one, which then acts', async () => {
    const kind = afterRename();
    const ledger = [{ ...KEPT, origin: 'Added', state: 'Present' }];
    expect(await pass(kind, 20)).toMatchObject({ did: 'yield', next: 'go-on', ledger });
    expect(await pass(kind, 21)).toMatchObject({ did: 'preview', ledger });
  });

  test('leave it to a suspended one, too', async () => {
    const kind = afterRename(heir({ suspend: true }));
    const ledger = [{ ...KEPT, origin: 'Added', state: 'Present' }];
    expect(await pass(kind, 20)).toMatchObject({ did: 'suspend', next: 'go-on', ledger });
    expect(await pass(kind, 21)).toMatchObject({ did: 'suspend', next: 'await-change' });
  });

  test('leave nothing to one that lists nothing of it', async () => {
    const kind = afterRename(heir({ privateEndpoints: [{ ...KEPT, id: 'another' }] }));
    expect(await pass(kind, 20)).toMatchObject({ did: 'preview' });
  });

  test('are no concern of a process that takes over when the new one has been visited', async () => {
    const kind = afterRename();
    kind.put(
      versioned(heir(), 15, {
        observedGeneration: 1,
        privateEndpoints: [{ ...KEPT, origin: 'Found', state: 'Present' }],
      }),
    );
    expect(await pass(kind, 20)).toMatchObject({ did: 'preview' });
  });

  test('are no concern of a third one under the name of the new one', async () => {
    const kind = afterRename();
    const { metadata, ...third } = heir();
    kind.sink(undefined).apply('MODIFIED', versioned({ ...third, metadata: { ...metadata, uid: 'third' } }, 16));
    expect(await pass(kind, 20)).toMatchObject({ did: 'preview' });
  });
});

test('one that was itself waiting leaves nothing: who holds the organization is still there', async () => {
  const kind = aKind();
  const { applied: _, ...waiting } = OLD.status ?? {};
  const holder = versioned(anOrganization({ privateEndpoints: [KEPT] }, { uid: 'first' }), 9, OLD.status);
  kind.sink(undefined).replace([holder, versioned(OLD, 10, waiting)], '10');
  kind.sink(undefined).apply('ADDED', heir());
  kind.sink(undefined).apply('DELETED', versioned(OLD, 12));
  expect(await pass(kind, 20)).toMatchObject({ did: 'yield', next: 'recheck' });
});

const UNSEEN: Readonly<Record<string, (watch: ReturnType<Kind['sink']>) => void>> = {
  'is not in a list any more': (watch) => watch.replace([heir()], '12'),
  'has gone before': (watch) => {
    watch.apply('DELETED', versioned(OLD, 10));
    watch.apply('ADDED', heir());
  },
};

test.each(Object.entries(UNSEEN))(
  'an old one that %s leaves nothing: nobody is sure to have waited',
  async (_, arrive) => {
    const kind = aKind();
    kind.sink(undefined).replace([OLD], '10');
    arrive(kind.sink(undefined));
    expect(await pass(kind, 20)).toMatchObject({ did: 'preview' });
  },
);

test('one that comes under the same name takes over nothing: it has come after it', async () => {
  const kind = aKind();
  const { metadata, ...old } = OLD;
  const former = { ...old, metadata: { ...metadata, name: 'new' } };
  kind.sink(undefined).replace([former], '10');
  kind.sink(undefined).apply('MODIFIED', heir());
  expect(await pass(kind, 20)).toMatchObject({ did: 'preview' });
});
