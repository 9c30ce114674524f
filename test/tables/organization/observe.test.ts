import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../kinds/stage.ts';
import { SETTLE_MS } from './endpoints.ts';
import { type Mishap, Organization, type Wish } from './scripted-api.ts';

const repeat = (mishap: Mishap, count = 9) => Array.from({ length: count }, () => mishap);
const NAMED = { spec: { name: 'Acme' } };
const DELETED = {
  ids: '',
  held: 'a',
  inventory: 'a Added Present',
  metadata: {
    deletionTimestamp: '2026-03-01T12:00:00Z',
    finalizers: ['pipewright.dev/remove-private-endpoints'],
  },
  spec: { name: 'Acme', deletionPolicy: 'RemovePrivateEndpoints' },
};

/** Some attempts, each at its time; their requests. */
async function requests(wish: Wish, attempts: number) {
  const organization = new Organization(wish);
  const all: string[] = [];
  let seen = await organization.run();
  all.push(organization.requests);
  for (let round = 1; round < attempts; round += 1) {
    seen = await organization.next();
    all.push(organization.requests);
  }
  return { ...seen, steps: all.join(' | ') };
}

describe('an API that does not take the request that changes nothing', () => {
  test.each<readonly [law: string, wish: Wish, attempts: number, steps: string]>([
    [
      '400: is observed by the declared name',
      { ...NAMED, mishaps: { observe: [400] } },
      1,
      'observe, name Acme, +a',
    ],
    ['405: so', { ...NAMED, mishaps: { observe: [405] } }, 1, 'observe, name Acme, +a'],
    ['422: so', { ...NAMED, mishaps: { observe: [422] } }, 1, 'observe, name Acme, +a'],
    [
      '500 in JSON three times in a row: so',
      { ...NAMED, mishaps: { observe: repeat(500) } },
      4,
      'observe | observe | observe, name Acme, +a | ',
    ],
    [
      '500 in a page, 502, 503, no answer: an outage is no property of the API',
      { ...NAMED, mishaps: { observe: [500, 500, 'page', 500, 503, 'lost', 500, 500, 502] } },
      9,
      repeat('idle')
        .map(() => 'observe')
        .join(' | '),
    ],
    [
      'and the name does not show it either: is asked anew',
      { ...NAMED, mishaps: { observe: [422], 'name Acme': [503] } },
      2,
      'observe, name Acme | observe, +a',
    ],
    [
      'and too much would be removed: is sent no name',
      {
        ids: '',
        spec: { name: 'Acme', maxPrivateEndpointRemovals: 0 },
        inventory: 'a Added Present',
        mishaps: { observe: repeat(400) },
      },
      1,
      'observe',
    ],
    [
      '400, and the object is deleted: is observed by the name',
      { ...DELETED, mishaps: { observe: [400] } },
      1,
      'observe, name Acme, -a',
    ],
    [
      '500 three times, and the object is deleted: is sent no name',
      { ...DELETED, mishaps: { observe: repeat(500) } },
      5,
      'observe | observe | observe | observe | observe',
    ],
  ])('%s', async (_, wish, attempts, steps) => {
    expect((await requests(wish, attempts)).steps).toBe(steps);
  });

  test('is remembered for the same object, until that is gone', async () => {
    const organization = new Organization({
      ...NAMED,
      held: 'a',
      mishaps: { observe: repeat(400) },
    });
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

  test.each([400, 405, 422])('with %i and no name declared says what to do', async (code) => {
    const { steps, ready, message } = await requests({ mishaps: { observe: [code] } }, 1);
    expect([steps, ready]).toEqual(['observe', 'False Rejected']);
    expect(message).toContain('Declare spec.name to make the list readable');
  });

  test('and has its name changed by that: no drift', async () => {
    const status = { organization: { name: 'Old' } };
    const wish = { ids: undefined, spec: { name: 'New' }, name: 'Old', inventory: '', status };
    const after = await requests({ ...wish, mishaps: { observe: [400] } }, 1);
    expect(after.status).not.toHaveProperty('drift');
    expect(after.status.history).toMatchObject([{ changes: [{ from: 'Old', to: 'New' }] }]);
  });
});

describe('a list that is left out', () => {
  const mishaps = { observe: repeat('no-list', 30) };
  const until = async (wish: Wish, ms: number) => {
    const organization = new Organization(wish);
    const { stage } = organization;
    const begun = stage.now;
    let seen = await organization.run();
    expect([organization.requests, seen.ready]).toEqual(['observe', 'False NotConfirmed']);
    while (seen.ready === 'False NotConfirmed' && stage.now < begun + HOUR)
      seen = await organization.next();
    expect(stage.now - begun).toBe(ms);
    return seen;
  };

  test('counts as empty after a minute where nothing was there', async () => {
    const { status } = await until({ mishaps }, MINUTE);
    expect(status.privateEndpoints).toMatchObject([{ id: 'a', state: 'Present' }]);
  });

  test('counts as empty after ten minutes where something was, with an event', async () => {
    const wish = { ids: '', inventory: 'a Found Present', mishaps };
    expect((await until(wish, 10 * MINUTE)).events.join()).toMatch(
      /^DriftDetected: Every response of the last 10 minutes left the list of private endpoints out/,
    );
  });

  test('when the last one is removed is believed after a minute', async () => {
    const wish = { ids: '', held: 'a', inventory: 'a Added Present' };
    const organization = new Organization({
      ...wish,
      mishaps: { '-a': ['no-list'], observe: [undefined, ...repeat('no-list')] },
    });
    const seen = await organization.run();
    expect(seen.status.pendingChange?.remove).toHaveLength(1);
    let { ready } = seen;
    while (ready !== 'True Applied') ({ ready } = await organization.next());
    const lasted = organization.stage.now - Date.parse(seen.status.pendingChange?.time ?? '');
    expect([lasted >= MINUTE, lasted < SETTLE_MS]).toEqual([true, true]);
  });

  test.each<Mishap>(['odd-list', 'html'])(
    'is another thing than one that cannot be read: %s',
    async (mishap) => {
      const organization = new Organization({ mishaps: { observe: repeat(mishap, 30) } });
      for (let round = 0; round < 8; round += 1) await organization.next();
      expect(organization.stage.log).toEqual(['observe']);
      expect(organization.stage.now).toBeGreaterThan(Date.parse('2026-03-01T12:11:00Z'));
    },
  );
});
