import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { selfSigned } from '../simulator/certificate.ts';

/**
 * A program: so many clients as its argument says, each of which breaks off some of its calls at
 * any moment and is closed soon after. Ends with 0. The server is a process of its own, as Node's
 * server has faults of this kind too.
 */
if (process.send) process.once('message', serve);
else await breakOff(Number(process.argv[2]));

async function breakOff(clients: number): Promise<never> {
  const material = selfSigned();
  const server = fork(import.meta.filename);
  process.on('exit', () => server.kill());
  server.send(material);
  const [port] = await once(server, 'message');
  const credentials = { headers: {}, tls: { ca: material.cert } };
  for (let index = 0; index < clients; index++) {
    const client = createKubeClient({
      server: new URL(`https://127.0.0.1:${port}`),
      namespace: undefined,
      credentials: () => Promise.resolve(credentials),
      renew: () => Promise.resolve(),
    });
    const stop = new AbortController();
    const write = (signal?: AbortSignal) =>
      client.request({
        method: 'PUT',
        path: '/write',
        body: { text: 'x'.repeat(2_000) },
        ...(signal && { signal }),
      });
    if (chance(0.8)) await client.request({ method: 'GET', path: '/first' });
    const calls = many(4, () =>
      client.request({ method: 'GET', path: '/watch', signal: stop.signal }),
    );
    await dawdle();
    calls.push(...many(3, () => write(chance(0.3) ? stop.signal : undefined)));
    await dawdle();
    stop.abort();
    await dawdle();
    if (chance(0.5)) calls.push(...many(3, () => write()));
    await dawdle();
    await client.close();
    await Promise.all(calls);
  }
  process.exit(0);
}

function many(count: number, call: () => Promise<unknown>): Promise<unknown>[] {
  return Array.from({ length: count }, () => call().catch(() => {}));
}

function chance(of: number): boolean {
  return Math.random() < of;
}

/** Passes some time of each kind: at work, in the kernel, in promises and in the event loop. */
async function dawdle(): Promise<void> {
  if (chance(0.3)) work(Math.random() * 3);
  if (chance(0.4)) await setTimeout(Math.random() * 2);
  if (chance(0.3)) work(Math.random() * 3);
  if (chance(0.5)) for (let left = Math.random() * 10; left > 0; left--) await Promise.resolve();
  if (chance(0.3)) await setImmediate();
}

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Answers a write soon, in one piece or two; an answer to `/watch` goes on and on. */
function serve(material: { readonly cert: string; readonly key: string }): void {
  const server = createSecureServer(material);
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200 });
    if (headers[':path'] === '/watch') goOn(stream);
    else void end(stream);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

function goOn(stream: ServerHttp2Stream): void {
  const more = setInterval(() => stream.write('{}\n'), 1);
  stream.on('close', () => clearInterval(more));
}

async function end(stream: ServerHttp2Stream): Promise<void> {
  if (chance(0.7)) await setTimeout(Math.random() * 4);
  else {
    stream.write(' ');
    await setImmediate();
  }
  if (!stream.destroyed) stream.end('{}');
}
