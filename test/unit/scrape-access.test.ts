import { describe, expect, test } from 'vitest';
import { pause } from '../../src/clock.ts';
import { createScrapeAccess, type Standing } from '../../src/telemetry/scrape-access.ts';
import { FakeClock } from '../support/fake-clock.ts';

const ALLOWED: Standing = { is: 'allowed' };
const BAD: Standing = { is: 'unauthenticated' };
const UNKNOWN: Standing = { is: 'unknown', status: 503, why: 'no answer' };

/** An API server that takes its time, and writes down what it was asked. */
function rig(options: { readonly takesMs?: number } = {}) {
  const clock = new FakeClock();
  const standings = new Map<string, Standing>([['good', ALLOWED]]);
  const asked: { readonly token: string; readonly at: number }[] = [];
  const load = { now: 0, most: 0 };
  const access = createScrapeAccess(async (token) => {
    asked.push({ token, at: clock.monotonic() });
    load.most = Math.max(load.most, ++load.now);
    await pause(clock, options.takesMs ?? 5);
    load.now -= 1;
    return standings.get(token) ?? BAD;
  }, clock);
  /** The answer, once time has gone on for as long as it took. */
  async function get(token: string): Promise<Standing> {
    const answer = access(token);
    await clock.advance(options.takesMs ?? 5);
    return answer;
  }
  return { clock, standings, asked, load, access, get };
}

describe('an answer', () => {
  test('holds for 10 s, and then the right that was taken away counts', async () => {
    const { clock, standings, asked, get } = rig();
    expect(await get('good')).toEqual(ALLOWED);
    standings.set('good', { is: 'forbidden', user: 'somebody' });
    await clock.advance(9_990);
    expect(await get('good')).toEqual(ALLOWED);
    expect(asked).toHaveLength(1);
    await clock.advance(10);
    expect(await get('good')).toEqual({ is: 'forbidden', user: 'somebody' });
    expect(asked).toHaveLength(2);
  });

  test('is one for all who ask alike at once', async () => {
    const { clock, asked, access } = rig();
    const answers = Promise.all(Array.from({ length: 100 }, () => access('good')));
    await clock.advance(5);
    expect(new Set(await answers)).toEqual(new Set([ALLOWED]));
    expect(asked).toHaveLength(1);
  });

  test('is none where nobody could say, and lets nobody in', async () => {
    const { standings, asked, get } = rig();
    standings.set('good', UNKNOWN);
    expect(await get('good')).toEqual(UNKNOWN);
    standings.set('good', ALLOWED);
    expect(await get('good')).toEqual(ALLOWED);
    expect(asked).toHaveLength(2);
  });

  test('that was a failure of ours is asked again', async () => {
    let fails = true;
    const access = createScrapeAccess(
      () => (fails ? Promise.reject(new Error('a bug')) : Promise.resolve(ALLOWED)),
      new FakeClock(),
    );
    await expect(access('good')).rejects.toThrow('a bug');
    fails = false;
    expect(await access('good')).toEqual(ALLOWED);
  });
});

describe('a stranger who tries tokens without end', () => {
  /** Two hundred a second for a minute; gives what the good one was told every second. */
  async function flood({ clock, access }: ReturnType<typeof rig>): Promise<Standing[]> {
    const told: Promise<Standing>[] = [];
    for (let i = 0; i < 12_000; i++) {
      void access(`bogus-${i}`);
      if (i % 200 === 100) told.push(access('good'));
      await clock.advance(5);
    }
    await clock.advance(60_000);
    return Promise.all(told);
  }

  test('has ten a second tried at most, four at once, and whoever was let in before still is', async () => {
    const scene = rig();
    await scene.get('good');
    expect(new Set(await flood(scene))).toEqual(new Set([ALLOWED]));
    const seconds = Map.groupBy(scene.asked, ({ at }) => Math.floor(at / 1_000));
    const most = Math.max(...[...seconds.values()].map(({ length }) => length));
    expect(most).toBeLessThanOrEqual(13);
    expect(scene.asked.length).toBeGreaterThan(500);
    expect(scene.load.most).toBeLessThanOrEqual(5);
  });

  test('keeps no more than four reviews waiting for an API server that is slow', async () => {
    const scene = rig({ takesMs: 3_000 });
    await scene.get('good');
    await flood(scene);
    expect(scene.load.most).toBe(5);
  });

  test('is told that others are tried, not that the token is bad', async () => {
    const { access, clock } = rig();
    for (let i = 0; i < 4; i++) void access(`bogus-${i}`);
    expect(await access('perhaps-good')).toMatchObject({ is: 'unknown', status: 503 });
    await clock.advance(400);
    const later = access('good');
    await clock.advance(5);
    expect(await later).toEqual(ALLOWED);
  });
});
