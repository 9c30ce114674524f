import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openScene, type Scene } from '../support/scene.ts';

const EDITS = 40;

/** A load balancer before the API: closes what has been silent for so long, without a word. */
async function startBalancer(upstream: string, idleMs: number): Promise<string> {
  const target = new URL(upstream);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const api = connect(Number(target.port), target.hostname);
    const pair = [client, api] as const;
    for (const [one, other] of [pair, [api, client] as const]) {
      open.add(one);
      one.setTimeout(idleMs, () => pair.forEach((socket) => socket.destroy()));
      one.on('error', () => other.destroy()).on('close', () => open.delete(one));
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sceneBehind(idleMs: number): Promise<Scene> {
  const scene = await openScene({ start: false });
  onTestFinished(() => scene.end());
  await scene.start({ apiUrl: await startBalancer(scene.simulator.url, idleMs) });
  return scene;
}

test.concurrent.each([1_000, 5_000])(
  'forty edits as far apart as the API closes idle connections, %i ms: each is Applied with one call',
  { timeout: 400_000 },
  async (idleMs) => {
    const scene = await sceneBehind(idleMs);
    for (let nth = 1; nth <= EDITS; nth += 1) {
      await scene.psets.create('pipe', { settings: { engine_max_threads: nth } });
      const { status } = await scene.psets.until('pipe', 'Applied', 5_000);
      expect(status.lastRequest).toMatchObject({ outcome: 'Succeeded', httpStatus: 200 });
      expect(status.applied?.generation).toBe(nth);
      // The time apart is what is tried here, so it is waited for; some ms more, some less.
      await pause(idleMs + ((nth * 7) % 40) - 20);
    }
    expect(scene.psets.puts('pipe').map(({ status }) => status)).toEqual(Array(EDITS).fill(200));
  },
);
