import { beforeEach, describe, expect, test } from 'vitest';
import { createSecrets } from '../../../src/kube/secrets.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { isAbout } from '../kinds/rows.ts';
import { Api, type Fate } from './api.ts';

const KEY = 'ns/own';
const PATH = '/api/v1/namespaces/ns/secrets';

let clock: FakeClock;
let api: Api;
let fate: Fate;
beforeEach(() => {
  clock = new FakeClock();
  api = new Api(clock);
  fate = {};
});

function open() {
  const client = api.client(() => fate);
  return createSecrets(client, clock, new AbortController().signal);
}

function make(): void {
  api.as('POST', PATH, { kind: 'Secret', metadata: { name: 'own' }, data: {} });
}

/** Seconds until the Secret has been asked for once more. */
async function untilAsked(): Promise<number> {
  const [since, before] = [clock.now(), api.calls.length];
  while (api.calls.length === before) await clock.advance(100);
  return (clock.now() - since) / 1_000;
}

const about = (seconds: number, wanted: number) => isAbout(seconds * 1_000, wanted * 1_000);

test('what was read is used for 5 s, unless it is asked for anew', async () => {
  const secrets = open();
  expect(await secrets.read(KEY)).toEqual({ state: 'absent' });
  make();
  await clock.advance(4_999);
  expect(await secrets.read(KEY)).toEqual({ state: 'absent' });
  expect(await secrets.read(KEY, 'anew')).toMatchObject({ state: 'present' });
  await clock.advance(5_000);
  await Promise.all([secrets.read(KEY), secrets.read(KEY)]);
  expect(api.calls).toHaveLength(3);
});

describe('a Secret that somebody waits for', () => {
  test('is noticed as it comes, and whoever waits is told', async () => {
    const secrets = open();
    const told: string[] = [];
    secrets.onChange((key) => void told.push(key));
    secrets.awaitChange('owner', KEY);
    await untilAsked();
    make();
    await untilAsked();
    expect([told, secrets.state(KEY).state]).toEqual([[KEY, KEY], 'present']);
  });

  test('is asked for every 2 s, after a minute every 10 s, after ten every minute', async () => {
    open().awaitChange('owner', KEY);
    await untilAsked();
    for (const [passed, seconds] of [
      [0, 2],
      [60_000, 10],
      [600_000, 60],
    ] as const) {
      await clock.advance(passed);
      await untilAsked();
      expect(about(await untilAsked(), seconds)).toBe(true);
    }
  });

  test('that Kubernetes does not give is asked for again, 1 s → 1 m', async () => {
    fate = { refused: { status: 503 } };
    const secrets = open();
    secrets.awaitChange('owner', KEY);
    await untilAsked();
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60])
      expect(about(await untilAsked(), seconds)).toBe(true);
    expect(secrets.state(KEY)).toEqual({ state: 'unknown' });
  });

  test('is not asked for once nobody waits for it', async () => {
    const secrets = open();
    secrets.awaitChange('owner', KEY);
    await untilAsked();
    secrets.awaitChange('owner', undefined);
    await clock.advance(3_600_000);
    expect(api.calls).toHaveLength(1);
  });
});
