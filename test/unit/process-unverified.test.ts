import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { runProcess } from '../../src/process.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

test.each([true, false])(
  'a certificate of Kubernetes that is not checked (%j) is in the log and the metrics',
  async (isUnverified) => {
    const kube = await new FakeKubeServer().start();
    const parsed = parseConfig({
      argv: ['--api-url=https://api.test', '--leader-elect=false'],
      env: {},
      version: 'test',
    });
    if (!parsed.ok) throw new Error(parsed.message);
    const { log, messages } = recordingLog();
    const metrics = createMetrics();
    const stop = new AbortController();
    await runProcess({
      config: parsed.config,
      cluster: { ...kube.cluster, isUnverified: () => isUnverified },
      clock: new FakeClock(),
      log,
      metrics,
      version: 'test',
      identity: 'us',
      guard: () => () => undefined,
      startServer: () => {
        stop.abort();
        return Promise.resolve({ port: 1, close: () => Promise.resolve() });
      },
      stop: stop.signal,
    });
    await kube.stop();
    const warnings = messages.filter((line) => line.startsWith('warn insecure-skip-tls-verify: '));
    expect(warnings).toHaveLength(isUnverified ? 1 : 0);
    const value = isUnverified ? 1 : 0;
    expect(metrics.render()).toContain(`\npipewright_kubernetes_tls_unverified ${value}\n`);
  },
);
