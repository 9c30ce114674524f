import { Command, InvalidArgumentError } from 'commander';
import { startSimulator } from './simulator.ts';
import type { Call, Rate } from './types.ts';

const PATH = '/v1/organizations/org-1/services/service-1/pipes/pipe-1/settings';

interface Flags {
  readonly port: number;
  readonly keyId: string;
  readonly keySecret: string;
  readonly latencyMs: number;
  readonly rate?: Rate;
}

function readNumber(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

function readKeyId(text: string): string {
  if (/^[^\s:']+$/.test(text)) return text;
  throw new InvalidArgumentError('It is empty, or has a colon, a quote or a blank.');
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('It is not a number from 0 to 65535.');
}

function readRate(text: string): Rate {
  const [, calls, seconds] = /^([1-9]\d*)\/([1-9]\d*)s$/.exec(text) ?? [];
  if (calls) return { calls: Number(calls), perMs: Number(seconds) * 1000 };
  throw new InvalidArgumentError('It is not calls over seconds, such as 10/10s.');
}

const flags = new Command('npm run simulate --')
  .description('A simulated management API on 127.0.0.1; it forgets everything when it ends.')
  .requiredOption('--key-id <id>', 'id of the API key that callers use', readKeyId)
  .requiredOption('--key-secret <secret>', 'its secret')
  .option('--port <n>', 'absent: one that is free', readPort, 0)
  .option('--latency-ms <n>', 'how long each answer takes', readNumber, 0)
  .option('--rate <calls/seconds>', 'most calls of the key, as 10/10s; more get 429', readRate)
  .parse()
  .opts<Flags>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));

const { keyId, keySecret, ...rest } = flags;
const { url } = await startSimulator({
  ...rest,
  keys: { [keyId]: keySecret },
  onCall: (call) => console.log(lineOf(call)),
}).catch((error: unknown) => {
  console.error(`It cannot listen on port ${rest.port}; give another --port. ${String(error)}`);
  process.exit(1);
});
console.log(`Simulated management API at ${url}; it forgets everything when it ends.`);
const header = "-H 'Content-Type: application/json'";
const body = `-d '{"engine_max_threads":8}'`;
console.log(`Try: curl -u '${keyId}:<key secret>' -X PUT ${header} ${body} ${url}${PATH}`);

function lineOf({ receivedAt, status, fate, method, path, text, requestId }: Call): string {
  const parts = [status, fate, method, path, text.slice(0, 1000), requestId];
  return [new Date(receivedAt).toISOString(), ...parts.filter(Boolean)].join(' ');
}
