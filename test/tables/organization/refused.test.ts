import { describe, expect, test } from 'vitest';
import { isAbout } from '../kinds/rows.ts';
import { HOUR, MINUTE } from '../kinds/stage.ts';
import { e } from './endpoints.ts';
import { type Mishap, Organization, type Wish } from './scripted-api.ts';

const repeat = (mishap: Mishap) => Array.from({ length: 20 }, () => mishap);
const refusing = (code: number, ...steps: readonly string[]) => ({
  mishaps: Object.fromEntries(steps.map((step) => [step, repeat(code)])),
});

describe('a change that the API refuses', () => {
  test.each<readonly [law: string, wish: Wish, steps: string]>([
    [
      'is taken back before any other call, observed again, and sent one at a time, removals first',
      { ids: 'a', inventory: 'x Added Present', held: 'x', ...refusing(422, '+a -x') },
      'observe, save +a -x, +a -x, save, observe, save -x, -x, save +a, +a',
    ],
    [
      'and of one endpoint is not observed again, and the others go on',
      { ids: 'a b', ...refusing(400, '+a +b', '+a') },
      'observe, save +a +b, +a +b, save, observe, save +a, +a, save, save +b, +b',
    ],
    [
      'three times in a row ends the attempt',
      { ids: 'a b c d', ...refusing(422, '+a +b +c +d', '+a', '+b', '+c') },
      'observe, save +a +b +c +d, +a +b +c +d, save, observe, save +a, +a, save, save +b, +b, save, save +c, +c, save',
    ],
    [
      'is not sent a second time where the observation has it by then',
      {
        ids: 'a b',
        ...refusing(409, '+a +b'),
        on: (step, { held }) => {
          if (step === '+a +b') held.push(e('a'));
        },
      },
      'observe, save +a +b, +a +b, save, observe, save +b, +b',
    ],
    [
      'and is not known to be taken back is the last request',
      { ids: 'a b', ...refusing(422, '+a +b'), saves: (nth) => nth === 0 },
      'observe, save +a +b, +a +b, save',
    ],
  ])('%s', async (_, wish, steps) => {
    const organization = new Organization(wish);
    await organization.run();
    expect(organization.steps).toBe(steps);
    expect(organization.status).not.toHaveProperty('pendingChange');
  });

  test.each([400, 403, 404, 405, 409, 410, 422, 423, 424, 451])(
    'with HTTP %i is split: the same attempt was answered 200 when it observed',
    async (code) => {
      const organization = new Organization({ ids: 'a b', ...refusing(code, '+a +b') });
      expect((await organization.run()).ready).toBe('True Applied');
      expect(organization.requests).toBe('observe, +a +b, observe, +a, +b');
    },
  );

  test('is an event that says what may have been done in part', async () => {
    const inventory = 'x Added Present';
    const organization = new Organization({ inventory, held: 'x', ...refusing(422, '+a -x') });
    expect((await organization.run()).events).toContain(
      'ChangeRefused: The API refused to add a and to remove x, of which a part may have been done: HTTP 422: no 422 (request req-1). They are sent one at a time',
    );
  });
});

describe('a refused endpoint', () => {
  const waitOf = ({ stage, entries: [one] }: Organization) =>
    Date.parse(one?.nextAttemptTime ?? '') - stage.now;

  test.each([
    [400, 10 * MINUTE],
    [403, 10 * MINUTE],
    [409, MINUTE],
    [423, MINUTE],
    [424, MINUTE],
  ])(
    'after HTTP %i has its own back-off, from %i ms to 6 h, and is nobody’s',
    async (code, first) => {
      const organization = new Organization(refusing(code, '+a'));
      const waits: number[] = [];
      for (let round = 0; round < 12; round += 1) {
        await organization.next();
        waits.push(waitOf(organization));
      }
      expect([isAbout(waits[0], first), isAbout(waits[1], 2 * first)]).toEqual([true, true]);
      expect(isAbout(waits.at(-1), 6 * HOUR)).toBe(true);
      expect(organization.entries).toEqual([
        {
          ...e('a'),
          state: 'Refused',
          attempts: 12,
          nextAttemptTime: expect.any(String),
          lastError: { httpStatus: code, requestId: 'req-1', message: `HTTP ${code}: no ${code}` },
        },
      ]);
    },
  );

  test('whose removal was refused stays ours and Present', async () => {
    const wish = { ids: '', inventory: 'x Added Present', held: 'x', ...refusing(409, '-x') };
    const organization = new Organization(wish);
    await organization.run();
    expect(organization.entries).toMatchObject([
      { id: 'x', origin: 'Added', state: 'Present', lastError: { httpStatus: 409 }, attempts: 1 },
    ]);
  });

  test('that is there later, all the same, is not ours, and an event says so', async () => {
    const organization = new Organization(refusing(409, '+a'));
    await organization.run();
    organization.held.push(e('a'));
    const { events } = await organization.next();
    expect(organization.entries).toMatchObject([{ id: 'a', origin: 'Found', state: 'Present' }]);
    expect(events.join()).toMatch(/^OwnershipUnknown: Exists, although the API refused it/);
  });

  test('comes after those that were never tried, which follow a minute later', async () => {
    const wish = { ids: 'a b c d', ...refusing(422, '+a +b +c +d', '+a', '+b', '+c') };
    const organization = new Organization(wish);
    expect((await organization.run()).wait).toBe(MINUTE);
    await organization.next();
    expect(organization.requests).toBe('observe, +d');
    await organization.run(HOUR);
    expect(organization.requests).toBe('observe, +d, observe, +a, +b, +c');
  });

  test('is sent at once where a person asks for it', async () => {
    const organization = new Organization(refusing(422, '+a'));
    await organization.run();
    organization.stage.ask(organization.id, 'now');
    await organization.run();
    expect(organization.requests).toBe('observe, +a, observe, +a');
  });
});

describe('the name', () => {
  const named = { ids: undefined, inventory: '', spec: { name: 'Acme' } };
  const status = { organization: { name: 'Acme' } };

  test('that is refused keeps no endpoint back', async () => {
    const wish = { spec: { name: 'Acme' }, name: 'Old', ...refusing(422, 'name Acme') };
    const organization = new Organization(wish);
    const { ready, side } = await organization.run();
    expect([organization.requests, ready, side]).toEqual([
      'observe, name Acme, +a',
      'False Rejected',
      'Stalled',
    ]);
  });

  test.each([401, 408, 425, 429, 500, 503])(
    'answered by HTTP %i ends the attempt: that says nothing of the name',
    async (code) => {
      const wish = { spec: { name: 'Acme' }, name: 'Old', ...refusing(code, 'name Acme') };
      const organization = new Organization(wish);
      expect((await organization.run()).result.did).toBe('failure');
      expect(organization.requests).toBe('observe, name Acme');
    },
  );

  test('that somebody else has given is drift; the last confirmed one is not', async () => {
    const { drift } = (await new Organization({ ...named, status, name: 'Theirs' }).run()).status;
    expect(drift).toMatchObject([{ field: 'name', from: 'Acme', to: 'Theirs' }]);
    const edited = new Organization({ ...named, status, spec: { name: 'New' } });
    const after = (await edited.run()).status;
    expect(after).not.toHaveProperty('drift');
    expect(after.history).toMatchObject([
      { changes: [{ field: 'name', from: 'Acme', to: 'New' }] },
    ]);
  });
});
