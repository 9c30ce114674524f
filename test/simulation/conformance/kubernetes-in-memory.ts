import { randomUUID } from 'node:crypto';
import { Timeline } from '../engine/timeline.ts';
import { Kubernetes } from '../kubernetes/server.ts';
import type { WireRequest } from '../network/wire.ts';
import {
  type Answer,
  type Ask,
  type KubernetesUnderTest,
  NOWHERE,
  type OpenWatch,
  type Told,
  type WatchLine,
} from './kubernetes-under-test.ts';

const ADMIN = 'admin';
const STEP_MS = 100;
/** Of simulated time: what has not come by then does not come. */
const PATIENCE_MS = 10 * 60_000;

/** The simulated API server; its time goes by when somebody waits. */
export class InMemoryKubernetes implements KubernetesUnderTest {
  readonly server: Kubernetes;
  readonly #timeline = new Timeline();
  #namespaces = 0;

  /** @param forgetsAfterMs when it forgets all versions of before; absent: never */
  constructor(forgetsAfterMs?: number) {
    this.server = new Kubernetes({
      timeline: this.#timeline,
      wall: Date.parse('2026-03-01T10:20:30.400Z'),
      newUid: () => randomUUID(),
    });
    this.server.namespaces.remove(NOWHERE);
    if (forgetsAfterMs !== undefined)
      this.#timeline.at(forgetsAfterMs, () => this.server.objects.compact());
  }

  send(ask: Ask): Promise<Answer> {
    const { status, body } = this.#serve(ask);
    if (typeof body !== 'string') throw new Error(`${ask.method} ${ask.path} began a stream`);
    return Promise.resolve({ status, body: JSON.parse(body) as Told });
  }

  watch(ask: Omit<Ask, 'method'>): Promise<OpenWatch> {
    const { status, body } = this.#serve({ ...ask, method: 'GET' });
    if (typeof body === 'string') throw new Error(`${status} ${body}`);
    const lines: WatchLine[] = [];
    let end: 'well' | 'broken' | undefined;
    body({
      data: (text) => void lines.push(JSON.parse(text) as WatchLine),
      ended: (broken) => {
        end = broken ? 'broken' : 'well';
      },
    });
    return Promise.resolve({
      next: async () => {
        await this.until('the next line', () => lines.length > 0 || end !== undefined);
        const line = lines.shift();
        if (!line) throw new Error(`the watch ended ${end}`);
        return line;
      },
      rest: async () => {
        await this.until('the end of the watch', () => end !== undefined);
        if (end === 'broken') throw new Error('the watch broke off');
        return lines.splice(0);
      },
    });
  }

  newNamespace(): Promise<string> {
    this.#namespaces += 1;
    return Promise.resolve(`test-${this.#namespaces}`);
  }

  terminate(namespace: string): Promise<void> {
    this.server.namespaces.terminate(namespace);
    return Promise.resolve();
  }

  give(...[user, rules]: Parameters<KubernetesUnderTest['give']>): Promise<void> {
    this.server.rights.give(user, rules);
    return Promise.resolve();
  }

  now(): number {
    return this.server.now();
  }

  async until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    for (let waited = 0; !(await check()); waited += STEP_MS) {
      if (waited > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
      await this.#timeline.runUntil(this.#timeline.now + STEP_MS);
    }
  }

  #serve({ method, path, query, body, accept = 'application/json', contentType, as = ADMIN }: Ask) {
    const type =
      contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    const request: WireRequest = {
      method,
      path: query ? `${path}?${new URLSearchParams(query).toString()}` : path,
      headers: { accept, ...(body !== undefined && { 'content-type': type }) },
      body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
    };
    return this.server.serve(request, { user: as, by: as });
  }
}
