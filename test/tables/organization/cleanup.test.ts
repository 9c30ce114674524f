import { describe, expect, test } from 'vitest';
import { API_HASH, an } from '../kinds/objects.ts';
import { at, HOUR, MINUTE, SECOND } from '../kinds/stage.ts';
import { e } from './endpoints.ts';
import { appliedBefore, type Mishap, Organization, type Wish } from './scripted-api.ts';

const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const metadata = { deletionTimestamp: at(0), finalizers: [FINALIZER], generation: 2 };
const repeat = (mishap: Mishap) => Array.from({ length: 50 }, () => mishap);
const STUCK = { mishaps: { '-a -b': repeat(400), '-a': repeat(400), '-b': repeat(400) } };

/** Deleted at T0, with `a` and `b` of its own; its deadline is ten minutes later. */
function deleted({ spec, ...wish }: Wish = {}): Organization {
  const inventory = 'a Added Present, b Added Present';
  const removes = { deletionPolicy: 'RemovePrivateEndpoints', ...spec };
  return new Organization({
    held: 'a b theirs',
    inventory,
    metadata,
    ids: 'a',
    ...wish,
    spec: removes,
  });
}

const pending = (add: string[], remove: string[]) => ({
  status: {
    pendingChange: { time: at(0), add: add.map((id) => e(id)), remove: remove.map((id) => e(id)) },
  },
});

describe('an object that is deleted', () => {
  test.each<readonly [law: string, wish: Wish, requests: string]>([
    ['removes what is its own, one change for all', {}, 'observe, -a -b'],
    [
      'removes what was adopted',
      { inventory: 'a Adopted Present', spec: { adoptPrivateEndpoints: true } },
      'observe, -a',
    ],
    [
      'does so suspended, in Plan and above the cap',
      { spec: { suspend: true, mode: 'Plan', maxPrivateEndpointRemovals: 0 } },
      'observe, -a -b',
    ],
    [
      'adds nothing and sends no name',
      { ids: 'a c', name: 'Old', spec: { name: 'Acme' } },
      'observe, -a -b',
    ],
    [
      'asks what a lost add did',
      { inventory: '', held: 'a', ...pending(['a'], []) },
      'observe, -a',
    ],
    ['asks what a lost removal did', { inventory: '', held: '', ...pending([], ['a']) }, 'observe'],
    ['is let go under Retain', { spec: { deletionPolicy: 'Retain' } }, ''],
    ['is let go where nothing is its own', { inventory: 'a Found Present' }, ''],
    ['is let go where adoption was taken back', { inventory: 'a Adopted Present' }, ''],
    ['is let go where an add was only refused', { inventory: 'a – Refused refused' }, ''],
  ])('%s', async (_, wish, requests) => {
    const organization = deleted(wish);
    const { result } = await organization.run();
    const gone = requests.includes('-') ? [requests.slice(-1)] : ['nothing'];
    expect([organization.requests, result.did]).toEqual([requests, 'release']);
    expect(organization.stage.has(organization.id)).toBe(false);
    expect(organization.stage.events.join()).not.toContain('CleanupAbandoned');
    expect(organization.held.map(({ id }) => id)).not.toEqual(expect.arrayContaining(gone));
  });

  test('without our finalizer does nothing', async () => {
    const organization = deleted({ metadata: { deletionTimestamp: at(0), finalizers: ['x/y'] } });
    expect((await organization.run()).result).toEqual({ next: 'on-change', did: 'nothing' });
    expect(organization.steps).toBe('');
  });

  test.each<readonly [law: string, other: Parameters<typeof an>[1], then: string]>([
    ['stays where that is in the same namespace', {}, ''],
    ['goes where that is in another one and was never verified', { namespace: 'far' }, '-a'],
    [
      'stays where that is verified, wherever it is',
      { namespace: 'far', status: { verified: { time: at(0), apiHash: API_HASH } } },
      '',
    ],
    ['goes where that is deleted too', { metadata: { deletionTimestamp: at(0) } }, '-a'],
    ['goes where that cannot be read', { spec: { privateEndpoints: 7 } }, '-a'],
  ])('what another object lists %s', async (_, other, then) => {
    const organization = deleted({ inventory: 'a Added Present' });
    const spec = { privateEndpoints: [e('A')] };
    organization.stage.put(
      an('Organization', { name: 'other', ...other, spec: { ...spec, ...other?.spec } }),
    );
    await organization.run();
    expect(organization.requests.replace('observe, ', '')).toBe(then);
  });

  test('that does not own the organization is let go without a call, and names what may be left', async () => {
    const organization = deleted();
    const status = appliedBefore([]);
    organization.stage.put(
      an('Organization', { name: 'owner', status, metadata: { creationTimestamp: at(-9 * HOUR) } }),
    );
    await organization.run();
    expect(organization.requests).toBe('');
    expect(organization.stage.events).toEqual([
      'CleanupAbandoned: Deleted without a request, because another object owns the organization. Private endpoints of organization 0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a that may be left at the API: a (gcp/r1), b (gcp/r1). If they are not wanted, remove them at the API',
    ]);
  });

  test('under --plan-only sends nothing, waits without deadline, and names Retain', async () => {
    const organization = deleted({ planOnly: true });
    const { ready, message, wait } = await organization.run(HOUR);
    expect([organization.steps, ready, wait]).toEqual(['', 'False Planned', undefined]);
    expect(message).toMatch(/waits without deadline; set spec.deletionPolicy to Retain/);
  });

  test('whose spec cannot be read waits for a better one', async () => {
    const organization = deleted({ spec: { name: 7 } });
    expect((await organization.run(HOUR)).ready).toBe('False SpecInvalid');
  });
});

