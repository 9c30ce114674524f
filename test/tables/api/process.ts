import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Timeline } from '../../simulation/engine/timeline.ts';
import { Kubernetes } from '../../simulation/kubernetes/server.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The operator as a process of its own; `cluster` is that of its kubeconfig. */
export function startMain(cluster: object, flags: readonly string[], nodeOptions = '') {
  const folder = mkdtempSync(join(tmpdir(), 'pipewright-main-'));
  const kubeconfig = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster }],
    users: [{ name: 'x', user: { token: 't' } }],
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(kubeconfig));
  const given = [`--kubeconfig=${join(folder, 'config')}`, '--listen=127.0.0.1:0', ...flags];
  const child = spawn(process.execPath, [MAIN, ...given], { env: { NODE_OPTIONS: nodeOptions } });
  const said = { all: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said.all += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    rmSync(folder, { recursive: true });
    return code as number | null;
  });
  return {
    said: () => said.all,
    lines: () =>
      said.all
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Line),
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

/** A server on loopback for a whole file. */
export async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const end = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end };
}

/** The Kubernetes of the simulation needs no more of its timeline than this. */
const realTime = {
  now: 0,
  quietlyAt: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
} as unknown as Timeline;

/** The Kubernetes of the simulation over a real connection; it answers nothing before `open`. */
export async function startKubernetes() {
  const kube = new Kubernetes({
    timeline: realTime,
    wall: Date.now(),
    newUid: randomUUID,
    onChange: () => undefined,
  });
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = await serving(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await text(request);
    await opened;
    const reply = kube.serve({ method, path, headers: {}, body }, 'the operator');
    response.writeHead(reply.status, reply.headers);
    if (typeof reply.body === 'string') {
      response.end(reply.body);
      return;
    }
    response.flushHeaders();
    const cancel = reply.body({
      data: (piece) => response.write(piece),
      ended: () => response.end(),
    });
    response.on('close', cancel);
  });
  return { ...server, kube, open };
}
