import type { ApiRequest, Reply } from '../../src/api/http/client.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import type { KindContext } from '../../src/kinds/shared/context.ts';
import { createRedactor } from '../../src/redaction.ts';
import { createLog } from '../../src/telemetry/logger.ts';
import type { FakeClock } from './fake-clock.ts';
import { BASE_URL } from './objects.ts';

/**
 * What a kind by itself needs of a process: every Secret holds one usable key, and nothing limits
 * or wakes.
 */
export function aKindContext(
  clock: FakeClock,
  {
    answer,
    whileReading = async () => undefined,
  }: {
    /** The API's, to a call that has left. */
    readonly answer: (body: string | undefined) => Promise<Reply>;
    /** What happens while a key is read. */
    readonly whileReading?: () => Promise<void>;
  },
): KindContext {
  return {
    api: {
      baseUrl: BASE_URL,
      async call({ begin, body }: ApiRequest) {
        const objection = begin?.();
        if (objection)
          return { answered: false, sent: false, cause: 'called off', aborted: objection };
        return answer(body);
      },
      close: async () => undefined,
    },
    limiter: createRateLimiter({
      rate: { calls: 0, perMs: 1 },
      rateTotal: { calls: 0, perMs: 1 },
      inFlight: 4,
      clock,
      wake: () => undefined,
    }),
    secrets: {
      refer: () => undefined,
      release: () => undefined,
      state: () => ({ state: 'unknown' }),
    },
    async readCredential() {
      await whileReading();
      const credential = { id: 'key', authorization: 'Basic a2V5', mask: (text: string) => text };
      return { ok: true, credential, resourceVersion: '1' };
    },
    clock,
    enqueue: () => undefined,
    onSecretChange: () => undefined,
    writeFinalizers: async () => undefined,
    emit: () => undefined,
    log: createLog({ level: 'silent', redactor: createRedactor() }),
    unlisted: () => [],
    apiTimeoutMs: 35_000,
    planOnly: false,
    cleanupDeadlineMs: 600_000,
  };
}
