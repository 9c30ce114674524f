import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listAll } from '../../src/kube/cache/list.ts';
import { Store } from '../../src/kube/cache/store.ts';
import { startWatch } from '../../src/kube/cache/watch.ts';
import { parseWatchLine } from '../../src/kube/cache/watch-event.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { LineSplitter } from '../../src/kube/client/lines.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { spoiltOf } from '../support/forged.ts';
import { aLine, aList, anObject } from '../support/kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

const CANARY = 'canary-value-5b1d';

test('lines are the same however their bytes are cut, and nothing but the last is kept', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => Buffer.from(text)),
    fc.constantFrom('ü\nß\r\n\n\n€', '\r\n\r\n', '\ufeff{}\n').map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), (all, cuts) => {
      const whole = new LineSplitter();
      const pieces = new LineSplitter();
      const ends = [...new Set(cuts.map((cut) => cut % (all.length + 1))), 0, all.length];
      ends.sort((a, b) => a - b);
      const lines = ends.flatMap((end, index) =>
        pieces.push(all.subarray(ends[index - 1] ?? 0, end)),
      );
      expect(lines).toEqual(whole.push(all));
      expect(pieces.pending).toBe(whole.pending);
      expect(pieces.pending).toBeLessThanOrEqual(all.length - all.lastIndexOf(10));
    }),
    { numRuns: 500 },
  );
});

const secret = { ...anObject('api', '7'), data: { keySecret: CANARY } };
const events = fc.record({
  type: fc.constantFrom(
    'ADDED',
    'MODIFIED',
    'DELETED',
    'BOOKMARK',
    'ERROR',
    'added',
    '',
    '__proto__',
  ),
  object: fc.oneof(
    fc.constant(secret),
    fc.constantFrom('1', '9'.repeat(40), 'ü').map((version) => anObject('other', version)),
    fc.constantFrom(0, 200, 404, 410, 429, 500).map((code) => ({
      code,
      reason: 'Odd',
      details: { retryAfterSeconds: code * 1e300 },
    })),
  ),
});
/** What is no event, and what is one with something odd in it. */
const line = fc.oneof(
  events.map((event) => JSON.stringify(event)),
  spoiltOf(events).map((event) => JSON.stringify(event) ?? 'undefined'),
  events.map((event) => JSON.stringify(event).slice(0, -3)),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `${text}${CANARY}`),
  fc.constantFrom('[', 'null', '5', '"x"', `{"type":"ADDED","object":"${CANARY}"}`, '{}\0'),
);

/** What names the object of an event, or the text of the KubeError; throws on any other. */
function read(text: string): { readonly names: readonly unknown[] } | { readonly error: string } {
  try {
    const event = parseWatchLine('/api/v1/things', text);
    if (event.type === 'BOOKMARK') return { names: [event.resourceVersion] };
    const { name, uid, namespace } = event.object.metadata;
    return { names: [event.resourceVersion, name, uid, namespace] };
  } catch (error) {
    if (error instanceof KubeError) return { error: String(error) };
    throw error;
  }
}

test('a line is an event of an object with a name, or an error that does not quote it', () => {
  fc.assert(
    fc.property(line, (text) => {
      const { names, error } = { names: [], error: '', ...read(text) };
      expect(names.filter((name) => typeof name !== 'string' || name === '')).toEqual([]);
      expect(error).not.toContain(CANARY);
    }),
    { numRuns: 2_000 },
  );
});

const lists = fc.record({
  kind: fc.constant('List'),
  metadata: fc.record({ resourceVersion: fc.constantFrom('10', '11', '9'.repeat(30)) }),
  items: fc.array(fc.constant(anObject('other', '9')), { maxLength: 2 }),
});
const list = fc.oneof(lists, spoiltOf(lists), fc.constantFrom(null, 5, 'x', [], {}));

test.each([null, 5, 'x', [], {}, { metadata: { resourceVersion: '9' } }, aList([], '')])(
  'an answer that is no list leaves what the store holds: %j',
  async (answer) => {
    const client = { request: () => Promise.resolve(answer) } as unknown as KubeClient;
    await expect(listAll({ client, path: '/api/v1/things' })).rejects.toThrow(KubeError);
  },
);

test('whatever lists and watches brought, the store comes to what the server holds', async () => {
  const held = [anObject('one', '20'), anObject('two', '21')];
  const added = anObject('three', '23');
  await fc.assert(
    fc.asyncProperty(
      fc.array(list, { maxLength: 3 }),
      fc.array(fc.array(line, { maxLength: 3 }), { maxLength: 4 }),
      async (badLists, badWatches) => {
        const clock = new FakeClock();
        const stop = new AbortController();
        const lies = { lists: [...badLists], watches: [...badWatches] };
        const isHonest = (): boolean => lies.lists.length === 0 && lies.watches.length === 0;
        const client: KubeClient = {
          request: <T>({ query }: { query?: Readonly<Record<string, string>> }): Promise<T> => {
            const lie = lies.lists.shift();
            const items = query?.['limit'] === '1' ? [] : held;
            return Promise.resolve((lie === undefined ? aList(items, '22') : lie) as T);
          },
          async *stream({ query, signal, onOpen }) {
            onOpen?.();
            const lie = lies.watches.shift();
            if (lie) return yield* lie;
            // A version that it never gave is one that it no longer has.
            if (!['22', '23'].includes(query?.['resourceVersion'] ?? ''))
              throw new KubeError({ call: 'GET', status: 410, reason: 'Expired', body: '' });
            if (isHonest()) yield aLine('ADDED', added);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          },
          close: () => Promise.resolve(),
        };
        const store = new Store<KubeObject>({ onChange: () => undefined });
        const { log } = recordingLog();
        const { stopped } = startWatch<KubeObject>({
          client,
          path: '/api/v1/things',
          clock,
          log,
          signal: stop.signal,
          random: () => 0.5,
          sink: store.sink(),
        });
        const names = (): string[] => [...store.values()].map(({ metadata }) => metadata.name);
        for (let tries = 0; tries < 40 && names().join() !== 'one,two,three'; tries += 1)
          await clock.advance(30_000);
        expect(names()).toEqual(['one', 'two', 'three']);
        stop.abort();
        await stopped;
      },
    ),
    { numRuns: 300 },
  );
});
