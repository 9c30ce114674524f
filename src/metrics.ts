import type { Collected, Counter, Histogram } from './exposition.ts';

/** Every metric of the process, one field each; the names on the page stand in `createMetrics`. */
export interface Metrics {
  readonly apiRequests: Counter<'operation' | 'code'>;
  readonly apiRequestDuration: Histogram<'operation'>;
  readonly apiWait: Histogram<'operation'>;
  readonly credentialPaused: Collected<'credential'>;
  readonly reconciles: Counter<'kind' | 'result'>;
  readonly reconcileDuration: Histogram<'kind'>;
  readonly resourceReady: Collected<'kind' | 'namespace' | 'name' | 'reason'>;
  readonly resourceLastConfirmed: Collected<'kind' | 'namespace' | 'name'>;
  readonly drift: Counter<'kind'>;
  readonly cleanupAbandoned: Counter<never>;
  readonly leader: Collected<never>;
  readonly queueDepth: Collected<'name'>;
  readonly queueAdds: Counter<'name'>;
  readonly queueWait: Histogram<'name'>;
  readonly queueWork: Histogram<'name'>;
  readonly queueRetries: Counter<'name'>;
  readonly queueUnfinished: Collected<'name'>;
  readonly queueLongestRunning: Collected<'name'>;
  readonly kubeRequests: Counter<'code' | 'method' | 'host'>;
  /** The page; see Registry. */
  render(): string;
}
