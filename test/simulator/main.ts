import { readFlags, usage } from './flags.ts';
import { startSimulator } from './simulator.ts';
import type { Call } from './types.ts';

const LONGEST_SHOWN = 1000;
const flags = readFlags(process.argv.slice(2));
if ('help' in flags) {
  console.log(usage());
  process.exit(0);
}
if ('problems' in flags) {
  console.error(
    `The simulated management API cannot start:\n${flags.problems.map((problem) => `  ${problem}`).join('\n')}\n\n${usage()}`,
  );
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));

const { options } = flags;
try {
  const simulator = await startSimulator({
    ...options,
    ...(!flags.quiet && { onCall: (call: Call) => console.log(line(call)) }),
  });
  const [keyId = ''] = Object.keys(options.keys ?? {});
  const pipe = options.pipes?.[0] ?? 'org-1/service-1/pipe-1';
  const [organization, service, name] = pipe.split('/');
  const path = `/v1/organizations/${organization}/services/${service}/pipes/${name}/settings`;
  console.log(`Simulated management API at ${simulator.url}; it forgets everything when it ends.`);
  console.log(
    `Try: curl ${options.tls ? '-k ' : ''}-u '${keyId}:<key secret>' -X PUT -H 'Content-Type: application/json' -d '{"engine_max_threads":8}' ${simulator.url}${path}`,
  );
} catch (error) {
  console.error(
    `The simulated management API cannot start: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exit(1);
}

function line(call: Call): string {
  const outcome = [call.status, call.fate].filter((part) => part !== undefined).join(' ');
  const body = call.body === undefined ? call.text : call.body;
  const took = `${(call.answeredAt ?? Date.now()) - call.receivedAt} ms`;
  const shown = body === '' ? undefined : JSON.stringify(body).slice(0, LONGEST_SHOWN);
  return [
    new Date(call.receivedAt).toISOString(),
    outcome,
    call.method,
    call.path,
    shown,
    took,
    call.requestId,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}
