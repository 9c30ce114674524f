import { Agent, request } from 'node:https';
import { expect, it } from 'vitest';
import { basic, PIPE, PIPE_PATH } from '../simulator/caller.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { openSimulator } from '../support/open-simulator.ts';

/** One PUT over TLS that trusts only this certificate. */
function put(url: string, ca: string, agent = new Agent()): Promise<number | undefined> {
  const headers = { authorization: basic('key', 'secret'), 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(`${url}${PIPE_PATH}`, { method: 'PUT', ca, agent, headers }, (response) => {
      response
        .on('end', () => resolve(response.statusCode))
        .on('error', reject)
        .resume();
    })
      .on('error', reject)
      .end('{"engine_max_threads":9}');
  });
}

it('serves https with the certificate it was given', async () => {
  const tls = selfSigned();
  const { simulator } = await openSimulator({ tls });
  expect(simulator.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  await expect(put(simulator.url, tls.cert)).resolves.toBe(200);
  expect(simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 9 });
  expect(simulator.log[0]?.connection).toBe(1);
});

it.each([
  ['one the caller does not trust', selfSigned(), selfSigned().cert, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [
    'one for another address',
    selfSigned({ address: '127.0.0.2' }),
    undefined,
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  ['one that is over', selfSigned({ daysLeft: -1 }), undefined, 'CERT_HAS_EXPIRED'],
])('plays a wrong certificate: %s', async (_, tls, trusted, code) => {
  const { simulator } = await openSimulator({ tls });
  await expect(put(simulator.url, trusted ?? tls.cert)).rejects.toMatchObject({ code });
  expect(simulator.log).toEqual([]);
});

it.each(['reset-before', 'reset-after', 'truncated'] as const)(
  'plays %s over TLS too',
  async (transport) => {
    const tls = selfSigned();
    const { simulator } = await openSimulator({ tls });
    simulator.next({ transport });
    await expect(put(simulator.url, tls.cert)).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
    expect(simulator.log[0]?.applied).toBe(transport !== 'reset-before');
    await expect(put(simulator.url, tls.cert)).resolves.toBe(200);
  },
);

it('stops although connections are open', async () => {
  const tls = selfSigned();
  const { simulator } = await openSimulator({ tls });
  const agent = new Agent({ keepAlive: true });
  await put(simulator.url, tls.cert, agent);
  await simulator.stop();
  await expect(put(simulator.url, tls.cert, agent)).rejects.toThrow(
    /socket hang up|ECONNREFUSED|ECONNRESET/,
  );
});
