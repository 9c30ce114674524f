import { expect, test } from 'vitest';
import { type Kubectl, KubectlError } from '../../src/cli/cluster/kubectl.ts';
import type { Context } from '../../src/cli/command.ts';
import { watchStatus } from '../../src/cli/status/watch.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { aPipeSettings } from '../support/objects.ts';

/** `status --watch` on a cluster that a test writes down. */

interface Watch {
  readonly path: string;
  readonly line: (line: string) => void;
  /** The server ends it, or fails. */
  readonly end: (error?: Error) => void;
}

const listed = (...names: string[]) => names.map((name) => aPipeSettings({ name }));
const event = (type: string, name: string): string =>
  JSON.stringify({ type, object: aPipeSettings({ name }) });
const unreachable = () => new KubectlError({ reason: 'Unreachable', message: 'no route' });

const forbidden = () => new KubectlError({ reason: 'Forbidden', message: 'ask for this right' });

function cluster({
  screen = false,
  rows = 20,
  objects = listed('orders'),
  refused = /^$/,
  check = false,
} = {}) {
  const clock = new FakeClock('2026-03-01T12:00:00.000Z');
  const stop = new AbortController();
  const printed: string[] = [];
  const told: string[] = [];
  const watches: Watch[] = [];
  const psets = { objects, version: 7, fails: undefined as Error | undefined };
  const kubectl: Partial<Kubectl> = {
    async get<T>(path: string) {
      const isPset = path.includes('/pipesettings');
      if (isPset && psets.fails) throw psets.fails;
      if (refused.test(path)) throw forbidden();
      const metadata = { resourceVersion: `${psets.version}` };
      return { metadata, items: isPset ? psets.objects : [] } as T;
    },
    follow(path, onLine, signal) {
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve());
        if (path.includes('/pipesettings'))
          watches.push({ path, line: onLine, end: (error) => (error ? reject(error) : resolve()) });
      });
    },
  };
  const context = {
    kubectl: kubectl as Kubectl,
    clock,
    stop: stop.signal,
    version: '0',
    env: {},
    terminal: fakeTerminal({
      print: (text) => void printed.push(text),
      tell: (text) => void told.push(text),
      ...(screen && { isScreen: true, columns: 60, rows }),
    }),
  } satisfies Context;
  const end = watchStatus(context, { namespace: 'ingest' }, { json: false, check });
  return { clock, stop, printed, told, watches, psets, end };
}

/** The one that is under way. */
function last(watches: readonly Watch[]): Watch {
  const watch = watches.at(-1);
  if (!watch) throw new Error('nothing is watched');
  return watch;
}

const names = (lines: readonly string[]): string[] =>
  lines.map((line) => /pset\/\S+/.exec(line)?.[0] ?? line);

test('a watch goes on from the version of its list', async () => {
  const { clock, watches, stop, end } = cluster();
  await clock.advance(0);
  expect(watches.map(({ path }) => path)).toEqual([
    '/apis/pipewright.dev/v1alpha1/namespaces/ingest/pipesettings?watch=1&resourceVersion=7',
  ]);
  stop.abort();
  expect(await end).toBe(0);
});

test.each([
  ['the server ends the watch', (watch: Watch) => watch.end()],
  [
    'the server has forgotten the version',
    (watch: Watch) => watch.line('{"type":"ERROR","object":{"kind":"Status","code":410}}'),
  ],
  ['a line is cut', (watch: Watch) => watch.line('{"type":"ADDED","obj')],
  ['a line is none of a watch', (watch: Watch) => watch.line('null')],
  ['a line has no object', (watch: Watch) => watch.line('{"type":"ADDED","object":{}}')],
])('it lists again when %s, and misses nothing', async (_what, breaks) => {
  const { clock, watches, psets, printed, told, stop } = cluster();
  await clock.advance(1_000);
  psets.objects = listed('late');
  psets.version = 9;
  breaks(last(watches));
  await clock.advance(2_000);
  expect(watches).toHaveLength(2);
  expect(last(watches).path).toContain('resourceVersion=9');
  expect(names(printed)).toEqual(['pset/orders', 'pset/late', 'pset/orders']);
  expect(printed.at(-1)).toContain('Gone');
  expect(told).toEqual([]);
  stop.abort();
});

