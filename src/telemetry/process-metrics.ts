import { readdirSync } from 'node:fs';
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from './exposition.ts';

/**
 * Milliseconds between two looks at the event loop: often enough to see a stall, rare enough to
 * cost nothing at rest.
 */
const LAG_RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** The figures about the process under the names that the common dashboards ask for. */
export function registerProcessMetrics(registry: Registry): void {
  const gauge = (name: string, help: string, read: () => number | undefined): void =>
    single(registry, 'gauge', name, help, read);

  single(
    registry,
    'counter',
    'process_cpu_seconds_total',
    'CPU time of the process, user and system.',
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  );
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  gauge(
    'process_start_time_seconds',
    'Start of the process, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  gauge('process_open_fds', 'Open file descriptors.', openFileDescriptors);
  gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', () => process.memoryUsage().heapTotal);
  gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  gauge(
    'nodejs_external_memory_bytes',
    'Memory outside the heap that is held by objects in the heap.',
    () => process.memoryUsage().external,
  );
  registerEventLoopLag(gauge);
}

function registerEventLoopLag(
  gauge: (name: string, help: string, read: () => number) => void,
): void {
  const histogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  histogram.enable();
  const lag = (read: (histogram: ELDHistogram) => number) => (): number =>
    Math.max(0, read(histogram) - LAG_RESOLUTION_MS * 1e6) / NANOSECONDS;
  const since = 'since the last scrape';
  gauge(
    'nodejs_eventloop_lag_mean_seconds',
    `Mean delay of the event loop ${since}.`,
    lag(({ mean, count }) => (count > 0 ? mean : 0)),
  );
  gauge(
    'nodejs_eventloop_lag_p50_seconds',
    `Median delay of the event loop ${since}.`,
    lag((all) => all.percentile(50)),
  );
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    `99th percentile of the delay of the event loop ${since}.`,
    lag((all) => all.percentile(99)),
  );
  gauge('nodejs_eventloop_lag_max_seconds', `Longest delay of the event loop ${since}.`, () => {
    const longest = lag(({ max }) => max)();
    // The last of the four on the page: what follows belongs to the next scrape.
    histogram.reset();
    return longest;
  });
}

function single(
  registry: Registry,
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => number | undefined,
): void {
  registry.collected<never>({ name, help, labels: [], type }).from(() => {
    const value = read();
    return value === undefined ? [] : [[{}, value]];
  });
}

/** Only Linux tells; elsewhere the metric has no series. */
function openFileDescriptors(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/proc/self/fd').length;
}
