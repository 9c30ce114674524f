import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Timeline } from '../../simulation/engine/timeline.ts';
import { kindOf } from '../../simulation/kubernetes/kinds.ts';
import { Kubernetes } from '../../simulation/kubernetes/server.ts';
import { eventually } from '../../support/eventually.ts';
import { listen } from '../../support/loopback.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

interface Line {
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
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    rmSync(folder, { recursive: true });
    return code as number | null;
  });
  const lines = () => (said.match(/^\{.*\}$/gm) ?? []).map((line) => JSON.parse(line) as Line);
  /** Of its pages, once it has started. */
  const port = async (): Promise<number> => {
    const started = () => lines().find(({ msg }) => msg === 'started');
    await eventually(() => expect(started(), said).toBeDefined());
    return Number(started()?.['port']);
  };
  return { said: () => said, lines, port, ended, kill: (name: NodeJS.Signals) => child.kill(name) };
}

/** The Kubernetes of the simulation needs no more of its timeline than this. */
const realTime = {
  now: 0,
  quietlyAt: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
} as unknown as Timeline;

/** The Kubernetes of the simulation over a real connection. */
export async function startKubernetes() {
  const wall = Date.now();
  const onChange = (): void => undefined;
  const kube = new Kubernetes({ timeline: realTime, wall, newUid: randomUUID, onChange });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '' } = request;
    const body = await text(request);
    const reply = kube.serve({ method, path, headers: {}, body }, 'the operator');
    response.writeHead(reply.status, reply.headers).flushHeaders();
    if (typeof reply.body === 'string') {
      response.end(reply.body);
      return;
    }
    const ended = (): unknown => response.end();
    response.on('close', reply.body({ data: (piece) => response.write(piece), ended }));
  };
  const server = await listen(createServer((...request) => void serve(...request)));
  const create = (plural: string, name: string, content: object): void =>
    void kube.as('a user').create(kindOf(plural), 'ns', { metadata: { name }, ...content });
  return { ...server, create };
}
