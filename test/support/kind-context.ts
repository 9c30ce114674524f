import type { ApiClient } from '../../src/api/call.ts';
import type { Credential } from '../../src/api/credential.ts';
import { Limiter } from '../../src/api/limiter.ts';
import type { KindContext } from '../../src/kinds/shared/context.ts';
import { createLog } from '../../src/telemetry/logger.ts';
import { createRedactor } from '../../src/telemetry/mask.ts';
import type { FakeClock } from './fake-clock.ts';
import { BASE_URL } from './objects.ts';

const KEY: Credential = { id: 'key', authorization: 'Basic a2V5', mask: (text) => text };

/**
 * What a kind by itself needs of a process: every Secret holds one usable key, and nothing limits
 * or wakes.
 */
export function aKindContext(
  clock: FakeClock,
  options: {
    readonly call: ApiClient['call'];
    readonly credentialIn?: (namespace: string) => Credential;
    readonly planOnly?: boolean;
  },
): KindContext {
  const { call, credentialIn = () => KEY, planOnly = false } = options;
  return {
    api: { baseUrl: BASE_URL, call, close: async () => undefined },
    changed: () => undefined,
    announce: () => undefined,
    limiter: new Limiter({
      rate: { calls: 0, perMs: 1 },
      rateTotal: { calls: 0, perMs: 1 },
      inFlight: 4,
      clock,
      wake: () => undefined,
    }),
    secrets: {
      awaitChange: () => undefined,
      state: () => ({ state: 'unknown' }),
    },
    readCredential: async (namespace) => ({
      ok: true,
      credential: credentialIn(namespace),
      resourceVersion: '1',
    }),
    clock,
    enqueue: () => undefined,
    onSecretChange: () => undefined,
    leaveSecret: () => undefined,
    log: createLog({ level: 'silent', redactor: createRedactor() }),
    apiTimeoutMs: 35_000,
    planOnly,
    cleanupDeadlineMs: 600_000,
  };
}
