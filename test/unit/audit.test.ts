import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { listening } from '../support/proxied-client.ts';

const ADVISORIES = {
  undici: [
    {
      id: 1,
      url: 'https://advisories.test/1',
      title: 'Sends it twice',
      severity: 'high',
      vulnerable_versions: '*',
      cwe: [],
      cvss: { score: 0, vectorString: null },
    },
  ],
};

/** What it says of a package: npm looks for a version without the vulnerability. */
function packageOf(path: string): object {
  const name = decodeURIComponent(path.slice(1));
  return {
    name,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name, version: '1.0.0' } },
  };
}

/** Asks a registry of the test, which answers what somebody who audits wants to know. */
async function audit(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  waitMs: number,
): Promise<{ code: number | null; stdout: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => answer(response, request));
  });
  const port = await listening(server);
  const root = join(import.meta.dirname, '..', '..');
  // Of npm itself only this: a proxy or another registry of whoever runs this is not asked.
  const env = {
    PATH: process.env['PATH'],
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: await temporaryFolder(),
  };
  const args = [join(root, 'test', 'audit.ts'), String(waitMs)];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root, env }, (_, stdout) => {
      server.closeAllConnections();
      resolve({ code: child.exitCode, stdout, asked });
    });
  });
}

const json = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
};

test('a vulnerability that the registry knows fails, with what it is and where it is told', async () => {
  const answer = (response: ServerResponse, { method, url = '' }: IncomingMessage): void =>
    json(response, method === 'POST' ? ADVISORIES : packageOf(url));
  const { code, stdout } = await audit(answer, 60_000);
  expect(stdout).toContain('undici, high: Sends it twice https://advisories.test/1\n');
  expect(code).toBe(1);
});

test('a vulnerability of what only builds or tests fails nothing', async () => {
  const advisories = { vitest: ADVISORIES.undici };
  const answer = (response: ServerResponse, { method, url = '' }: IncomingMessage): void =>
    json(response, method === 'POST' ? advisories : packageOf(url));
  const { code, stdout, asked } = await audit(answer, 60_000);
  expect([code, stdout]).toEqual([0, '']);
  expect(asked).toContain('GET /vitest');
});

test('none fails nothing and says nothing', async () => {
  const { code, stdout, asked } = await audit((response) => json(response, {}), 60_000);
  expect([code, stdout]).toEqual([0, '']);
  expect(asked[0]).toContain('POST /-/npm/v1/security/');
});

test.each<[string, (response: ServerResponse) => void, number, string]>([
  ['refuses', (response) => response.writeHead(405).end(), 60_000, '405 Method Not Allowed'],
  ['is silent', () => undefined, 5_000, 'nothing within 5 s'],
])('a registry that %s fails nothing, and that is said', async (_, answer, waitMs, why) => {
  const { code, stdout } = await audit(answer, waitMs);
  expect(stdout).toContain(`the registry did not answer (${why}`);
  expect(stdout).toContain('nobody has looked for known vulnerabilities');
  expect(code).toBe(0);
});
