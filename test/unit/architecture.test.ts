import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { circlesIn, importsOf, pathTo, readSources, type Sources } from '../support/imports.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Anybody may import these: each says one thing that rooms which know nothing of each other need.
 */
const LEAVES = new Set([
  'src/clock.ts',
  'src/backoff.ts',
  'src/duration.ts',
  'src/least-tls.ts',
  'src/telemetry/log.ts',
  'src/telemetry/mask.ts',
  'src/shown.ts',
  'src/waits.ts',
]);
/** What ties the parts together: may import everything, and only these may import one another. */
const COMPOSITION = new Set([
  'src/main.ts',
  'src/operator.ts',
  'src/process.ts',
  'src/telemetry/metrics.ts',
]);

/**
 * Each room, and what it may import beside leaves and itself: a room, or one file. No two rooms
 * import one another.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/config/': ['src/api/base-url.ts'],
  'src/telemetry/': [],
  'src/api/': [],
  'src/kube/': [],
  'src/controller/': ['src/kube/'],
  'src/kinds/schema/': ['src/controller/', 'src/kube/'],
  'src/kinds/shared/': ['src/kinds/schema/', 'src/controller/', 'src/kube/', 'src/api/'],
};
/** Each names every kind, for one who asks about all. */
const LISTS_OF_KINDS = new Set(['src/kinds/index.ts', 'src/kinds/definitions.ts']);
/** A kind, with all its rooms: what it may import of the others. */
const OF_A_KIND = [
  'src/kinds/schema/',
  'src/kinds/shared/',
  'src/controller/',
  'src/kube/',
  'src/api/',
];
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  undici: ['src/kube/', 'src/api/'],
  'p-queue': ['src/kube/', 'src/api/'],
  '@kubernetes/client-node': ['src/kube/cluster.ts', 'src/kube/follow.ts'],
  zod: ['src/kinds/', 'src/config/'],
  pino: ['src/telemetry/logger.ts'],
  'prom-client': ['src/telemetry/metrics.ts'],
  commander: ['src/cli/', 'src/config/'],
  yaml: ['src/cli/'],
};
/** The plugin stands beside the operator: it may use all of it that decides, and nothing uses it. */
const CLI = 'src/cli/';
const HARMLESS_BUILTINS = new Set(['node:crypto', 'node:util']);
/** Those that decide and tell: data in, data out. */
const PURE =
  /^src\/kinds\/[^/]+\/(decide|due|failure-report|preview|report|resource|settle|target)\.ts$/;
