import { describe, expect, test } from 'vitest';
import { rows } from '../kinds/rows.ts';
import { at, MINUTE, SECOND } from '../kinds/stage.ts';
import type { Status } from '../kinds/status.ts';
import { e, SETTLE_MS } from './endpoints.ts';
import { type Mishap, Organization, type Wish } from './scripted-api.ts';

const repeat = (mishap: Mishap, count = 12) => Array.from({ length: count }, () => mishap);

const ANSWERS = rows<'answer' | 'change' | 'reason'>(`
  answer   | change  | reason
  lost     | pending | OutcomeUnknown
  408      | pending | OutcomeUnknown
  500      | pending | OutcomeUnknown
  503      | pending | OutcomeUnknown
  html     | pending | UnexpectedResponse
  302      | pending | UnexpectedResponse
  no-list  | pending | OutcomeUnknown
  odd-list | pending | OutcomeUnknown
  401      | cleared | Unauthorized
  425      | cleared | Conflict
  429      | cleared | RateLimited
  unsent   | cleared | Unavailable
`);

test.each(ANSWERS)(
  'a change answered by $answer is $change, and nothing else is sent',
  async (row) => {
    const mishap = (Number(row.answer) || row.answer) as Mishap;
    const organization = new Organization({ ids: 'a b', mishaps: { '+a +b': [mishap] } });
    const seen = await organization.run();
    expect([organization.steps, seen.ready]).toEqual([
      'observe, save +a +b, +a +b',
      `False ${row.reason}`,
    ]);
    const pendingChange = { time: at(0), add: [e('a'), e('b')], remove: [] };
    expect(seen.status.pendingChange).toEqual(row.change === 'pending' ? pendingChange : undefined);
  },
);

describe('what may be on its way', () => {
  /** As a crash right after the save leaves it. */
  const pendingChange = { time: at(0), add: [e('a')], remove: [e('x')] };
  const wish: Wish = { ids: 'a b', inventory: 'x Added Present', status: { pendingChange } };
  const shown = ({ entries }: Organization) => entries.map(({ id, state }) => `${id} ${state}`);

  test('is observed, and is ours where the list shows it; the rest follows at once', async () => {
    const organization = new Organization({ ...wish, held: 'a' });
    const seen = await organization.run(SECOND);
    expect([organization.requests, seen.ready]).toEqual(['observe, +b', 'True Applied']);
    expect(shown(organization)).toEqual(['a Present', 'b Present']);
  });

  test.each([
    ['lacks the add', '', 'It is not known whether adding a took effect'],
    ['has what is to be removed', 'a x', 'It is not known whether removing x took effect'],
  ])('keeps all else back while the list %s, until its time', async (_, held, message) => {
    const organization = new Organization({ ...wish, held });
    const seen = await organization.run(SETTLE_MS - SECOND);
    expect([organization.steps, seen.ready, seen.wait]).toEqual([
      'observe',
      'False OutcomeUnknown',
      SECOND,
    ]);
    expect(seen.status.pendingChange).toEqual(pendingChange);
    expect(seen.message).toContain(message);
  });

  test('is sent again only after it was given up and has waited', async () => {
    const organization = new Organization({ ...wish, held: 'x' });
    await organization.run(SETTLE_MS);
    expect(organization.requests).toBe('observe, +b -x');
    expect(shown(organization)).toEqual(['a Unconfirmed', 'b Present']);
    await organization.run(13 * MINUTE);
    expect(organization.requests).toBe('observe, +b -x, observe, +a');
  });

  test('is open for a list that was asked for before its time and answered after it', async () => {
    const organization = new Organization({
      ...wish,
      on: (step, { stage }) => {
        if (step === 'observe') stage.clock.jumpWall(5 * SECOND);
      },
    });
    await organization.run(SETTLE_MS - SECOND);
    expect([organization.requests, organization.status.pendingChange]).toEqual([
      'observe',
      pendingChange,
    ]);
  });

  test.each<readonly [law: string, mishap: Mishap]>([
    ['an outage', 503],
    ['a pause of the key', 429],
    ['replies without a list', 'no-list'],
  ])(
    'is asked for when its time is over, at the latest, in %s; then by back-off',
    async (_, mishap) => {
      const organization = new Organization({ ...wish, mishaps: { observe: repeat(mishap) } });
      expect((await organization.run(SETTLE_MS - 3 * SECOND)).wait).toBeLessThanOrEqual(3 * SECOND);
      expect(organization.status.pendingChange).toEqual(pendingChange);
      for (let round = 0; round < 8; round += 1) await organization.next();
      expect((await organization.next()).wait).toBeGreaterThan(MINUTE);
    },
  );
});

describe('a change of several', () => {
  const attempts = async (mishap: Mishap, count: number) => {
    const organization = new Organization({ ids: 'a b', mishaps: { '+a +b': repeat(mishap) } });
    const steps: string[] = [];
    for (let round = 0; round < count; round += 1) {
      await organization.next();
      steps.push(...organization.stage.log.filter((step) => step.startsWith('+')));
    }
    return steps.join(', ');
  };

  test.each([500, 501])(
    'answered with %i three times in a row goes one at a time',
    async (code) => {
      expect(await attempts(code, 40)).toBe('+a +b, +a +b, +a +b, +a, +b');
    },
  );

  test('answered with 503 goes on as it is', async () => {
    expect(await attempts(503, 40)).toMatch(/^\+a \+b(, \+a \+b){3,}$/);
  });
});

describe('with another --api-url', () => {
  const verified = { time: at(0), apiHash: `sha256:${'1'.repeat(64)}` };
  const pendingChange = { time: at(0), add: [e('x')], remove: [] };
  const status: Status = { verified, pendingChange, organization: { name: 'Elsewhere' } };
  const inventory = 'a Added Present, b Adopted Present, c Found Present, d – Refused refused';
  const wish: Wish = { ids: 'a', held: 'a b x', inventory, status };

  test('what was ours is Found, never removed, and an event names it', async () => {
    const organization = new Organization(wish);
    const { events } = await organization.run();
    expect(organization.requests).toBe('observe');
    expect(organization.entries).toMatchObject([{ id: 'a', origin: 'Found' }]);
    expect(organization.status).not.toHaveProperty('drift');
    expect(events.join()).toMatch(
      /OwnershipLost: .*: a \(gcp\/r1\), b \(gcp\/r1\), x \(gcp\/r1\)\./,
    );
  });

  test.each([503, 401, 'unsent', 'lost'] as const)(
    'that answers %s nobody loses what is theirs',
    async (mishap) => {
      const organization = new Organization({ ...wish, mishaps: { observe: [mishap] } });
      const before = organization.entries;
      await organization.run();
      expect(organization.entries).toEqual(before);
      expect(organization.status).toMatchObject({ verified, pendingChange });
    },
  );
});
