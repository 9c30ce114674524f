import { afterEach, expect } from 'vitest';
import type { Cancel } from '../../src/clock.ts';
import { startWatch, type WatchOptions, type WatchState } from '../../src/kube/cache/watch.ts';
import { createKubeClient } from '../../src/kube/client/client.ts';
import type { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { eventually } from './eventually.ts';
import { FakeClock } from './fake-clock.ts';
import { aList, aStatus, type Behaviour, sendJson, startKubeServer } from './kube-server.ts';
import { recordingLog } from './recording-log.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What a test's server does with lists and with watches. */
export interface Plan {
  readonly list?: Behaviour;
  /** What it answers to who only asks for its present version; absent: one above all that were. */
  readonly version?: Behaviour;
  readonly watch: Behaviour;
}

/** Beginning of a stream, a page of a list, the silence of a watch whose random is 0.5. */
const DEADLINES_MS = [20_000, 30_000, 73_000];

/** A watch that says yes and stays silent. */
export const silence: Behaviour = (_, response) => response.writeHead(200).flushHeaders();
export const lines =
  (...all: string[]): Behaviour =>
  (_, response) => {
    response.writeHead(200);
    for (const line of all) response.write(line);
  };
export const refuse =
  (code: number, reason: string, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    sendJson(response, code, aStatus(code, reason), headers);
/** A list, or the answer to who asks for the version. */
export const shows =
  (version: string, ...objects: KubeObject[]): Behaviour =>
  (_, response) =>
    sendJson(response, 200, aList(objects, version));
/** Each behaviour once, the last one for ever. */
export const inTurn = (...all: Behaviour[]): Behaviour => {
  let next = 0;
  return (request, response) => all[Math.min(next++, all.length - 1)]?.(request, response);
};

const newest = shows('999');
export const emptyList = shows('10');

/**
 * A fake clock that knows which of its timers are the watch's own waits: all that are no deadline
 * of a call.
 */
export class WatchClock extends FakeClock {
  readonly waits = new Set<number>();

  override at(delayMs: number, run: () => void): Cancel {
    const wait = DEADLINES_MS.includes(delayMs) ? undefined : delayMs;
    if (wait !== undefined) this.waits.add(wait);
    const done = (): void => void (wait !== undefined && this.waits.delete(wait));
    const cancel = super.at(delayMs, () => {
      done();
      run();
    });
    return () => {
      done();
      cancel();
    };
  }
}

/** One watch at a server of its own, and all that it tells; it ends with the test. */
export async function follow(plan: Plan, more: Partial<WatchOptions<KubeObject>> = {}) {
  const behave = ({ list = emptyList, version = newest, watch }: Plan): Behaviour => {
    const ofList = ({ search }: Parameters<Behaviour>[0]): Behaviour =>
      search.get('limit') === '1' ? version : list;
    return (request, response) =>
      (request.search.has('watch') ? watch : ofList(request))(request, response);
  };
  const server = await startKubeServer(behave(plan));
  const clock = new WatchClock();
  const client = createKubeClient(server.cluster, { clock });
  const stop = new AbortController();
  const { log, messages } = recordingLog();
  const news: string[] = [];
  const failures: KubeError[] = [];
  const states: WatchState[] = [];
  const watch = startWatch<KubeObject>({
    client,
    path: '/api/v1/things',
    clock,
    log,
    signal: stop.signal,
    random: () => 0.5,
    onState: (state) => states.push(state),
    sink: {
      replace: (objects, version, isRestored) => {
        const names = objects.map(({ metadata }) => metadata.name).join(',');
        news.push(`list ${names} @${version}${isRestored ? ', restored' : ''}`);
      },
      apply: (event, { metadata }) =>
        void news.push(`${event} ${metadata.name} @${metadata.resourceVersion}`),
      bookmark: (version) => void news.push(`bookmark @${version}`),
      failed: (error) => void failures.push(error),
    },
    ...more,
  });
  ends.push(
    () => server.close(),
    () => client.close(),
    async () => {
      stop.abort();
      await watch.stopped;
    },
  );
  const of = (kind: 'watch' | 'list') =>
    server.requests.filter(
      (line) =>
        !line.includes('limit=1&') &&
        !line.endsWith('limit=1') &&
        line.includes('watch=true') === (kind === 'watch'),
    );
  const until = (check: () => void) => eventually(check);
  return {
    server,
    clock,
    client,
    stop,
    watch,
    news,
    failures,
    states,
    messages,
    until,
    lists: () => of('list').length,
    watches: () => of('watch').length,
    /** The resourceVersion of each watch so far. */
    resumes: () =>
      of('watch').map((line) =>
        new URL(line.slice(4), 'http://s').searchParams.get('resourceVersion'),
      ),
    /** Waits until the watch pauses, lets that time pass, and says how long it was. */
    async sitOut(): Promise<number> {
      await until(() => expect(clock.waits.size).toBe(1));
      const [wait = 0] = clock.waits;
      await clock.advance(wait);
      return wait;
    },
    plan: (next: Plan) => server.behave(behave(next)),
  };
}
