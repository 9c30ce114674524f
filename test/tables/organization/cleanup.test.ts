import { describe, expect, test } from 'vitest';
import { an, at, HOUR, MINUTE, T0, type Wanted } from '../kinds/objects.ts';
import { rows } from '../kinds/rows.ts';
import { e } from './endpoints.ts';
import { appliedBefore, Organization, type Wish } from './organization.ts';

const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const metadata = { deletionTimestamp: at(0), finalizers: [FINALIZER], generation: 2 };
const OURS = 'has a b theirs; ours a b';
const STUCK = `${OURS}; -a -b: 400…; -a: 400…; -b: 400…`;

/** Deleted at T0, with `a` and `b` of its own; its deadline is ten minutes later. */
const deleted = (given: string = OURS, more: Wish = {}) =>
  new Organization({ given: `removes; ${given}`, metadata, ...more });

const GONE = rows<'law' | 'given' | 'requests'>(`
  law | given | requests
  removes what is its own, one change for all | has a b theirs; ours a b            | observe, -a -b
  removes what was adopted         | adopts; has a; knows a Adopted Present         | observe, -a
  does so above the cap            | cap 0; has a b; ours a b                       | observe, -a -b
  adds nothing and sends no name
    | lists a c; declares Acme; named Old; has a; ours a                            | observe, -a
  is let go where nothing is its own            | has a; knows a Found Present      |
  is let go where an add was only refused       | knows a – Refused refused         |
`);

describe('an object that is deleted', () => {
  test.each(GONE)('$law', async ({ given, requests }) => {
    const organization = deleted(given);
    const { result } = await organization.run();
    expect([organization.requests, result.did]).toEqual([requests, 'release']);
    expect(organization.stage.has(organization.id)).toBe(false);
    expect(organization.stage.events.join()).not.toContain('CleanupAbandoned');
  });

  test.each<readonly [spec: object, requests: string]>([
    [{ suspend: true }, 'observe, -a -b'],
    [{ mode: 'Plan' }, 'observe, -a -b'],
    [{ deletionPolicy: 'Retain' }, ''],
  ])('with %j: "%s"', async (spec, requests) => {
    const organization = deleted(OURS, { spec });
    const { did } = (await organization.run()).result;
    expect([organization.requests, did]).toEqual([requests, 'release']);
  });

  test('without our finalizer does nothing', async () => {
    const others = { deletionTimestamp: at(0), finalizers: ['x/y'] };
    const organization = deleted(OURS, { metadata: others });
    expect((await organization.run()).result).toEqual({ next: 'on-change', did: 'nothing' });
    expect(organization.steps).toBe('');
  });

  test.each<readonly [law: string, other: Wanted, then: string]>([
    ['stays where that is in the same namespace', {}, ''],
    ['goes where that is elsewhere and was never verified', { namespace: 'far' }, 'observe, -a'],
    ['stays where that is verified', { namespace: 'far', status: appliedBefore() }, ''],
  ])('what another object lists %s', async (_, other, then) => {
    const organization = deleted('has a; ours a');
    const spec = { privateEndpoints: [e('A')] };
    organization.stage.put(an('Organization', { name: 'other', ...other, spec }));
    await organization.run();
    expect(organization.requests).toBe(then);
  });

  test('that does not own the organization makes no call, and names what may be left', async () => {
    const organization = deleted();
    const owner = { status: appliedBefore(), metadata: { creationTimestamp: at(-9 * HOUR) } };
    organization.stage.put(an('Organization', { name: 'owner', ...owner }));
    await organization.run();
    expect(organization.requests).toBe('');
    expect(organization.stage.events.join()).toMatch(
      /^CleanupAbandoned: Deleted without a request, .* a \(gcp\/r1\), b \(gcp\/r1\)\. If they/,
    );
  });

  test('under --plan-only sends nothing, waits without deadline, and names Retain', async () => {
    const organization = deleted(OURS, { planOnly: true });
    const { ready, message, wait } = await organization.run(HOUR);
    expect([organization.steps, ready, wait]).toEqual(['', 'False Planned', undefined]);
    expect(message).toMatch(/waits without deadline; set spec.deletionPolicy to Retain/);
  });
});

describe('a deletion that is hindered', () => {
  test('says what is left, how it ends, and what is in the way', async () => {
    const { message } = await deleted(STUCK).run();
    expect(message.split('. ')).toEqual([
      'Being deleted: still to be removed: 2 private endpoints (a, b); ' +
        'the object is deleted at 2026-03-01T12:10:00Z at the latest, ' +
        'or at once with spec.deletionPolicy: Retain',
      'In the way: The API refused the removal of a, b: HTTP 400: no 400 (request req-1)',
      'The operator tries again by itself',
    ]);
  });

  test('by its turn says that Retain deletes it', async () => {
    const organization = deleted(OURS, { limits: { rate: { calls: 1, perMs: MINUTE } } });
    await organization.run();
    expect(organization.stage.saved[0]?.conditions?.[0]?.message).toContain(
      '(spec.deletionPolicy: Retain deletes the object at once): waits until the rate limit',
    );
  });

  test('is tried a last time 30 s before the deadline, and let go at it, said to all', async () => {
    const tried: number[] = [];
    const on: Wish['on'] = (step, stage) => void (step === 'observe' && tried.push(stage.now));
    const organization = deleted(`${OURS}; observe: 503…`, { on });
    let { result } = await organization.run();
    while (organization.stage.has(organization.id)) ({ result } = await organization.next());
    expect([tried.at(-1), organization.stage.now]).toEqual([T0 + 9.5 * MINUTE, T0 + 10 * MINUTE]);
    expect(organization.requests, 'no call').toBe('');
    expect([result.did, result.counts]).toEqual(['abandon', { abandoned: 2 }]);
    const { events, announced, warned } = organization.stage;
    const says: unknown = expect.stringContaining(
      'CleanupAbandoned: Deleted, because --cleanup-deadline has passed',
    );
    expect([events.at(-1), announced]).toEqual([says, [says]]);
    expect(warned).toMatchObject([{ name: 'acme', left: 'a (gcp/r1), b (gcp/r1)' }]);
  });
});