test('while the API server is away it says so, waits and goes on', async () => {
  const { clock, watches, psets, printed, told, stop } = cluster();
  await clock.advance(1_000);
  psets.fails = unreachable();
  last(watches).end(unreachable());
  await clock.advance(11_000);
  expect(told).toEqual(['trying again: no route', 'trying again: no route']);
  psets.fails = undefined;
  psets.objects = listed('orders', 'late');
  await clock.advance(6_000);
  expect(names(printed)).toEqual(['pset/orders', 'pset/late']);
  stop.abort();
});

test('a right that is taken away ends it', async () => {
  const { clock, watches, psets, end } = cluster();
  await clock.advance(1_000);
  psets.fails = new KubectlError({ reason: 'Forbidden', message: 'not yours' });
  const failure = end.catch((error: unknown) => error);
  last(watches).end();
  await clock.advance(2_000);
  expect(await failure).toBe(psets.fails);
  expect(clock.pending).toBe(0);
});

test('a kind that may not be listed is left out and told once, the others are shown', async () => {
  const { clock, watches, printed, told, stop, end } = cluster({ refused: /activities/ });
  await clock.advance(1_000);
  last(watches).line(event('ADDED', 'late'));
  await clock.advance(1_000);
  expect(names(printed)).toEqual(['pset/orders', 'pset/late']);
  expect(told).toEqual(['not shown: ask for this right']);
  stop.abort();
  expect(await end).toBe(0);
});

test('on a screen, which is wiped, that stands above the table', async () => {
  const { clock, printed, told, stop } = cluster({ screen: true, refused: /activities/ });
  await clock.advance(11_000);
  expect(printed.at(-1)).toMatch(/^not shown: ask for this right\nNAME +STATE/);
  expect(told).toEqual([]);
  stop.abort();
});

test('where a kind may not be listed, --check does not wait for what it cannot see', async () => {
  const { clock, end } = cluster({ refused: /activities/, check: true });
  const failure = end.catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await failure).toMatchObject({ message: 'ask for this right' });
});

test('where no kind may be listed it ends', async () => {
  const { clock, end, told } = cluster({ refused: /./ });
  const failure = end.catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await failure).toMatchObject({ message: 'ask for this right' });
  expect(told).toEqual([]);
});

test('a signal that is not that of Ctrl-C ends it with its own code', async () => {
  const { clock, stop, end } = cluster();
  await clock.advance(1_000);
  stop.abort('SIGTERM');
  await expect(end).rejects.toMatchObject({ name: 'Stopped', exitCode: 143 });
});

test('changes that come together make one screen, and the last of them is on it', async () => {
  const { clock, watches, printed, stop } = cluster({ screen: true });
  await clock.advance(1_000);
  const before = printed.length;
  for (let nth = 0; nth < 500; nth++) last(watches).line(event('ADDED', `n${nth % 10}`));
  last(watches).line(event('DELETED', 'orders'));
  last(watches).line(event('ADDED', 'zz'));
  await clock.advance(200);
  expect(printed.length - before).toBe(1);
  expect(printed.at(-1)).toContain('pset/zz');
  expect(printed.at(-1)).not.toContain('pset/orders');
  stop.abort();
});

test('a steady stream of changes does not put the screen off', async () => {
  const { clock, watches, printed, stop } = cluster({ screen: true });
  await clock.advance(1_000);
  const before = printed.length;
  for (let nth = 0; nth < 100; nth++) {
    last(watches).line(event('MODIFIED', 'orders'));
    await clock.advance(20);
  }
  expect(printed.length - before).toBeGreaterThan(10);
  expect(printed.length - before).toBeLessThan(25);
  stop.abort();
});

test('a screen is drawn anew now and then, so that what it says of time is true', async () => {
  const { clock, printed, stop } = cluster({ screen: true });
  await clock.advance(60_000);
  expect(printed.length).toBeGreaterThan(10);
  stop.abort();
});

test('a screen has no more lines and columns than the terminal', async () => {
  const objects = listed(...Array.from({ length: 30 }, (_, nth) => `n${nth}`));
  const { clock, printed, stop } = cluster({ screen: true, rows: 5, objects });
  await clock.advance(1_000);
  const lines = (printed.at(-1) ?? '').split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^NAME +STATE/);
  expect(lines.filter((line) => [...line].length > 60)).toEqual([]);
  stop.abort();
});
