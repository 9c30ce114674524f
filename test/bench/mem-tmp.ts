import { openStage, fill } from './stage.ts';
import { startOperator } from '../support/operator.ts';
import { memoryOf } from './process.ts';
import { setTimeout as pause } from 'node:timers/promises';
const stage = await openStage(console.log);
const N = Number(process.argv[2] ?? 10000);
const hold = process.argv[3] === 'hold';
const namespace = 'mem';
await fill(stage, namespace, N);
const before = stage.arrivals.length;
if (process.env.SNAP) process.env.NODE_OPTIONS='--heapsnapshot-signal=SIGUSR2';
const op = await startOperator({
  kubeconfig: stage.kubeconfig, apiUrl: stage.apiUrl,
  flags: ['--namespaces', namespace, '--api-rate', hold ? '10/10s' : '0', '--api-in-flight', '10'],
  logLevel: 'info',
  environment: process.env.SNAP ? { NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2' } : {},
} as never);
console.log((await op.page('metrics')).split('\n').filter((l: string) => /heap_(size_)?(used|total)|heap_space.*used/.test(l)).join('\n'));
const running = { pid: op.process.pid!, stop: async () => {} } as never;
const t0 = Date.now();
let snapped = false;
for (;;) {
  await pause(2000);
  const m = await memoryOf(running);
  const page = await op.page('metrics').catch(() => '');
  const used = /nodejs_heap_size_used_bytes (\S+)/.exec(page)?.[1], total = /nodejs_heap_size_total_bytes (\S+)/.exec(page)?.[1], ext=/nodejs_external_memory_bytes (\S+)/.exec(page)?.[1];
  const done = stage.arrivals.length - before;
  console.log(((Date.now()-t0)/1000).toFixed(0), 's', done, 'rss', m.now.toFixed(0), 'peak', m.peak.toFixed(0), 'heap', (Number(used)/1048576).toFixed(0), (Number(total)/1048576).toFixed(0), 'ext', (Number(ext)/1048576).toFixed(1));
  if (process.env.SNAP && !snapped && Date.now()-t0 > Number(process.env.SNAP)*1000) { snapped = true; op.process.kill('SIGUSR2'); await pause(15000); break; }
  if (Date.now()-t0 > 85_000) break;
  if (hold && Date.now()-t0 > 90_000) break;
}
await op.kill();
await stage.close();
process.exit(0);
