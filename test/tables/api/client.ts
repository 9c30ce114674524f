import { onTestFinished } from 'vitest';
import { createApiClient } from '../../../src/api/call.ts';
import { judge } from '../../../src/api/verdict.ts';
import { createMask } from '../../../src/telemetry/mask.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type Answer, httpApi } from './servers.ts';

type Options = Parameters<typeof createApiClient>[0];
type Client = ReturnType<typeof createApiClient>;
type Request = Parameters<Client['call']>[0];

const realTime: Options['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  at: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The operator's client of the API; closed when the running test ends. */
export function client(base: string, more: Partial<Options> = {}): Client {
  const made = createApiClient({
    baseUrl: new URL(base),
    timeoutMs: 15_000,
    clock: realTime,
    version: '1.2.3',
    stop: new AbortController().signal,
    ...more,
  });
  // Not awaited: what is seen to fail may leave a connection that never ends.
  onTestFinished(() => void made.close());
  return made;
}

const [keyId, keySecret] = ['key-id-1', 'top secret/1'];
export const BASIC = `Basic ${btoa(`${keyId}:${keySecret}`)}`;

/** It does not matter which. */
export const put: Request = {
  operation: 'UpdatePipeSettings',
  method: 'PUT',
  path: ['v1', 'organizations', 'o-1'],
  body: '{"a":1}',
  begin: () => true,
  credential: { id: 'c', authorization: BASIC, mask: createMask(keyId, keySecret) },
};

const { body: _, ...bodiless } = put;
export const get: Request = { ...bodiless, method: 'GET' };

const CLOCK = new FakeClock('2026-01-01T00:00:00Z');
export const NOW = CLOCK.now();

/** What a call comes to that a real server answers so; by itself a write to a pipe. */
export async function judged(answer: Answer, { write = true, of = 'pipe' } = {}) {
  const { base } = await httpApi(answer);
  return judge(await client(base, { clock: CLOCK }).call(put), { write, of });
}
