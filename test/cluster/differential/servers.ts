import { request } from 'undici';
import { controlPlane } from '../../controlplane/client.ts';
import { Timeline } from '../../simulation/engine/timeline.ts';
import { Kubernetes } from '../../simulation/kubernetes/server.ts';
import type { WireReply } from '../../simulation/network/wire.ts';
import { adminAgent, asAdmin } from '../../support/cluster.ts';
import type { Body, Request, Server, WatchEvent } from './client.ts';

/** Of `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, split. */
const COLLECTION_DEPTH = 7;
const WATCH = 'watch=true&timeoutSeconds=60&resourceVersion=';

/** The real kube-apiserver, as the administrator. */
export function realServer(): Server {
  const { server } = controlPlane;
  return {
    async ask({ method, path, body }) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const reply = await request(new URL(path, server), {
        method,
        dispatcher: adminAgent,
        headers: { 'content-type': type },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await reply.body.json()) as Body;
      const version = answer.metadata?.resourceVersion;
      if (method !== 'GET' && version !== undefined) await untilCached(path, version);
      return { status: reply.statusCode, body: answer };
    },
    async watch(collection, from, last) {
      const events: WatchEvent[] = [];
      const url = new URL(`${collection}?${WATCH}${from}`, server);
      const { body } = await request(url, { dispatcher: adminAgent });
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of body) {
        const lines = (text + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
        text = lines.pop() ?? '';
        events.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
        if (events.at(-1)?.object.metadata?.name === last) break;
      }
      return events;
    },
  };
}

/**
 * The real server begins a write from its cache, which may be behind: there it answers 200 to one
 * that changes nothing, whatever old version that carries. A list of at least a version waits for
 * the cache to have it.
 */
async function untilCached(path: string, version: string): Promise<void> {
  const collection = path.split('/').slice(0, COLLECTION_DEPTH).join('/');
  await asAdmin('GET', `${collection}?limit=1&resourceVersion=${version}`);
}

/** That of the simulation. */
export function simulatedServer(): Server {
  const timeline = new Timeline();
  let uids = 0;
  const kubernetes = new Kubernetes({
    timeline,
    wall: Date.parse('2026-03-01T00:00:00Z'),
    newUid: () => `uid-${(uids += 1)}`,
    onChange: () => {},
  });
  const serve = ({ method, path, body }: Request): WireReply =>
    kubernetes.serve({ method, path, headers: {}, body: body ? JSON.stringify(body) : '' }, 'me');
  return {
    ask: (asked) => {
      const { status, body } = serve(asked);
      return Promise.resolve({ status, body: JSON.parse(String(body)) as Body });
    },
    async watch(collection, from) {
      const events: WatchEvent[] = [];
      const { body } = serve({ method: 'GET', path: `${collection}?${WATCH}${from}` });
      if (typeof body === 'string') throw new Error(`no watch: ${body}`);
      const data = (text: string): void => void events.push(JSON.parse(text) as WatchEvent);
      const stop = body({ data, ended: () => {} });
      await timeline.runUntil(timeline.now + 1);
      stop();
      return events;
    },
  };
}