describe('a deletion that is hindered', () => {
  test('says what is left, how it ends, and what is in the way, not that spec is to be changed', async () => {
    const { message } = await deleted(STUCK).run();
    expect(message).toBe(
      'Being deleted: still to be removed: 2 private endpoints (a, b); let go at 2026-03-01T12:10:00Z at the latest, or at once with spec.deletionPolicy: Retain. In the way: The API refused the removal of a, b: HTTP 400: no 400 (request req-1). The operator tries again by itself',
    );
  });

  test('is tried for the last time 30 s before the deadline, and let go at it, said to all', async () => {
    const tried: number[] = [];
    const on: Wish['on'] = (step, { stage }) => void (step === 'observe' && tried.push(stage.now));
    const organization = deleted({ mishaps: { observe: repeat(503) }, on });
    let { result } = await organization.run();
    while (organization.stage.has(organization.id)) ({ result } = await organization.next());
    const ends = [tried.at(-1) ?? 0, organization.stage.now].map(
      (time) => time - Date.parse(at(0)),
    );
    expect(ends).toEqual([9.5 * MINUTE, 10 * MINUTE]);
    expect(organization.requests, 'no call').toBe('');
    expect([result.did, result.counts]).toEqual(['abandon', { abandoned: 2 }]);
    const { events, announced, warned } = organization.stage;
    const says = expect.stringMatching(
      /^CleanupAbandoned: Deleted, because --cleanup-deadline has passed/,
    );
    expect([events.at(-1), announced]).toEqual([says, [says]]);
    expect(warned).toMatchObject([{ name: 'acme', left: 'a (gcp/r1), b (gcp/r1)' }]);
  });

  test('is tried once after the deadline by a process that has not tried', async () => {
    const organization = deleted(STUCK);
    expect((await organization.run(HOUR)).result.did).toBe('abandon');
    expect(organization.requests).toMatch(/^observe, -a -b/);
  });

  test('sends nothing more once the deadline has passed in the midst of an attempt', async () => {
    const late: Wish['on'] = (step, { stage }) => {
      if (step === 'observe') stage.clock.jumpWall(MINUTE);
    };
    const organization = deleted({ on: late });
    expect((await organization.run(9.5 * MINUTE)).result.did).toBe('abandon');
    expect(organization.requests).toBe('observe');
  });

  test('whose turn comes after the deadline is tried all the same', async () => {
    const organization = deleted({ limits: { rate: { calls: 1, perMs: 11 * MINUTE } } });
    await organization.stage.run(organization.stage.put(an('PipeSettings')));
    expect((await organization.run()).result.did).toBe('release');
  });

  test('whose finalizer does not go off is not released', async () => {
    const organization = deleted({ finalizers: false });
    expect((await organization.run()).result.did).toBe('nothing');
    expect(organization.stage.has(organization.id)).toBe(true);
  });
});

describe('the Secret of an object that is deleted', () => {
  const gone: Wish = {
    on: (step, { stage }) => void (step === 'observe' && stage.secrets.set('api', undefined)),
  };

  test('is the last one that was usable, also between two calls', async () => {
    const organization = deleted({ ...gone, limits: {} });
    expect((await organization.run()).result.did).toBe('release');
    expect(new Set(organization.stage.secrets.used).size).toBe(1);
  });

  test('is kept from the time when the object got its finalizer', async () => {
    const organization = deleted({
      metadata: { finalizers: [FINALIZER] },
      ids: 'a b',
      held: 'a b',
    });
    await organization.run();
    organization.stage.secrets.set('api', undefined);
    organization.stage.edit(organization.id, {}, { deletionTimestamp: at(0) });
    expect((await organization.run(10 * SECOND)).result.did).toBe('release');
  });

  test('that this process never read is lost, and the message says so', async () => {
    const organization = deleted();
    organization.stage.secrets.set('api', undefined);
    const { message } = await organization.run();
    expect(message).toMatch(
      /^Being deleted: .* In the way: The Secret "api" does not exist in namespace "ingest"/,
    );
  });
});
