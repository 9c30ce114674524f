import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { Cluster } from '../../../src/kube/cluster.ts';
import { listening } from '../api/servers.ts';

export type Behaviour = (
  request: IncomingMessage & { readonly query: URLSearchParams },
  response: ServerResponse,
) => void;

/** A server on loopback that does with each request what the test says, until the test ends. */
export async function startServer(behave: Behaviour) {
  /** Connections that are open. */
  const open = new Set<Socket>();
  /** `METHOD path?query` of each request. */
  const requests: string[] = [];
  let accepted = 0;
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { searchParams: query } = new URL(request.url ?? '/', 'http://server');
    behave(Object.assign(request, { query }), response);
  });
  server.on('connection', (socket) => {
    accepted += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  const url = `http://${await listening(server)}`;
  const cluster = new Cluster();
  onTestFinished(() => cluster.close());
  const at = { name: 'c', server: url, skipTLSVerify: true };
  cluster.loadFromClusterAndUser(at, { name: 'u', token: 't' });
  return { cluster, requests, open, accepted: () => accepted };
}

export const answers =
  (body: object, status = 200): Behaviour =>
  (_, response) =>
    void response.writeHead(status).end(JSON.stringify(body));

/** Answers with a Status object. */
export function refuses(status: number, reason: string): Behaviour {
  return answers({ kind: 'Status', status: 'Failure', reason, message: `${reason} it is` }, status);
}
