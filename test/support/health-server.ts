import { onTestFinished } from 'vitest';
import { type HealthOptions, startServer } from '../../src/telemetry/health.ts';
import { FakeClock } from './fake-clock.ts';
import { recordingLog } from './recording-log.ts';

/** A server of probes and metrics on loopback until the test ends. */
export async function startHealth(options: Partial<HealthOptions> = {}) {
  const { log, messages } = recordingLog();
  const server = await startServer({
    listen: { host: '127.0.0.1', port: 0 },
    missing: () => undefined,
    metrics: () => Promise.resolve('a_metric 1\n'),
    clock: new FakeClock(),
    log,
    ...options,
  });
  onTestFinished(() => server.close());
  const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
  return { ...server, messages, at, get: (path: string) => fetch(at(path)) };
}