const BANNED_NAME = /^(utils?|helpers?|common|managers?)$/;
const MOST_LINES = 300;
/** Of the rooms that have been rebuilt. */
const MOST_LINES_REBUILT = 250;
const REBUILT = /^src\/(controller|kinds)\//;
/** A text that users are shown is not cut for it; a comment is. */
const MOST_COLUMNS = 100;
const isTooWide = (line: string): boolean =>
  line.length > MOST_COLUMNS && (/^\s*(\/\/|\/?\*)/.test(line) || !/['"`]/.test(line));

const isIo = (to: string): boolean =>
  ['undici', '@kubernetes/client-node', 'pino'].includes(to) ||
  (to.startsWith('node:') && !HARMLESS_BUILTINS.has(to));

const kindOf = (path: string): string | undefined => {
  const folder = /^src\/kinds\/[^/]+\//.exec(path)?.[0];
  return folder === undefined || folder in ROOMS ? undefined : folder;
};

/** The room that a file stands in: its folder, with the `/`. */
const roomOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

function forbiddenImport(from: string, to: string): boolean {
  if (COMPOSITION.has(from) || LEAVES.has(to)) return false;
  if (COMPOSITION.has(to)) return true;
  if (!to.startsWith('src/')) {
    const places = ONLY_IN[to];
    return places !== undefined && !places.some((place) => from.startsWith(place));
  }
  const room = roomOf(from);
  if (roomOf(to) === room) return false;
  if (to.startsWith(CLI)) return !isOfPlugin(from, to);
  if (from.startsWith(CLI)) return false;
  if (LISTS_OF_KINDS.has(from))
    return !['src/kinds/', 'src/controller/', 'src/kube/resource.ts'].some((place) =>
      to.startsWith(place),
    );
  const allowed = [...(ROOMS[room] ?? []), ...(kindOf(from) ? OF_A_KIND : [])];
  if (allowed.includes(roomOf(to)) || allowed.includes(to)) return false;
  // The files of a kind that stand in no room of it tie its rooms together.
  const kind = kindOf(from);
  if (kind !== undefined && room === kind) return !to.startsWith(kind) && !isResourceOfAKind(to);
  return true;
}

/** A command uses what all commands share; only what lists the commands knows each of them. */
function isOfPlugin(from: string, to: string): boolean {
  if (!from.startsWith(CLI)) return false;
  return roomOf(to) === CLI || from === 'src/cli/program.ts';
}

/** All that one kind may know of another. */
const isResourceOfAKind = (path: string): boolean => path === `${kindOf(path)}resource.ts`;

/** Every breach of the rules of `src`, as a sentence. */
function breaches(sources: Sources): string[] {
  const imports = importsOf(sources);
  const directions = imports
    .filter(({ from, to }) => forbiddenImport(from, to))
    .map(({ from, to }) => `${from} must not import ${to}`);
  const files = [...sources].flatMap(([path, text]) => [
    ...fileBreaches(path, text),
    ...purityBreaches(path, text),
  ]);
  const reach = [...sources.keys()]
    .filter((path) => PURE.test(path))
    .map((path) => pathTo(path, imports, isIo))
    .filter((chain) => chain !== undefined)
    .map((chain) => `${chain[0]} must do no I/O, but gets to it: ${chain.join(' → ')}`);
  return [...directions, ...files, ...reach];
}

function fileBreaches(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n').length;
  const most = REBUILT.test(path) ? MOST_LINES_REBUILT : MOST_LINES;
  const names = [...path.split('/').slice(0, -1), basename(path, '.ts')];
  return [
    ...(lines > most ? [`${path} has ${lines} lines, more than ${most}`] : []),
    ...(text.split('\n').some(isTooWide)
      ? [`${path} has a line of more than ${MOST_COLUMNS} columns that holds no text to show`]
      : []),
    ...names
      .filter((name) => BANNED_NAME.test(name))
      .map((name) => `${path}: "${name}" says nothing about what is in it`),
    ...(path !== 'src/clock.ts' && /\bDate\.now\(|\bnew Date\(\)/.test(text)
      ? [`${path} reads the time; take a Clock`]
      : []),
  ];
}

function purityBreaches(path: string, text: string): string[] {
  if (!PURE.test(path)) return [];
  const impure = /\bMath\.random\b|\bperformance\.|\bprocess\.|\bawait\b|\basync\b/.exec(text);
  return impure ? [`${path} must be pure, but says ${impure[0]}`] : [];
}

/** Files that import nothing. */
const NEEDED_AT_START = new Set(['package.json', 'src/api/text.ts', 'src/config/dns-names.ts']);

test('a circle is found, also one of types, of three files, and of a file with itself', () => {
  const sources = new Map([
    ['src/kinds/a.ts', "import type { B } from './b/b.ts';"],
    ['src/kinds/b/b.ts', "import { c } from '../../controller/c.ts';"],
    ['src/controller/c.ts', "export { a } from '../kinds/a.ts';"],
    ['src/kinds/d.ts', "import { a } from './a.ts';"],
    ['src/kinds/e.ts', "import { e } from './e.ts';"],
  ]);
  expect(circlesIn(importsOf(sources), REBUILT)).toEqual([
    'src/controller/c.ts → src/kinds/a.ts → src/kinds/b/b.ts → src/controller/c.ts',
    'src/kinds/e.ts → src/kinds/e.ts',
  ]);
});

describe('src', () => {
  test('keeps every rule', () => {
    const sources = readSources(ROOT, 'src');
    expect(sources.size).toBeGreaterThan(50);
    expect(importsOf(sources).length).toBeGreaterThan(100);
    expect(breaches(sources)).toEqual([]);
  });

  test('has no circle between the files of the engine and the kinds', () => {
    const imports = importsOf(readSources(ROOT, 'src'));
    expect(imports.filter(({ from }) => REBUILT.test(from)).length).toBeGreaterThan(50);
    expect(circlesIn(imports, REBUILT)).toEqual([]);
  });

  test('the plugin starts without what only a command needs: it shows its help as fast as kubectl', () => {
    const atStart = importsOf(readSources(ROOT, 'src')).filter(({ isLazy }) => !isLazy);
    const isNeeded = (to: string): boolean =>
      /^(src\/cli\/|node:|commander$)/.test(to) || LEAVES.has(to) || NEEDED_AT_START.has(to);
    expect(pathTo('src/cli/main.ts', atStart, (to) => !isNeeded(to))).toBeUndefined();
  });
});
