import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  createApiClient,
} from '../../src/api/http/client.ts';
import { systemClock } from '../../src/clock.ts';

/** Has a server listen until the running test ends, and gives its URL. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${address.port}`;
}

/** `handle` is called once the body has come whole. */
export function httpServer(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  return listen(
    createHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => handle(request, response, body));
    }),
  );
}

/**
 * A server without HTTP: `onRequest` gets the socket each time a whole request head has arrived.
 */
export function rawServer(onRequest: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  return listen(
    createServer((socket) => {
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1').includes('\r\n\r\n')) onRequest(socket, ++count);
      });
    }),
  );
}

/** The operator's client of the API without a proxy; closed when the running test ends. */
export function client(base: string, more: Partial<ApiClientOptions> = {}): ApiClient {
  const made = createApiClient({
    baseUrl: new URL(base),
    timeoutMs: 5_000,
    clock: systemClock,
    version: '1.2.3',
    mayStart: () => true,
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}

/** It does not matter which. */
export const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'organizations', 'o-1'],
  body: '{"a":1}',
  credential: {
    id: 'c',
    authorization: 'Basic aWQ6c2VjcmV0',
    mask: (text) => text.replaceAll('secret', '***'),
  },
};
