import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../support/objects.ts';
import { type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';
import { ours, told } from '../support/organization-told.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`);

type Row = readonly [sentence: string, wish: AttemptWish, ready: string, message: RegExp];

describe('an attempt after which', () => {
  test.each<Row>([
    [
      'all is as declared',
      { spec: { name: 'Acme' }, name: 'Acme' },
      'True Applied',
      /^The API has the declared name and 1 private endpoint \(request r-2\)$/,
    ],
    [
      'nothing of ours is left, as declared',
      { ...ours('a'), ids: [] },
      'True Applied',
      /^The API has no private endpoint of this object /,
    ],
    [
      'the name is not shown',
      {
        spec: { name: 'Acme' },
        held: ['a'],
        mishaps: { observe: ['no-name'], 'name Acme': ['no-name'] },
      },
      'True Applied',
      /; the response omitted name /,
    ],
    [
      'a description is another one',
      { ids: [], held: [e('a')], spec: { privateEndpoints: [{ ...e('a'), description: 'db' }] } },
      'True Applied',
      /^The API has 1 private endpoint \(request r-1\)$/,
    ],
    [
      'a change is lost',
      { ids: ['a', 'b'], mishaps: { '+a +b': ['lost'] } },
      'False OutcomeUnknown',
      /^No response from the API.*The operator reads whether it took effect before it sends anything again$/,
    ],
    [
      'a change of before is still not shown',
      {
        status: appliedStatus([], {
          pendingChange: { time: at(-SECOND), add: [e('a')], remove: [] },
        }),
      },
      'False OutcomeUnknown',
      /^It is not known whether adding a took effect/,
    ],
    [
      'too much would be removed',
      { ...ours(...many(6)), ids: [] },
      'False RemovalBlocked',
      /^Nothing is sent: 6 private endpoints would be removed \(x0, x1, x2, x3 and 2 more\), but spec.maxPrivateEndpointRemovals allows 5\. List them again, or set spec.maxPrivateEndpointRemovals to 6 or more$/,
    ],
    [
      'the list is left out',
      { mishaps: { observe: ['no-list'] } },
      'False NotConfirmed',
      /^The response has no readable list of private endpoints \(request r-1\), so none is added or removed/,
    ],
    [
      'an add is not in the list yet',
      { mishaps: { '+a': ['idle'] } },
      'False NotConfirmed',
      /added but not in the list yet: a/,
    ],
    [
      'a removal is still in the list',
      { ...ours('a'), ids: [], mishaps: { '-a': ['idle'] } },
      'False NotConfirmed',
      /removed but still in the list: a/,
    ],
    [
      'one of ours is gone',
      { ...ours('a'), held: [] },
      'False NotConfirmed',
      /no longer in the list: a/,
    ],
    [
      'the name is not taken',
      { spec: { name: 'Acme' }, name: 'Old', held: ['a'], mishaps: { 'name Acme': ['idle'] } },
      'False NotConfirmed',
      /^The API reports the name "Old", not "Acme" .*declare the name that the API reports$/,
    ],
    [
      'the name is refused',
      { spec: { name: 'Acme' }, held: ['a'], mishaps: { 'name Acme': [422] } },
      'False Rejected',
      /^The API refused the name: HTTP 422: no 422 \(request r-2\)\. Change the spec to what the API accepts$/,
    ],
    [
      'a forbidden endpoint is refused, the key is not blamed',
      { mishaps: { '+a': [403] } },
      'False Rejected',
      /^The API refused 1 of 1 private endpoint \(a\): HTTP 403: no 403 \(request r-2\)\. Change the spec/,
    ],
    [
      'an id belongs to somebody else',
      { held: [e('a', { region: 'r2' })] },
      'False EndpointConflict',
      /^The API already has the id of a with another cloud provider or region, .*Neither is added or removed/,
    ],
    [
      'the key is refused',
      { mishaps: { observe: [401] } },
      'False Unauthorized',
      /^The API refused the key \(HTTP 401\): no 401 \(request r-1\)\. Put a valid, enabled API key in the Secret/,
    ],
    [
      'the role does not do',
      { mishaps: { observe: [403] } },
      'False Forbidden',
      /Give the API key a role/,
    ],
    [
      'there is no such organization',
      { mishaps: { observe: [404] } },
      'False NotFound',
      /^Organization not found .*Check organizationId/,
    ],
    [
      'the API does not answer',
      { mishaps: { observe: ['lost'] } },
      'False Unavailable',
      /^No response from the API: connection reset\. This request changed nothing/,
    ],
  ])('%s: %s', async (_, wish, ready, message) => {
    const is = await told(attemptOn(wish));
    expect(is).toMatchObject({ ready, message: expect.stringMatching(message) });
    expect(is.message).not.toMatch(/\d\d:\d\d|undefined|\n/);
    expect(is.side === undefined).toBe(ready === 'True Applied');
  });

  test('3 of 100 were refused says so, with the last reason', async () => {
    const ids = many(100);
    const all = ids.map((id) => `+${id}`).join(' ');
    const refused = { [all]: [422], '+x0': [422], '+x1': [422], '+x2': [409] };
    const { message, wait } = await told(attemptOn({ ids, mishaps: refused }));
    expect(message).toMatch(
      /^The API refused 3 of 100 private endpoints \(x0, x1, x2\): HTTP 409: no 409 \(request r-\d\)\. Those not tried yet follow in a minute\. Change the spec to what the API accepts$/,
    );
    expect(wait).toBe(MINUTE);
  });

  test('several things are wrong tells of the foremost', async () => {
    const wish = { ids: ['a', 'b'], held: [e('a', { region: 'r2' })], mishaps: { '+b': [422] } };
    const { ready, message } = await told(attemptOn(wish));
    expect(ready).toBe('False Rejected');
    expect(message).toMatch(/refused 1 of 2 private endpoints/);
  });

  test.each<readonly [sentence: string, wish: AttemptWish, message: string]>([
    [
      'what is sent, and how many of the listed ones are there',
      { ...ours('x', 'b'), ids: ['a', 'b', 'c'] },
      'Sending 2 private endpoints to add, 1 to remove (1 of 3 private endpoints there)',
    ],
    [
      'that it is being deleted, and how many are left',
      {
        held: ['a', 'b', 'c'],
        status: appliedStatus([entry('a'), entry('b'), entry('c', { origin: 'Found' })]),
        isCleanup: true,
        ids: ['a', 'c'],
      },
      'Sending 0 private endpoints to add, 2 to remove (being deleted, 2 left)',
    ],
  ])('has begun a change shows %s', async (_, wish, message) => {
    const rig = attemptOn(wish);
    await rig.run();
    expect(rig.saved[0]?.conditions?.[0]?.message).toBe(message);
  });

  test('it works again an event says after what', async () => {
    const rig = attemptOn({ mishaps: { observe: [503] } });
    await rig.run();
    rig.object = {
      ...rig.object,
      status: { ...appliedStatus([entry('a')]), ...rig.object.status },
    };
    rig.held = [e('a')];
    const { result } = await rig.run();
    expect(result.events).toMatchObject([{ note: expect.stringContaining('after Unavailable') }]);
  });
});

test.each<readonly [string, AttemptWish]>([
  ['a refused removal', { mishaps: { '-a': [400] } }],
  ['a refused observation', { mishaps: { observe: [400] }, spec: { name: 'Acme' }, name: 'Acme' }],
  ['a missing organization', { mishaps: { observe: [404] } }],
])('who deletes is not told to change the spec after %s', async (_, wish) => {
  const { message } = await told(attemptOn({ isCleanup: true, ...ours('a'), ...wish }));
  expect(message).not.toMatch(/Change the spec|Declare/);
});
