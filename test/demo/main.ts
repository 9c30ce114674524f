import { once } from 'node:events';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { type Performance, perform } from './perform.ts';
import { createView, type View } from './view.ts';
import { buildWorld } from './world.ts';

const usage = `Usage: npm run demo [-- --once]
  (none)   tell a story of the operator at work, on a real API server, then stay for you to try things until Ctrl-C
  --once   tell it without pauses, check every step, and end: with 0 when all was as told, with 1 when not`;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_CODES;

/** Ends the demo where it stands; what was made is removed on the way out. */
class Stopped extends Error {
  readonly exitCode: number;

  constructor(why: string, exitCode: number) {
    super(why);
    this.exitCode = exitCode;
  }
}

function readArguments(): { readonly once: boolean; readonly help: boolean } {
  const { values } = parseArgs({
    options: { once: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  return { once: values.once ?? false, help: values.help ?? false };
}

async function demo(once: boolean): Promise<number> {
  process.chdir(dirname(dirname(import.meta.dirname)));
  const stop = new AbortController();
  let view: View | undefined;
  let performance: Performance = { failed: false };
  try {
    const world = await buildWorld({
      say: progressLines(),
      signal: stop.signal,
      onBegin: () => stopOnSignals(stop),
      onCall: (call) => view?.call(call),
    });
    try {
      view = createView(process.stdout, process.env);
      performance = await perform({ world, view, once, signal: stop.signal });
      if (!once) await untilStopped(stop.signal);
    } finally {
      view?.close();
      if (stop.signal.aborted && process.stdout.writable)
        console.log('\nEnding the demo and removing what it made ...');
      await world.end(performance.failed);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  // Ctrl-C is how a visitor leaves; it is no failure.
  if (stop.signal.aborted && once) return (stop.signal.reason as Stopped).exitCode;
  return performance.failed ? 1 : 0;
}

/**
 * Stays in place to the end: Ctrl-C is often pressed twice. A reader of the output that has gone
 * ends the demo too.
 */
function stopOnSignals(stop: AbortController): void {
  for (const signal of Object.keys(EXIT_CODES) as Signal[]) {
    process.on(signal, () => stop.abort(new Stopped(`stopped by ${signal}`, EXIT_CODES[signal])));
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) =>
      stop.abort(new Stopped(`nobody reads the output any more: ${error.message}`, 1)),
    );
  }
}

async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

try {
  const { once, help } = readArguments();
  if (help) console.log(usage);
  else process.exitCode = await demo(once);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof TypeError && 'code' in error) console.error(usage);
  process.exitCode = 1;
}
