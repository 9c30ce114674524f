import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Reply } from './replies.ts';

const DRIP_MS = 1000;
const BOMB_MEMBERS = 1024;
const MEBIBYTE = 1024 * 1024;

/** One byte a second, with the whole length announced. */
export function drip(response: ServerResponse, reply: Reply): void {
  const bytes = Buffer.from(reply.text);
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
  let sent = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent < bytes.length) return;
    clearInterval(timer);
    response.end();
  }, DRIP_MS);
  response.on('close', () => clearInterval(timer));
  response.write(bytes.subarray(sent, sent + 1));
  sent += 1;
}

/** A JSON text that goes on for as long as somebody reads. */
export function endless(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { 'content-type': 'application/json' });
  response.write('{"status":200,"result":{"padding":"');
  const chunk = 'x'.repeat(64 * 1024);
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(chunk)) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

/** A gigabyte of JSON in a megabyte of gzip. */
export function bomb(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  });
  response.write(gzipSync('{"status":200,"result":{"padding":"'));
  const member = gzipSync('x'.repeat(MEBIBYTE));
  for (let sent = 0; sent < BOMB_MEMBERS; sent += 1) response.write(member);
  response.end(gzipSync('"}}'));
}

/** Half of what is announced, then the connection ends. */
export function truncated(response: ServerResponse, reply: Reply): void {
  const bytes = Buffer.from(reply.text);
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () =>
    response.socket?.destroySoon(),
  );
}
