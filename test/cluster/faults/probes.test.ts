import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { metric } from '../../support/exposition.ts';
import { openSceneOfTest } from '../../support/scene.ts';

const SIZE = 1_000;
const SAMPLES = 200;

/** Comes again whenever it is put out, until the test ends. Resolves when it is in. */
function besiege(port: number, sent: string, drip: string): Promise<void> {
  const isIn = Promise.withResolvers<void>();
  let isOver = false;
  let current: Socket;
  const come = (): void => {
    current = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      .on('error', () => undefined)
      .on('connect', () => {
        isIn.resolve();
        if (sent !== '') current.write(sent);
      })
      .on('end', () => current.destroy())
      .on('close', () => !isOver && setTimeout(come, 1_000));
  };
  come();
  const dripping = setInterval(() => drip !== '' && current.writable && current.write(drip), 500);
  onTestFinished(() => {
    isOver = true;
    clearInterval(dripping);
    current.destroy();
  });
  return isIn.promise;
}

/** As the kubelet asks: from another process, with a connection for each probe; in ms. */
const PROBER = `
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
const [port, count] = process.argv.slice(-2).map(Number);
for (let nth = 0; nth < count; nth += 1) {
  const from = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /livez HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n');
  const answer = await text(socket);
  console.log(answer.startsWith('HTTP/1.1 200 ') ? performance.now() - from : Infinity);
  await pause(25);
}`;

async function probes(port: number): Promise<number[]> {
  const args = ['--input-type=module', '--eval', PROBER, '--', String(port), String(SAMPLES)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim().split('\n').map(Number);
}

test(`${SIZE} connections that say nothing, drip, or do not read leave every /livez answered, the median under 100 ms, and the memory bounded`, async () => {
  const scene = await openSceneOfTest({ flags: ['--log-level=info'] });
  const operator = scene.operator();
  const { port } = await operator.waitForLine(({ msg }) => msg === 'started', 'it started');
  const memory = async (): Promise<number> =>
    metric(await operator.page('metrics'), 'process_resident_memory_bytes') / 2 ** 20;
  const before = await memory();
  const head = 'GET /livez HTTP/1.1\r\nhost: x\r\n';
  const ways = [
    ['', ''],
    [head, 'x-drip: 1\r\n'],
    ['POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 99999\r\n\r\n', 'x'],
    ['GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n', ''],
  ] as const;
  const crowd = Array.from({ length: SIZE }, (_, nth) => ways[nth % ways.length] ?? ways[0]);
  await Promise.all(crowd.map(([sent, drip]) => besiege(Number(port), sent, drip)));
  const took = (await probes(Number(port))).toSorted((a, b) => a - b);
  expect(took).toHaveLength(SAMPLES);
  expect(took[SAMPLES / 2], 'the median').toBeLessThan(100);
  // The kubelet waits 5 s.
  expect(took.at(-1), 'the slowest').toBeLessThan(5_000);
  expect((await memory()) - before, 'MiB more').toBeLessThan(64);
});
