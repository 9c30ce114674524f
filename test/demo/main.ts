import { once } from 'node:events';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { type Performance, perform } from './perform.ts';
import { withShortPauses } from './recording/cast.ts';
import { keepRecording, PICTURE, SIZE } from './recording/files.ts';
import { RecordedTerminal } from './recording/terminal.ts';
import { story, trailer } from './story.ts';
import { createView, type View } from './view.ts';
import { buildWorld } from './world.ts';

const usage = `Usage: npm run demo [-- --once | --record]
  (none)   tell a story of the operator at work, on a real API server, then stay for you to try things until Ctrl-C
  --once   tell it without pauses, check every step, and end: with 0 when all was as told, with 1 when not
  --record tell a short one to a terminal that nobody sees, and write what it showed to ${PICTURE}`;

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

type Way = 'visit' | 'once' | 'record';

function readArguments(): Way | 'help' {
  const { values } = parseArgs({
    options: {
      once: { type: 'boolean' },
      record: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { once, record, help } = values;
  if (once && record) throw new Error(`--once and --record are two ways: give one\n${usage}`);
  if (help) return 'help';
  if (once) return 'once';
  return record ? 'record' : 'visit';
}

async function demo(way: Way): Promise<number> {
  process.chdir(dirname(dirname(import.meta.dirname)));
  const unseen = new RecordedTerminal(SIZE);
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
      view = way === 'record' ? createView(unseen, {}) : createView(process.stdout, process.env);
      performance = await perform({
        world,
        view,
        steps: way === 'record' ? trailer : story,
        audience: way !== 'once',
        visitor: way === 'visit',
        signal: stop.signal,
      });
      if (way === 'visit') await untilStopped(stop.signal);
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
  if (stop.signal.aborted && way !== 'visit') return (stop.signal.reason as Stopped).exitCode;
  if (way === 'record') await finishRecording(unseen, performance);
  return performance.failed ? 1 : 0;
}

async function finishRecording(unseen: RecordedTerminal, { failed }: Performance): Promise<void> {
  if (failed) {
    for (const { text } of unseen.written) process.stdout.write(text);
    console.error('Nothing was recorded, as a step of the story failed');
    return;
  }
  await keepRecording(withShortPauses(unseen.written));
  console.log(`Recorded: ${PICTURE}`);
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
  const way = readArguments();
  if (way === 'help') console.log(usage);
  else process.exitCode = await demo(way);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof TypeError && 'code' in error) console.error(usage);
  process.exitCode = 1;
}
