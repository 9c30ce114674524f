import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { runProcess } from '../../src/process.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { clusterAt } from '../support/kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

test.each([
  [undefined, 1],
  ['a CA', 0],
])(
  'a certificate that is not checked is warned of once at the start (CA: %s)',
  async (ca, warnings) => {
    const argv = ['--api-url=https://api.test', '--leader-elect=false'];
    const parsed = parseConfig({ argv, env: {}, version: 'test' });
    if (!parsed.ok) throw new Error(parsed.message);
    const { log, messages } = recordingLog();
    const stop = new AbortController();
    await runProcess({
      config: parsed.config,
      cluster: clusterAt('https://127.0.0.1:1', ca),
      clock: new FakeClock(),
      log,
      metrics: createMetrics(),
      version: 'test',
      identity: 'us',
      guard: () => () => undefined,
      startServer: () => {
        stop.abort();
        return Promise.resolve({ port: 1, close: () => Promise.resolve() });
      },
      stop: stop.signal,
    });
    expect(
      messages.filter((line) => line.startsWith('warn insecure-skip-tls-verify: ')),
    ).toHaveLength(warnings);
  },
);
