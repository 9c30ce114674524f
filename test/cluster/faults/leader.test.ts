import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { metric } from '../../support/exposition.ts';
import type { RunningOperator } from '../../support/operator.ts';
import type { Passing } from '../../support/proxy.ts';
import { openScene, type Scene, type SceneOptions } from '../../support/scene.ts';

/** So long after the last renewal was sent a leader begins no call any more. */
const RENEW_MS = 10_000;

type OnFinished = (end: () => Promise<void>) => void;

async function openWithLease(
  { onTestFinished }: { readonly onTestFinished: OnFinished },
  options: SceneOptions = {},
): Promise<Scene> {
  const scene = await openScene({ lease: true, start: false, ...options });
  onTestFinished(() => scene.end());
  return scene;
}

const leaderIs = async (operator: RunningOperator): Promise<number> =>
  metric(await operator.page('metrics'), 'pipewright_leader');

/** Milliseconds until it works, by its own word. */
async function takeover(standby: RunningOperator, since: number): Promise<number> {
  const { time } = await standby.waitForLine(({ msg }) => msg === 'working', 'it took over');
  return Date.parse(String(time)) - since;
}

const exitOf = ({ process: { exitCode } }: RunningOperator): number | null => exitCode;
const untilEnded = (operator: RunningOperator): Promise<number | null> =>
  waitFor(() => exitOf(operator), { what: 'its end', until: (code) => code !== null });

describe.concurrent('leader', () => {
  test('of two processes one works; the other takes over within 20 s of its death, and within 3 s of its end', async (context) => {
    const scene = await openWithLease(context);
    const first = await scene.start();
    const second = await scene.start({ until: 'started' });
    await scene.psets.create('one');
    await scene.psets.until('one', 'Applied');
    expect(second.lines.map(({ msg }) => msg)).not.toContain('working');
    await waitFor(() => second.page('readyz'), {
      what: 'ok',
      until: (page) => page.endsWith('ok\n'),
    });
    expect([await leaderIs(first), await leaderIs(second)]).toEqual([1, 0]);

    const killed = Date.now();
    await first.kill();
    await scene.psets.create('two');
    expect(await takeover(second, killed)).toBeLessThanOrEqual(20_000);
    await scene.psets.until('two', 'Applied');

    const third = await scene.start({ until: 'started' });
    const ended = Date.now();
    expect(await second.stop()).toBe(0);
    expect(await takeover(third, ended)).toBeLessThanOrEqual(3_000);
    await scene.psets.create('three');
    await scene.psets.until('three', 'Applied');
    for (const name of ['one', 'two', 'three']) expect(scene.psets.puts(name)).toHaveLength(1);
  });

  test('one that was frozen for longer than its Lease makes none of the calls that it was about to make, and ends with 1', async (context) => {
    const secrets: Passing[] = [];
    let isHeld = true;
    const scene = await openWithLease(context, {
      kube: {
        async take(call) {
          if (isHeld && /\/secrets\//.test(call.path)) return void secrets.push(call);
          await call.forward();
          await call.reply();
        },
      },
    });
    const frozen = await scene.start();
    // With the value of the Secret it would make its call.
    await scene.psets.create('prepared');
    await waitFor(() => secrets.length, { what: 'it to want the Secret' });
    frozen.process.kill('SIGSTOP');
    isHeld = false;
    const next = await scene.start();
    await scene.psets.until('prepared', 'Applied');
    for (const call of secrets) await call.forward();
    const answered = secrets.map((call) => call.reply());
    frozen.process.kill('SIGCONT');
    expect(await untilEnded(frozen)).toBe(1);
    await Promise.all(answered);
    expect(frozen.lines.map(({ msg }) => msg)).toContain('lost the leadership');
    expect(scene.psets.puts('prepared')).toHaveLength(1);
    expect(await leaderIs(next)).toBe(1);
  });

  test('one whose renewals are not answered begins no call later than 10 s after the last, and ends with 1', async (context) => {
    let renewedAt = 0;
    let isSilent = false;
    const scene = await openWithLease(context, {
      kube: {
        async take(call) {
          const isRenewal = call.path.includes('/leases');
          if (isRenewal && isSilent) return;
          if (isRenewal && call.method !== 'GET') renewedAt = Date.now();
          await call.forward();
          await call.reply();
        },
      },
    });
    const operator = await scene.start();
    await scene.psets.create('busy');
    await scene.psets.until('busy', 'Applied');
    isSilent = true;
    const until = renewedAt + 4 * RENEW_MS;
    for (let nth = 1; exitOf(operator) === null && Date.now() < until; nth += 1) {
      await scene.psets.create('busy', { settings: { streaming_max_insert_wait_ms: 1_000 + nth } });
      await pause(300);
    }
    expect(await untilEnded(operator)).toBe(1);
    const calls = scene.psets.puts('busy').map(({ receivedAt }) => receivedAt);
    expect(calls.length).toBeGreaterThan(5);
    expect(Math.max(...calls)).toBeLessThan(renewedAt + RENEW_MS + 1_000);
    expect(operator.lines.map(({ msg }) => msg)).toContain('lost the leadership');
  });
});
