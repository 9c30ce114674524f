import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROWS, type Row } from '../support/failure-rows.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { kstatus } from '../support/kstatus.ts';
import { MovableClock } from '../support/movable-clock.ts';
import {
  endpoint,
  ledgerOf,
  list,
  type Org,
  type Organizations,
  through,
} from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, side } from '../support/watching.ts';

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeAll(async () => {
  // Slowly: the shortest wait is 0.8 s, and much is looked at before it ends.
  scene = await openScene({ start: 'inner', clock: new MovableClock({ pace: 0.02 }) });
  ({ orgs } = scene);
  operator = scene.inner();
});
afterAll(() => scene.end());

const LOOK_REFUSED = new Set([400, 405, 422]);
/** Nothing happened, and nobody is blamed. */
const NOTHING_HAPPENED = new Set([401, 403, 404, 410, 423, 424, 425, 429]);

/**
 * An object with an organization and a key of its own, one call of which fails: those whose body
 * has this.
 */
async function failing(
  { name, fault }: Row,
  bodyIncludes: string,
): Promise<{ readonly called: string; readonly object: Org }> {
  const organizationId = randomUUID();
  const called = `${name}-${organizationId.slice(0, 8)}`;
  await scene.newKey(called);
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  scene.simulator.next(fault, { match: { pathIncludes: organizationId, bodyIncludes } });
  await orgs.create(called, {
    organizationId,
    credentialsSecretRef: { name: called },
    ...list('a', 'b'),
  });
  const object = await orgs.untilIt(
    called,
    `${name} to show`,
    (one) => ready(one).status === 'False',
  );
  return { called, object };
}

function expectTold(object: Org, row: Row, reason: string): void {
  expect(`${ready(object).reason} ${side(object)}`).toBe(`${reason} ${row.side}`);
  expect(kstatus(object)).toBe(row.side === 'Stalled' ? 'Failed' : 'InProgress');
  expect(ready(object).message).toMatch(row.says);
  expect(object.status.attempts).toBe(1);
  const wait =
    (Date.parse(object.status.nextAttemptTime ?? '') -
      Date.parse(object.status.lastRequest?.time ?? '')) /
    1_000;
  expect(wait).toBeGreaterThanOrEqual(row.exact ? row.firstWait : row.firstWait * 0.8);
  expect(wait).toBeLessThanOrEqual((row.exact ? row.firstWait : row.firstWait * 1.2) + 2);
}

async function expectGotOver(called: string): Promise<void> {
  const object = await through(orgs, operator, called, (one) => ready(one).reason === 'Applied');
  expect(ledgerOf(object)).toEqual(['a Added Present', 'b Added Present']);
  expect(object.status.attempts).toBeUndefined();
  expect(object.status.pendingChange).toBeUndefined();
  const counts = scene.simulator.endpointCounts(String(object.spec['organizationId']));
  expect(counts['gcp/ap-northeast-1/a']?.added).toBe(1);
  await orgs.remove(called);
}

describe('a look', () => {
  test.each(ROWS.filter(({ httpStatus = 0 }) => !LOOK_REFUSED.has(httpStatus)))(
    'that ends in $name changes nothing: it is said, waited out and got over',
    async (row) => {
      const { called, object } = await failing(row, '"add":[],"remove":[]');
      expectTold(object, row, row.reason === 'OutcomeUnknown' ? 'Unavailable' : row.reason);
      expect(object.status.pendingChange).toBeUndefined();
      expect(ledgerOf(object)).toEqual([]);
      await expectGotOver(called);
    },
  );
});

describe('a change', () => {
  test.each(ROWS.filter(({ httpStatus = 0 }) => NOTHING_HAPPENED.has(httpStatus)))(
    'that is answered with $name did not happen, and nobody is to blame for it',
    async (row) => {
      const { called, object } = await failing(row, '"add":[{');
      expectTold(object, row, row.reason);
      expect(object.status.pendingChange).toBeUndefined();
      expect(ledgerOf(object)).toEqual([]);
      await expectGotOver(called);
    },
  );
});
