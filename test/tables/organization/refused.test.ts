import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../kinds/objects.ts';
import { isAbout, ms, rows } from '../kinds/rows.ts';
import { e } from './endpoints.ts';
import { Organization } from './organization.ts';

const REFUSED = rows<'law' | 'given' | 'steps'>(`
  law | given | steps
  is taken back before any other call, observed again, and sent one at a time, removals first
    | ours x; has x; +a -x: 422
    | observe, save +a -x, +a -x, save, observe, save -x, -x, save +a, +a
  and of one endpoint is not observed again, and the others go on
    | lists a b; +a +b: 400; +a: 400
    | observe, save +a +b, +a +b, save, observe, save +a, +a, save, save +b, +b
  comes, when its time is there, after those that were never tried
    | lists b a; has x y; \
      knows x Added Present refused due, y Added Present, b – Refused refused due
    | observe, save -y, -y, save -x, -x, save +a, +a, save +b, +b
  of the name keeps no endpoint back
    | declares Acme; named Old; name Acme: 422 | observe, name Acme, save +a, +a
  three times in a row ends the attempt
    | lists a b c d; +a +b +c +d: 422; +a: 422; +b: 422; +c: 422
    | observe, save +a +b +c +d, +a +b +c +d, save, observe, save +a, +a, save, save +b, +b, save, \
      save +c, +c, save
`);

describe('a change that the API refuses', () => {
  test.each(REFUSED)('$law', async ({ given, steps }) => {
    const organization = new Organization(given);
    await organization.run();
    expect(organization.steps).toBe(steps);
    expect(organization.status).not.toHaveProperty('pendingChange');
  });

  test.each([400, 403, 404, 405, 409, 410, 422, 423, 424, 451])(
    'with HTTP %i is split: the same attempt was answered 200 when it observed',
    async (code) => {
      const organization = new Organization(`lists a b; +a +b: ${code}`);
      expect((await organization.run()).ready).toBe('True Applied');
      expect(organization.requests).toBe('observe, +a +b, observe, +a, +b');
    },
  );

  test('is an event that says what may have been done in part', async () => {
    const { events } = await new Organization('ours x; has x; +a -x: 422').run();
    expect(events).toContain(
      'ChangeRefused: The API refused to add a and to remove x, ' +
        'of which a part may have been done: HTTP 422: no 422 (request req-1). ' +
        'They are sent one at a time',
    );
  });
});

describe('a refused endpoint', () => {
  test.each([
    [400, '10m'],
    [409, '1m'],
    [423, '1m'],
    [424, '1m'],
  ])('after HTTP %i waits %s, twice that, … 6 h', async (code, first) => {
    const organization = new Organization(`+a: ${code}…`);
    const waits: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      await organization.next();
      const [{ nextAttemptTime = '' } = {}] = organization.entries;
      waits.push(Date.parse(nextAttemptTime) - organization.stage.now);
    }
    expect([isAbout(waits[0], ms(first)), isAbout(waits[1], 2 * ms(first))]).toEqual([true, true]);
    expect(isAbout(waits.at(-1), 6 * HOUR)).toBe(true);
    const lastError = { httpStatus: code, requestId: 'req-1', message: `HTTP ${code}: no ${code}` };
    const nextAttemptTime: unknown = expect.any(String);
    expect(organization.entries, 'nobody’s').toEqual([
      { ...e('a'), state: 'Refused', attempts: 12, nextAttemptTime, lastError },
    ]);
  });

  test('keeps those that were never tried back for a minute', async () => {
    const given = 'lists a b c d; +a +b +c +d: 422; +a: 422; +b: 422; +c: 422';
    const organization = new Organization(given);
    expect((await organization.run()).wait).toBe(MINUTE);
    await organization.next();
    expect(organization.requests).toBe('observe, +d');
  });

  test('is sent at once where a person asks for it', async () => {
    const organization = new Organization('+a: 422…');
    await organization.run();
    organization.stage.ask(organization.id, 'now');
    await organization.run();
    expect(organization.requests).toBe('observe, +a, observe, +a');
  });
});

describe('the name', () => {
  test.each([401, 408, 425, 429, 500, 503])(
    'answered by HTTP %i ends the attempt: that says nothing of the name',
    async (code) => {
      const organization = new Organization(`declares Acme; named Old; name Acme: ${code}`);
      expect((await organization.run()).result.did).toBe('failure');
      expect(organization.requests).toBe('observe, name Acme');
    },
  );

  test('that somebody else has given is drift; the last confirmed one is not', async () => {
    const status = { organization: { name: 'Acme' } };
    const of = async (given: string) =>
      (await new Organization({ given: `no list; knows; ${given}`, status }).run()).status;
    expect((await of('declares Acme; named Theirs')).drift).toMatchObject([
      { field: 'name', from: 'Acme', to: 'Theirs' },
    ]);
    for (const given of ['declares New', 'declares New; observe: 400']) {
      const edited = await of(given);
      expect(edited).not.toHaveProperty('drift');
      expect(edited.history).toMatchObject([{ changes: [{ from: 'Acme', to: 'New' }] }]);
    }
  });
});
