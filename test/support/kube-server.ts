import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Cluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

export type Behaviour = (
  request: IncomingMessage & { readonly search: URLSearchParams },
  response: ServerResponse,
) => void;

/** A server on loopback that does with each request what the test says. */
export interface KubeServer {
  readonly cluster: Cluster;
  /** `METHOD path?query` of every request, in order. */
  readonly requests: string[];
  /** Connections accepted since the start, and open now. */
  readonly connections: { accepted: number; readonly open: Set<Socket> };
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function startKubeServer(behaviour: Behaviour): Promise<KubeServer> {
  let current = behaviour;
  const requests: string[] = [];
  const connections = { accepted: 0, open: new Set<Socket>() };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { searchParams: search } = new URL(request.url ?? '/', 'http://server');
    current(Object.assign(request, { search }), response);
  });
  server.on('connection', (socket) => {
    connections.accepted += 1;
    connections.open.add(socket);
    socket.on('close', () => connections.open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    cluster: clusterAt(`http://127.0.0.1:${port}`),
    requests,
    connections,
    behave: (next) => {
      current = next;
    },
    close: () => {
      for (const socket of connections.open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A cluster by its address. `ca`: PEM; absent: whoever answers is taken for it. */
export function clusterAt(server: string, ca?: string, token = 't'): Cluster {
  const cluster = new Cluster();
  const caData = ca && Buffer.from(ca).toString('base64');
  cluster.loadFromClusterAndUser(
    { name: 'c', server, skipTLSVerify: ca === undefined, ...(caData && { caData }) },
    { name: 'u', token },
  );
  return cluster;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

/** The body of a refusal, as the API server writes it. */
export function aStatus(code: number, reason: string, message = `${reason} it is`): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

/** A list as the API server writes it. */
export function aList(objects: readonly KubeObject[], resourceVersion: string, next = ''): object {
  return { kind: 'List', metadata: { resourceVersion, continue: next }, items: objects };
}

/** One line of a watch. */
export function aLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** A ConfigMap-like object; its uid is that of its name unless given. */
export function anObject(
  name: string,
  resourceVersion: string,
  more: { uid?: string; namespace?: string; generation?: number; spec?: unknown } = {},
): KubeObject {
  const { uid = `uid-${name}`, namespace = 'ns', generation, spec } = more;
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return {
    metadata: { ...metadata, ...(generation !== undefined && { generation }) },
    ...(spec === undefined ? {} : { spec }),
  };
}
