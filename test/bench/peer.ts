import { Pool } from 'undici';
import type { FloorStep } from './floor-steps.ts';
import type { Pset } from './objects.ts';

/** What a bare program is told by the one that starts it. */
export interface PeerOptions {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly apiUrl: string;
  readonly authorization: string;
  readonly namespace: string;
  /** For the bare loop. */
  readonly concurrency?: number;
  readonly status?: object;
  readonly upTo?: FloorStep;
}

/** Connections as the operator has them: undici, HTTP/2 to Kubernetes and HTTP/1.1 to the API. */
export function openPeer() {
  const options = JSON.parse(process.env.PEER_OPTIONS ?? '{}') as PeerOptions;
  const { server, ca, token, apiUrl, authorization } = options;
  const kube = new Pool(server, {
    allowH2: true,
    connect: { ca, allowH2: true },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const api = new Pool(apiUrl);
  return {
    options,
    kube: (method: 'GET' | 'PUT', path: string, body?: unknown) =>
      kube.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async put(path: string, settings: object): Promise<unknown> {
      const reply = await api.request({
        method: 'PUT',
        path,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      });
      if (reply.statusCode !== 200) throw new Error(`PUT ${path}: HTTP ${reply.statusCode}`);
      return reply.body.json();
    },
  };
}

/** Tells of the object of each event of a watch, until it ends. */
export async function readEvents(
  body: AsyncIterable<unknown>,
  see: (object: Pset) => void,
): Promise<void> {
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + (chunk as Buffer).toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) see((JSON.parse(line) as { object: Pset }).object);
  }
}
