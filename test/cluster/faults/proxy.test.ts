import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { openScene } from '../../support/scene.ts';
import { ready } from '../../support/watching.ts';

const PASSWORD = 'canary-of-the-proxy';

afterEach(() => vi.unstubAllEnvs());

test('calls to the management API, and no others, go through the proxy of the environment, whose password is told to nobody', async () => {
  const flags = ['--api-allow-http'];
  const scene = await openScene({ start: false, apiUrl: 'http://api.test:8080', flags });
  let isRefusing = false;
  const proxy = await startConnectProxy({
    // The name is the proxy's to look up: nobody else here knows it.
    route: () => new URL(scene.simulator.url).host,
    instead: (_, socket) =>
      isRefusing && Boolean(socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')),
  });
  onTestFinished(async () => {
    await scene.end();
    await proxy.stop();
  });
  const url = Object.assign(new URL(proxy.url), { username: 'mailman', password: PASSWORD });
  vi.stubEnv('HTTP_PROXY', url.href);
  vi.stubEnv('HTTPS_PROXY', url.href);
  vi.stubEnv('NO_PROXY', '.svc,.cluster.local,10.0.0.0/8');
  const operator = await scene.start();
  await scene.psets.create('through');
  await scene.psets.until('through', 'Applied');
  expect([...new Set(proxy.asked.map(({ authority }) => authority))]).toEqual(['api.test:8080']);
  expect(proxy.forwarded).toEqual([]);

  isRefusing = true;
  proxy.cut();
  await scene.psets.create('refused');
  // The first call may yet go into a tunnel that has been cut.
  const refused = await scene.psets.untilIt('refused', 'the answer of the proxy', (object) =>
    ready(object).message.includes('(407)'),
  );
  expect(ready(refused).reason).toBe('Unavailable');
  expect(ready(refused).message).toContain(
    'check the user name and password in the URL of the proxy',
  );
  isRefusing = false;
  await scene.psets.until('refused', 'Applied', 60_000);
  const told = [
    operator.output(),
    await scene.psets.list(),
    await scene.events('refused'),
    await operator.page('metrics'),
  ];
  expect(JSON.stringify(told)).not.toMatch(
    new RegExp(`${PASSWORD}|${btoa(`mailman:${PASSWORD}`)}`),
  );
});
