import { expect, onTestFinished } from 'vitest';
import { createKubeClient } from '../../../src/kube/client.ts';
import { startInformers } from '../../../src/kube/follow.ts';
import { Store } from '../../../src/kube/store.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { answers, type Behaviour, startServer } from './server.ts';

const TYPE = { group: 'test.dev', version: 'v1', plural: 'pipes', kind: 'Pipe' };
/** Of a page of a list, and of a watch: what has no answer by then has none. */
const DEADLINES = [30_000, 40_000];

/** Keeps what is waited for between two tries apart from deadlines of calls. */
class WaitingClock extends FakeClock {
  readonly waits: number[] = [];
  /** The time passes, and none of its timers rings. */
  laterMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.laterMs;
  }

  override at(delayMs: number, run: () => void): () => void {
    if (!DEADLINES.includes(delayMs)) this.waits.push(delayMs);
    return super.at(delayMs, run);
  }
}

/** Answers lists by one behaviour, watches by the others, of which the last stays. */
export function served(list: Behaviour, ...watches: Behaviour[]): Behaviour {
  return (request, response) => {
    const isWatch = request.query.has('watch');
    const watch = watches.length > 1 ? watches.shift.bind(watches) : () => watches[0];
    (isWatch ? watch() : list)?.(request, response);
  };
}

/** A list of these objects as of version 10. */
export function lists(...names: string[]): Behaviour {
  const items = names.map((name) => anObject(name, '5'));
  return answers({ metadata: { resourceVersion: '10' }, items });
}

export function anObject(name: string, resourceVersion: string): object {
  return { metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion } };
}

/** Begins a watch, and goes on with these lines. */
export const says =
  (...lines: (readonly [string, object])[]): Behaviour =>
  (_, response) => {
    response.writeHead(200).flushHeaders();
    for (const [type, object] of lines) response.write(`${JSON.stringify({ type, object })}\n`);
  };

/** Follows pipes on a server that behaves so. */
export async function follow(behave: Behaviour, namespaces: string[] = [], selector?: string) {
  const { cluster, requests } = await startServer(behave);
  const clock = new WaitingClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const { log, messages } = recordingLog();
  /** `list a` or `event a` for each object, in order. */
  const news: string[] = [];
  const store = new Store({
    trim: (object) => object,
    indexes: {},
    onChange: (key, _now, _before, origin) => void news.push(`${origin} ${key.slice(3)}`),
  });
  const client = createKubeClient(cluster, clock);
  const options = { cluster, client, labelSelector: selector, clock, log, signal: stop.signal };
  const informers = startInformers([{ type: TYPE, store }], namespaces, options);
  let isSynced = false;
  void informers.synced.then(() => (isSynced = true));
  let passed = 0;
  return {
    clock,
    messages,
    news,
    requests,
    missing: informers.missing,
    isSynced: () => isSynced,
    /** `list`, or `watch` and from which version, of each request. */
    asked: () => requests.map((line) => /(?<=resourceVersion=)\d+/.exec(line)?.[0] ?? 'list'),
    /** A try has ended, and the wait for the next one passes. */
    async next(): Promise<void> {
      passed += 1;
      await eventually(() => expect(clock.waits.length).toBeGreaterThanOrEqual(passed));
      await clock.advance(clock.waits[passed - 1] ?? 0);
    },
  };
}
