import { describe, expect, test } from 'vitest';
import { at, MINUTE, OTHER_HASH, SECOND, type Status, T0 } from '../kinds/objects.ts';
import { ok } from '../kinds/process.ts';
import { rows } from '../kinds/rows.ts';
import { all, SETTLE_MS } from './endpoints.ts';
import { Organization, type Wish } from './organization.ts';

/** Some attempts, each at its time; their requests. */
async function attempts(wish: Wish, count: number) {
  const organization = new Organization(wish);
  let seen = await organization.run();
  const made = [organization.requests];
  while (made.length < count) {
    seen = await organization.next();
    made.push(organization.requests);
  }
  return { ...seen, requests: made.join(' / ') };
}

/** `deleted`: with `a` of its own. */
const ROWS = rows<'law' | 'given' | 'requests'>(`
  law | given | requests
  400: is observed by the declared name | declares Acme; observe: 400 | observe, name Acme, +a
  405: so                               | declares Acme; observe: 405 | observe, name Acme, +a
  422: so                               | declares Acme; observe: 422 | observe, name Acme, +a
  500 in JSON three times in a row: so
    | declares Acme; observe: 500… | observe / observe / observe, name Acme, +a
  500 in a page, 502, 503, no answer: an outage is no property of the API
    | declares Acme; observe: 500 500 page 500 503 lost 502
    | observe / observe / observe / observe / observe / observe / observe
  400, and the object is deleted: is observed by the name
    | deleted; observe: 400 | observe, name Acme, -a
  500 three times, and the object is deleted: is sent no name
    | deleted; observe: 500… | observe / observe / observe / observe
`);

describe('an API that does not take the request that changes nothing', () => {
  const finalizers = ['pipewright.dev/remove-private-endpoints'];
  const metadata = { deletionTimestamp: at(0), finalizers };

  test.each(ROWS)('$law', async ({ given, requests }) => {
    const isDeleted = given.startsWith('deleted');
    const of = given.replace('deleted', 'lists; has a; ours a; declares Acme; removes');
    const wish = { given: of, ...(isDeleted && { metadata }) };
    const count = requests.split(' / ').length;
    expect((await attempts(wish, count)).requests).toBe(requests);
  });

  test('is remembered for the same object, until that is gone', async () => {
    const organization = new Organization('declares Acme; has a; observe: 400…');
    const { stage, id } = organization;
    const again = async () => {
      stage.log.length = 0;
      stage.edit(id);
      await organization.run();
      return organization.requests;
    };
    await organization.run();
    expect(await again()).toBe('name Acme');
    stage.edit(id, {}, { uid: 'another' });
    expect(await again()).toBe('observe, name Acme');
  });
});

test('absence counts by when the list was asked for, not by when it came', async () => {
  const without = ok({ name: 'Acme', privateEndpoints: [] });
  const late = (): Promise<typeof without> =>
    new Promise((answer) => void stage.clock.at(20 * SECOND, () => answer(without)));
  const organization = new Organization({
    given: '+a: idle',
    api: (_, nth) => (nth === 2 ? late() : undefined),
  });
  const { stage, id } = organization;
  await organization.run();
  stage.ask(id, 'now');
  const { events, status } = await organization.run(SETTLE_MS - 10 * SECOND);
  expect(stage.now - T0).toBeGreaterThan(SETTLE_MS);
  expect([events, status.privateEndpoints?.map(({ state }) => state)]).toEqual([
    [],
    ['Unconfirmed'],
  ]);
});

test.each([
  ['nothing was there counts as empty after a minute', '', 1, ''],
  ['something was does so after ten', 'lists; knows a Found Present', 10, 'DriftDetected: No resp'],
])('a list that is left out where %s', async (_, given, minutes, event) => {
  const organization = new Organization(`${given}; observe: no-list…`);
  let seen = await organization.run();
  expect([organization.requests, seen.ready]).toEqual(['observe', 'False NotConfirmed']);
  while (seen.ready === 'False NotConfirmed') seen = await organization.next();
  expect(organization.stage.now - T0).toBe(minutes * MINUTE);
  expect([seen.ready, seen.events.join()]).toEqual([
    'True Applied',
    expect.stringMatching(event || /^((?!DriftDetected).)*$/),
  ]);
});

