import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { startSimulator } from '../simulator/simulator.ts';

/** A request that came, at a time of the clock that all processes of a machine share. */
export interface Arrival {
  readonly path: string;
  readonly at: number;
}

/** What this process reports to the bench: where it listens, then each request. */
export type Report = { readonly url: string } | Arrival;

/**
 * The simulated management API, as a process of its own: beside the bench it would be measured with
 * it. Its own log counts milliseconds.
 */
const [keyId = '', secret = '', latencyMs = ''] = process.argv.slice(2);
const report = (message: Report) => process.send?.(message);
subscribe('http.server.request.start', (message) => {
  const at = Number(process.hrtime.bigint()) / 1e6;
  const { url = '' } = (message as { request: IncomingMessage }).request;
  report({ path: url, at });
});
const { url } = await startSimulator({
  keys: { [keyId]: secret },
  latencyMs: Number(latencyMs),
  keepLog: false,
});
report({ url });
process.once('disconnect', () => process.exit(0));
