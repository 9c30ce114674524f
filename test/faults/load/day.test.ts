import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLeadership } from '../../../src/leadership.ts';
import { recordingLog } from '../../support/recording-log.ts';
import * as rows from './day-budget.ts';
import { dayClock } from './day-clock.ts';
import { dayKube } from './day-kube.ts';
import { type Life, startLife } from './day-life.ts';

const {
  BUSY,
  budget,
  compare,
  DAILY,
  FAILED,
  complaintsOf,
  KEY_REFUSED,
  LEASE_ROW,
  NOTHING,
  OFTEN,
  REFUSED,
  ROTATED,
} = rows;
const ROWS = [NOTHING, ROTATED, REFUSED, KEY_REFUSED, FAILED, BUSY, DAILY, OFTEN];

let life: Life;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life.end());

describe('Day: 1,000 PipeSettings cost no more than costs.md says, in 24 hours in which', () => {
  test.each(ROWS)('$row', async (row) => {
    expect(await complaintsOf(life, row)).toEqual([]);
  });

  test.each([LEASE_ROW])('%s', async () => {
    const clock = dayClock();
    const kube = dayKube(clock);
    const stop = new AbortController();
    const leadership = createLeadership({
      lease: { client: kube.client, namespace: 'pipewright', name: 'pipewright' },
      identity: 'one',
      clock,
      log: recordingLog().log,
      work: () => Promise.resolve(),
    });
    const running = leadership.run(stop.signal);
    await clock.pass(60_000, () => false);
    const before = kube.writes.leases;
    await clock.pass(24 * 60 * 60_000, () => false);
    const complaints = await compare(LEASE_ROW, { calls: 0, writes: kube.writes.leases - before });
    stop.abort();
    await running;
    expect(complaints).toEqual([]);
  });

  test('costs.md states nothing that is not measured here', async () => {
    const measured = ROWS.map(({ row }) => row);
    expect([...(await budget()).keys()].toSorted()).toEqual([...measured, LEASE_ROW].toSorted());
  });
});
