import { describe, expect, test } from 'vitest';
import { MINUTE, T0 } from '../kinds/objects.ts';
import { rows } from '../kinds/rows.ts';
import { e, type Reported } from './endpoints.ts';
import { Organization } from './organization.ts';

const SIX = 'a b c d e f';
/** Of several things the foremost is said. */
const SAYS = rows<'given' | 'ready' | 'message'>(`
  given | ready | message
  declares Acme | True Applied
    | The API has the declared name and the 1 private endpoint of spec (request r-2)
  +a: lost | False OutcomeUnknown
    | The operator reads whether it took effect before it sends anything again
  lists; has ${SIX}; ours ${SIX} | False RemovalBlocked
    | Nothing is sent: 6 private endpoints would be removed (a, b, c, d, e, f), but \
      spec.maxPrivateEndpointRemovals allows 5. To keep them, put them back \
      into spec.privateEndpoints; to remove them, set spec.maxPrivateEndpointRemovals to 6
  lists; ours a; cap 0 | False RemovalBlocked | 1 private endpoint would be removed (a)
  lists; has a; knows a Found Present; cap 0 | True Applied | no private endpoint of this object (
  observe: odd-list | False NotConfirmed
    | The response has no readable list of private endpoints (request r-1), so none is added or
  observe: 405 | False Rejected | Declare spec.name to make the list readable
  +a: idle | False NotConfirmed | added but not in the list yet: a (request
  lists; has a; ours a; -a: idle | False NotConfirmed | removed but still in the list: a
  ours a | False NotConfirmed | no longer in the list: a
  declares Acme; named Old; has a; name Acme: 422 | False Rejected
    | The API refused the name: HTTP 422: no 422 (request req-1). Change the spec to what the API
  +a: 403 | False Rejected
    | The API refused 1 of 1 private endpoint (a): HTTP 403: no 403 (request req-1). Change the spec
  lists; has a; ours a; -a: 400 | False Rejected
    | ; to keep what cannot be removed, list it again
  has a/r2 | False EndpointConflict
    | The API already has the id of a with another cloud provider or region,
`);

test.each(SAYS)('$given: $ready', async ({ given, ready, message }) => {
  const seen = await new Organization(given).run();
  expect([seen.ready, seen.message]).toEqual([ready, expect.stringContaining(message)]);
  expect(seen.side === undefined).toBe(ready === 'True Applied');
});

test('in mid-attempt a status says what is being sent, and how far it is', async () => {
  const organization = new Organization('lists a b; +a +b: 400');
  await organization.run();
  const [ready] = organization.stage.saved.at(-1)?.conditions ?? [];
  expect(ready?.message).toContain(
    'Sending 1 private endpoint to add, 0 to remove (1 of 2 private endpoints added)',
  );
});

test('a name at the API steers no terminal, and turns no words round', async () => {
  const wish = { spec: { name: 'Acme' }, given: 'has a; name Acme: idle' };
  const organization = new Organization(wish);
  organization.name = 'a\u202eb\u2067c\u200fd';
  const { message } = await organization.run();
  expect(message).toContain('The API reports the name "a b c d", not "Acme"');
});

test('what is missing is looked for when it counts as gone; then it is drift', async () => {
  const organization = new Organization('ours a');
  let last = await organization.run();
  while (last.ready === 'False NotConfirmed') last = await organization.next();
  expect(organization.stage.now - T0).toBe(MINUTE);
  expect(last.events[0]).toMatch(
    /^DriftDetected: Removed .*, not by the operator: a \(gcp\/r1\)\. W/,
  );
  expect(last.ready).toBe('True Applied');
  expect(last.status.drift).toMatchObject([{ field: 'privateEndpoints[a]' }]);
});

/** What an attempt makes of an odd list. */
async function shown(held: unknown, given = '', more: object = {}) {
  const organization = new Organization({ given, ...more });
  organization.held = held as Reported[];
  return { ...(await organization.run()), entries: organization.entries };
}

describe('a list', () => {
  test('is shown up to 200 endpoints with its total, cut to what a status takes', async () => {
    const long = 'x'.repeat(2_000);
    const one = (index: number) => ({ id: `${index}${long}`, cloudProvider: long, region: long });
    const held = Array.from({ length: 10_000 }, (_, index) => one(index));
    const { status } = await shown(held, 'no list; declares Acme');
    expect(status.organization).toMatchObject({ name: 'Acme', privateEndpointsTotal: 10_000 });
    expect(status.organization?.privateEndpoints).toHaveLength(200);
  });

  test.each([[null], ['psc-1'], [[{ region: 'r1' }, null, 'a', [], { id: '' }]]])(
    'that is %j is unknown, not empty',
    async (held) => {
      const { ready, entries } = await shown(held, 'ours a');
      expect([ready, entries]).toMatchObject(['False NotConfirmed', [{ state: 'Present' }]]);
    },
  );

  test('with another description: that is only shown', async () => {
    const spec = { privateEndpoints: [{ ...e('a'), description: 'db' }] };
    const { ready, status } = await shown([{ ...e('a'), description: 'web' }], '', { spec });
    expect([ready, status.differences]).toEqual([
      'True Applied',
      [{ field: 'privateEndpoints[a].description', declared: 'db', reported: 'web' }],
    ]);
  });
});

describe('the same endpoint', () => {
  test.each<[string, Reported]>([
    ['in capitals', { id: 'A', cloudProvider: 'GCP', region: 'R1' }],
    ['with blanks around', { id: ' a ', cloudProvider: 'gcp ', region: ' r1' }],
    ['with nothing but its id', { id: 'a' }],
  ])('is one that the list has %s; its removal names it so', async (_, held) => {
    expect((await shown([held])).entries).toMatchObject([{ origin: 'Found', state: 'Present' }]);
    const organization = new Organization('lists; ours a');
    organization.held = [held];
    await organization.run();
    expect(JSON.parse(organization.stage.bodies[1] ?? '')).toEqual({
      privateEndpoints: { remove: [{ ...e('a'), ...held }] },
    });
  });

  test.each<[string, Reported]>([
    ['provider', { ...e('a'), cloudProvider: 'aws' }],
    ['region', e('a/r2')],
    ['id, whose letter only looks like it', e('а')],
  ])('is none that has another %s', async (_, held) => {
    const { entries } = await shown([held], 'ours a');
    expect(entries).toMatchObject([{ id: 'a', origin: 'Added', state: 'Missing' }]);
  });
});
