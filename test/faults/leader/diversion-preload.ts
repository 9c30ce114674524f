import { Socket } from 'node:net';

/**
 * Runs before the bundle in the operator's process: its connections to the port `from` of this
 * module's URL go to the port `to`. Operators that have the same --api-url, which counts when they
 * compare what was sent, can so be told apart.
 */
const { searchParams } = new URL(import.meta.url);
const [from, to] = ['from', 'to'].map((name) => Number(searchParams.get(name)));
const connect = Reflect.get(Socket.prototype, 'connect') as (
  this: Socket,
  ...given: unknown[]
) => Socket;

Reflect.set(
  Socket.prototype,
  'connect',
  function diverted(this: Socket, ...given: unknown[]): Socket {
    // node:net hands its own calls on as one list.
    const [first] = given.flat() as { port?: number | string }[];
    if (typeof first === 'object' && Number(first.port) === from)
      Object.assign(first, { port: to });
    return connect.apply(this, given);
  },
);
