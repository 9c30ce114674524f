import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { an, MINUTE } from '../kinds/objects.ts';
import { bad, type Reply } from '../kinds/process.ts';
import { rows } from '../kinds/rows.ts';
import { all, e } from './endpoints.ts';
import { Organization, type Wish } from './organization.ts';

const WELL = rows<'law' | 'given' | 'steps'>(`
  law | given | steps
  of a new object takes two calls and one save         | | observe, save +a, +a
  of a new object with a name takes three
    | declares Acme; named Old                           | observe, name Acme, save +a, +a
  of an edit takes two, for all adds and removals
    | has a; ours a; lists b c                           | observe, save +b +c -a, +b +c -a
  of a re-assert takes one and saves nothing
    | has a; ours a; declares Acme                       | observe
  with an empty list removes what is ours alone
    | has a x; ours a; lists                             | observe, save -a, -a
  of a list that became absent removes nothing
    | has a; ours a; declares Acme; no list              | observe
  of ours in another region removes it first
    | has a; ours a; lists a/r2                          | observe, save -a, -a, save +a, +a
  of an id that others have elsewhere keeps back only that
    | has a/r2; lists a b                                | observe, save +b, +b
  removes up to five of its own without a cap
    | has a b c d e; ours a b c d e; lists
    | observe, save -a -b -c -d -e, -a -b -c -d -e
  that would remove too much sends nothing, nor the name
    | has a; ours a; lists b; declares Acme; named Old; cap 0 | observe
  puts the finalizer on before the first pending change
    | removes                                            | observe, finalizer on, save +a, +a
`);

describe('an attempt where all goes well', () => {
  test.each(WELL)('$law', async ({ given, steps }) => {
    const organization = new Organization(given);
    const { result } = await organization.run();
    expect([organization.steps, result.did]).toEqual([steps, 'done']);
    expect(organization.status).not.toHaveProperty('pendingChange');
  });

  test.each([
    [{}, 'finalizer on, observe, finalizer off, observe'],
    [{ suspend: true }, 'finalizer on, finalizer off'],
    [{ mode: 'Plan' }, 'finalizer on, finalizer off'],
  ])('with %j puts the finalizer on, and takes it off under Retain', async (spec, steps) => {
    const organization = new Organization({ given: 'removes; has a; ours a', spec });
    await organization.run();
    organization.stage.edit(organization.id, { deletionPolicy: 'Retain' });
    await organization.run();
    expect(organization.steps).toBe(steps);
  });

  test('is not made again of what is confirmed, also with the list in another order', async () => {
    const organization = new Organization('lists a b');
    const { requestHash } = (await organization.run()).status.applied ?? {};
    expect((await organization.run(MINUTE)).result.did).toBe('nothing');
    organization.stage.edit(organization.id, { privateEndpoints: all('b a') });
    expect((await organization.run()).status.applied).toMatchObject({ requestHash, generation: 2 });
  });
});

test('an observation from before a pause of the key is made again', async () => {
  const late = Promise.withResolvers<Reply>();
  const api: Wish['api'] = ({ method }) => (method === 'PUT' ? late.promise : undefined);
  const on: Wish['on'] = (step) => void (step === 'observe' && late.resolve(bad(429)));
  const organization = new Organization({ api, on });
  void organization.stage.start(organization.stage.put(an('PipeSettings')));
  await organization.run();
  expect(organization.requests).toBe('observe, PUT, observe, +a');
});

test('the bodies: an empty change, then the change with its descriptions', async () => {
  const described = { ...e('a'), description: 'db' };
  const spec = { privateEndpoints: [described, { ...e('b'), description: '' }] };
  const organization = new Organization({ given: 'ours x', spec });
  const asReported = { id: 'X', cloudProvider: 'GCP', region: 'r1' };
  organization.held = [asReported];
  await organization.run();
  expect(organization.stage.bodies.map((body) => JSON.parse(body) as unknown)).toEqual([
    { privateEndpoints: { add: [], remove: [] } },
    { privateEndpoints: { add: [described, e('b')], remove: [asReported] } },
  ]);
  expect(organization.stage.paths[0]).toBe(
    'PATCH /v1/organizations/0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  );
});

/** An object whose last reply showed what the API still has. */
function known(given: string): Wish {
  const { held, name } = new Organization(given);
  const organization = { name, privateEndpoints: held, privateEndpointsTotal: held.length };
  const isKnown = /\b(knows|ours)/.test(given);
  return { given: isKnown ? given : `${given}; knows`, status: { organization } };
}

async function planned(wish: Wish) {
  const organization = new Organization({ ...wish, spec: { mode: 'Plan' } });
  const seen = await organization.run();
  expect([organization.steps, seen.wait]).toEqual(['', undefined]);
  return { ...seen, bodies: seen.status.plan?.requests.map(({ body }) => body) };
}

async function applied(wish: Wish): Promise<readonly string[]> {
  const organization = new Organization(wish);
  await organization.run();
  return organization.stage.bodies;
}

test('a plan shows to the letter what an attempt sends, whatever is there', async () => {
  const some = fc.subarray(['a', 'b', 'c', 'd']);
  const life = fc.record({
    ids: some,
    owned: some,
    others: some,
    moved: some,
    adopt: fc.boolean(),
  });
  const property = fc.asyncProperty(life, async ({ ids, owned, others, moved, adopt }) => {
    const there = [...new Set([...owned, ...others]), ...moved.map((id) => `${id}/r2`)];
    const declared = `lists ${ids.join(' ')}; declares New; ${adopt ? 'adopts' : ''}`;
    const wish = known(`${declared}; has ${there.join(' ')}; ours ${owned.join(' ')}`);
    expect((await planned(wish)).bodies).toEqual(await applied(wish));
  });
  await fc.assert(property, { numRuns: 200, seed: 43 });
});

const SAYS = rows<'while' | 'given' | 'message'>(`
  while | given | message
  something would be sent | lists a b; declares New; has x b/r2; ours x
    | 3 changes planned; not sent: 3 PATCH requests, one after another: read the list, then \
      set the name, add 1 private endpoint, remove 1 private endpoint; \
      not touched: b, because the API has the id with another cloud provider or region
  too much would be removed | lists; has b c; ours b c; cap 1
    | 2 private endpoints would be removed (b, c), more than spec.maxPrivateEndpointRemovals allows
  nothing is to be done | has a; ours a | No changes; not sent
`);

test.each(SAYS)('while $while a plan says so', async ({ given, message }) => {
  const seen = await planned(known(given));
  expect(seen.message).toContain(message);
  expect(seen.ready).toBe(message.startsWith('No') ? 'True Planned' : 'False Planned');
});

test('a plan that knows nothing yet says so, and goes with the mode', async () => {
  const organization = new Organization({ spec: { mode: 'Plan' } });
  const { message } = await organization.run();
  expect(message).toContain('what follows depends on that list; the state at the API is not known');
  organization.stage.edit(organization.id, { mode: 'Apply' });
  expect((await organization.run()).status).not.toHaveProperty('plan');
});