const ANSWERS = rows<'answer' | 'change' | 'reason'>(`
  answer   | change  | reason
  lost     | pending | OutcomeUnknown
  408      | pending | OutcomeUnknown
  503      | pending | OutcomeUnknown
  html     | pending | UnexpectedResponse
  no-list  | pending | OutcomeUnknown
  401      | cleared | Unauthorized
  425      | cleared | Conflict
  429      | cleared | RateLimited
  unsent   | cleared | Unavailable
`);

test.each(ANSWERS)('a change answered by $answer is $change; nothing else is sent', async (row) => {
  const organization = new Organization(`lists a b; +a +b: ${row.answer}`);
  const seen = await organization.run();
  expect([organization.steps, seen.ready]).toEqual([
    'observe, save +a +b, +a +b',
    `False ${row.reason}`,
  ]);
  const pendingChange = { time: at(0), add: all('a b'), remove: [] };
  expect(seen.status.pendingChange).toEqual(row.change === 'pending' ? pendingChange : undefined);
});

describe('what may be on its way', () => {
  /** As a crash right after the save leaves it. */
  const pendingChange = { time: at(0), add: all('a'), remove: all('x') };
  const crashed = (given: string) =>
    new Organization({ given: `lists a b; ours x; ${given}`, status: { pendingChange } });

  test('is observed, and is ours where the list shows it; the rest follows at once', async () => {
    const organization = crashed('has a');
    const seen = await organization.run(SECOND);
    expect([organization.requests, seen.ready]).toEqual(['observe, +b', 'True Applied']);
    const states = organization.entries.map(({ id, state }) => `${id} ${state}`);
    expect(states).toEqual(['a Present', 'b Present']);
  });

  test.each([
    ['lacks the add', 'has', 'It is not known whether adding a took effect'],
    ['has what is to go', 'has a x', 'It is not known whether removing x took effect'],
  ])('keeps all else back while the list %s, until its time', async (_, has, message) => {
    const organization = crashed(has);
    const seen = await organization.run(SETTLE_MS - SECOND);
    expect([organization.steps, seen.wait]).toEqual(['observe', SECOND]);
    expect([seen.status.pendingChange, seen.ready]).toEqual([
      pendingChange,
      'False OutcomeUnknown',
    ]);
    expect(seen.message).toContain(message);
  });
});

test.each([
  ['500', '+a +b, +a +b, +a +b, +a'],
  ['501', '+a +b, +a +b, +a +b, +a'],
  ['503', '+a +b, +a +b, +a +b, +a +b'],
])('a change of several that is answered %s in a row: %s', async (answer, sent) => {
  const organization = new Organization(`lists a b; +a +b: ${answer}…`);
  const steps: string[] = [];
  for (let round = 0; round < 40; round += 1) {
    await organization.next();
    steps.push(...organization.stage.log.filter((step) => step.startsWith('+')));
  }
  expect(steps.slice(0, 4).join(', ')).toBe(sent);
});

test('with another --api-url what was ours is Found, and an event names it', async () => {
  const status: Status = {
    verified: { time: at(0), apiHash: OTHER_HASH },
    pendingChange: { time: at(0), add: all('x'), remove: [] },
    organization: { name: 'Elsewhere' },
  };
  const given = 'has a b x; knows a Added Present, b Adopted Present, c Found Present';
  const organization = new Organization({ given, status });
  const { events } = await organization.run();
  expect(organization.requests).toBe('observe');
  expect(organization.entries).toMatchObject([{ id: 'a', origin: 'Found' }]);
  expect(organization.status).not.toHaveProperty('drift');
  expect(events.join()).toMatch(/OwnershipLost: .*: a \(gcp\/r1\), b \(gcp\/r1\), x \(gcp\/r1\)/);
});
