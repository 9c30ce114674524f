import { describe, expect, test } from 'vitest';
import { isAbout } from '../kinds/rows.ts';
import { at, HOUR, MINUTE, SECOND } from '../kinds/stage.ts';
import { e, type Reported, SETTLE_MS } from './endpoints.ts';
import { Organization, type Wish } from './scripted-api.ts';

const NAMED = { spec: { name: 'Acme' }, name: 'Old', held: 'a' };
const SIX = 'a b c d e f';
const described = {
  ids: '',
  held: 'a',
  spec: { privateEndpoints: [{ ...e('a'), description: 'db' }] },
};

/** Of several things the foremost is said. */
test.each<readonly [wish: Wish, ready: string, message: RegExp]>([
  [
    { spec: { name: 'Acme' } },
    'True Applied',
    /^The API has the declared name and 1 private endpoint \(request r-2\)$/,
  ],
  [
    { ids: '', inventory: 'a Added Present', held: 'a' },
    'True Applied',
    /^The API has no private endpoint of this object \(/,
  ],
  [
    { ...NAMED, name: 'Acme', mishaps: { observe: ['no-name'], 'name Acme': ['no-name'] } },
    'True Applied',
    /; the response omitted name \(/,
  ],
  [described, 'True Applied', /^The API has 1 private endpoint \(request r-1\)$/],
  [
    { mishaps: { '+a': ['lost'] } },
    'False OutcomeUnknown',
    /^No response from the API, .* is not known: connection reset\. The operator reads whether it took effect before it sends anything again$/,
  ],
  [
    {
      ids: '',
      inventory: SIX.split(' ')
        .map((id) => `${id} Added Present`)
        .join(', '),
      held: SIX,
    },
    'False RemovalBlocked',
    /^Nothing is sent: 6 private endpoints would be removed \(a, b, c, d and 2 more\), but spec.maxPrivateEndpointRemovals allows 5\. List them again, or set spec.maxPrivateEndpointRemovals to 6 or more$/,
  ],
  [
    { mishaps: { observe: ['odd-list'] } },
    'False NotConfirmed',
    /^The response has no readable list of private endpoints \(request r-1\), so none is added or removed/,
  ],
  [
    { mishaps: { '+a': ['idle'] } },
    'False NotConfirmed',
    /added but not in the list yet: a \(request/,
  ],
  [
    { ids: '', inventory: 'a Added Present', held: 'a', mishaps: { '-a': ['idle'] } },
    'False NotConfirmed',
    /removed but still in the list: a/,
  ],
  [{ inventory: 'a Added Present' }, 'False NotConfirmed', /no longer in the list: a/],
  [
    { ...NAMED, mishaps: { 'name Acme': ['idle'] } },
    'False NotConfirmed',
    /^The API reports the name "Old", not "Acme" .*declare the name that the API reports$/,
  ],
  [
    { ...NAMED, mishaps: { 'name Acme': [422] } },
    'False Rejected',
    /^The API refused the name: HTTP 422: no 422 \(request req-1\)\. Change the spec to what the API accepts$/,
  ],
  [
    { mishaps: { '+a': [403] } },
    'False Rejected',
    /^The API refused 1 of 1 private endpoint \(a\): HTTP 403: no 403 \(request req-1\)\. Change the spec/,
  ],
  [
    { mishaps: { '+a': [409] } },
    'False Rejected',
    /^The API refused .*HTTP 409.*\. The operator tries again by itself$/,
  ],
  [
    { ids: '', inventory: 'a Added Present', held: 'a', mishaps: { '-a': [400] } },
    'False Rejected',
    /the removal of a: HTTP 400.*; to keep what cannot be removed, list it again$/,
  ],
  [
    { held: 'a/r2' },
    'False EndpointConflict',
    /^The API already has the id of a with another cloud provider or region, .*Neither is added or removed/,
  ],
  [
    { ids: 'a b', held: 'a/r2', mishaps: { '+b': [422] } },
    'False Rejected',
    /^The API refused 1 of 2 private endpoints \(b\)/,
  ],
])('%j is %s', async (wish, ready, message) => {
  const seen = await new Organization(wish).run();
  expect([seen.ready, seen.message]).toEqual([ready, expect.stringMatching(message)]);
  expect(seen.side === undefined).toBe(ready === 'True Applied');
});

test('of a hundred endpoints a message names the refused ones, and the rest follows in a minute', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `x${index}`);
  const all = ids.map((id) => `+${id}`).join(' ');
  const mishaps = { [all]: [422], '+x0': [422], '+x1': [422], '+x2': [409] };
  const { message, wait } = await new Organization({ ids: ids.join(' '), mishaps }).run();
  expect(message).toMatch(
    /^The API refused 3 of 100 private endpoints \(x0, x1, x2\): HTTP 409: no 409 \(request req-1\)\. Those not tried yet follow in a minute\. Change the spec/,
  );
  expect(wait).toBe(MINUTE);
});

describe('the next attempt', () => {
  test('is when what is missing counts as gone', async () => {
    const organization = new Organization({ inventory: 'a Added Present' });
    let { wait = 0, ready } = await organization.run();
    let all = wait;
    while (ready === 'False NotConfirmed' && all < MINUTE) {
      ({ wait = 0, ready } = await organization.next());
      all += wait;
    }
    expect(all).toBe(MINUTE);
    const last = await organization.next();
    expect(last.events[0]).toMatch(
      /^DriftDetected: Removed at the API: a \(gcp\/r1\)\. What spec still/,
    );
    expect([last.ready, last.status.drift]).toMatchObject([
      'True Applied',
      [{ field: 'privateEndpoints[a]' }],
    ]);
  });

  test('is when an add that is not shown is over', async () => {
    const organization = new Organization({ mishaps: { '+a': ['idle'] } });
    await organization.run();
    expect((await organization.run(90 * SECOND)).wait).toBe(SETTLE_MS - 90 * SECOND);
  });

  test('is when the first of what was refused is due', async () => {
    const mishaps = { '+a +b': [422], '+a': [400], '+b': [409] };
    const { wait } = await new Organization({ ids: 'a b', mishaps }).run();
    expect(isAbout(wait, MINUTE)).toBe(true);
  });

  test('is the re-assertion where all is as declared', async () => {
    expect((await new Organization().run()).wait).toBeUndefined();
    const { wait = 0 } = await new Organization({ spec: { reassertInterval: '24h' } }).run();
    expect([wait >= 24 * HOUR, wait <= 26.4 * HOUR]).toEqual([true, true]);
  });
});

describe('what is shown of the organization', () => {
  test('is the first 200 of its endpoints and the total, cut to what a status takes', async () => {
    const organization = new Organization({ ids: undefined, spec: { name: 'Acme' } });
    const long = 'x'.repeat(2_000);
    const one = (index: number) => ({ id: `${index}${long}`, cloudProvider: long, region: long });
    organization.held = Array.from({ length: 10_000 }, (_, index) => one(index));
    const { status } = await organization.run();
    expect(status.organization).toMatchObject({ name: 'Acme', privateEndpointsTotal: 10_000 });
    expect(status.organization?.privateEndpoints).toHaveLength(200);
  });

  test.each([
    [null],
    ['psc-1'],
    [{ 0: e('a'), length: 1 }],
    [[{ region: 'r1' }, null, 'a', [], { id: '' }]],
  ])('and a list that is %j is unknown, not empty', async (list) => {
    const organization = new Organization({ inventory: 'a Added Present' });
    organization.held = list as unknown as Reported[];
    const seen = await organization.run();
    expect([seen.ready, organization.entries]).toMatchObject([
      'False NotConfirmed',
      [{ state: 'Present' }],
    ]);
  });

  test('and of a list that can be read in part that part counts, numbers as texts', async () => {
    const organization = new Organization({ ids: '7' });
    const odd: unknown = [null, 'a', { id: 7, region: 'r1' }, { region: 'r1' }];
    organization.held = odd as Reported[];
    await organization.run();
    expect(organization.entries).toMatchObject([
      { id: '7', origin: 'Found', cloudProvider: 'gcp' },
    ]);
  });

  test('and a description that differs is only shown', async () => {
    const organization = new Organization(described);
    organization.held = [{ ...e('a'), description: 'web' }];
    expect((await organization.run()).status.differences).toEqual([
      { field: 'privateEndpoints[a].description', declared: 'db', reported: 'web' },
    ]);
  });
});

test('a setting that leaves the spec: an event says that it is not managed, and what the API has', async () => {
  const organization = new Organization({ spec: { name: 'Acme' } });
  await organization.run();
  organization.stage.edit(organization.id, { privateEndpoints: undefined });
  expect((await organization.run()).events).toEqual([
    'NoLongerManaged: No longer in spec, so no longer managed; the API keeps what it has: privateEndpoints (1 entries)',
  ]);
  expect(organization.status.applied).toMatchObject({ time: at(0), keys: ['name'] });
});
