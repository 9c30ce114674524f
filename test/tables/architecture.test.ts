import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** What ties the parts together: may import everything, and only these may import one another. */
const COMPOSITION = /^src\/(main|operator|process|telemetry\/metrics)\.ts$/;
/** Anybody may import these: each says one thing that rooms need which know nothing of each other. */
const LEAVES =
  /^src\/((clock|backoff|duration|least-tls|shown|text|waits)|telemetry\/(log|mask))\.ts$|^package\.json$/;
/** What the files of a room may import beside leaves and their own folder; the first that fits. */
const ROOMS: readonly (readonly [room: RegExp, others: RegExp])[] = [
  [/^src\/config\//, /^src\/api\/base-url\.ts$/],
  [/^src\/(telemetry|api|kube)\//, /^$/],
  [/^src\/controller\//, /^src\/kube\//],
  [/^src\/kinds\/schema\//, /^src\/(controller|kube)\//],
  [/^src\/kinds\/shared\//, /^src\/(kinds\/schema|controller|kube|api)\//],
  [/^src\/kinds\/\w+\.ts$/, /^src\/(kinds\/|controller\/|kube\/resource\.ts)/],
  [/^src\/kinds\//, /^src\/(kinds\/(schema|shared)|controller|kube|api)\/|\/resource\.ts$/],
  [/^src\/cli\/program\.ts$/, /^src\//],
  [/^src\/cli\//, /^src\/(?!cli\/\w+\/)/],
];
/** Packages that only these may import. */
const ONLY_IN: Readonly<Record<string, RegExp>> = {
  undici: /^src\/(kube|api)\//,
  'p-queue': /^src\/(kube|api)\//,
  '@kubernetes/client-node': /^src\/kube\/(cluster|follow)\.ts$/,
  'zod/mini': /^src\/(kinds|config)\//,
  pino: /^src\/telemetry\/logger\.ts$/,
  'prom-client': COMPOSITION,
  commander: /^src\/(cli|config)\//,
  yaml: /^src\/cli\//,
};
/** Those that decide and report: data in, data out. */
const PURE =
  /^src\/kinds\/[^/]+\/(decide|due|failure-report|preview|report|resource|settle|target)\.ts$/;
const IS_IO = /^(undici|@kubernetes\/client-node|pino|node:(?!crypto$|util$).*)$/;

interface Import {
  readonly from: string;
  readonly to: string;
}

const STATEMENT = /^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;
const textOf = (path: string): string => readFileSync(path, 'utf8');

function importsOf(from: string): Import[] {
  return [...textOf(from).matchAll(STATEMENT)].map(([, fixed, lazy]) => {
    const written = fixed ?? lazy ?? '';
    const to = written.startsWith('.') ? join(dirname(from), written) : written;
    return { from, to };
  });
}

const FILES = globSync('src/**/*.ts');
const IMPORTS = FILES.flatMap(importsOf);

function isForbidden({ from, to }: Import): boolean {
  if (COMPOSITION.test(from)) return false;
  if (!to.startsWith('src/')) return ONLY_IN[to]?.test(from) === false;
  if (LEAVES.test(to) || dirname(from) === dirname(to)) return false;
  return COMPOSITION.test(to) || !ROOMS.find(([room]) => room.test(from))?.[1].test(to);
}

test('a room imports only those that it may', () => {
  expect(IMPORTS.length).toBeGreaterThan(400);
  expect(IMPORTS.filter(isForbidden).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

test('what decides and reports does no I/O, and takes the time from its caller', () => {
  const pure = FILES.filter((path) => PURE.test(path));
  expect(pure.length).toBeGreaterThan(10);
  expect(IMPORTS.filter(({ from, to }) => PURE.test(from) && IS_IO.test(to))).toEqual([]);
  const impure = /\bMath\.random\b|\bperformance\.|\bprocess\.|\bawait\b|\basync\b/;
  expect(pure.filter((path) => impure.test(textOf(path)))).toEqual([]);
  const timed = FILES.filter((path) => /\bDate\.now\(|\bnew Date\(\)/.test(textOf(path)));
  expect(timed).toEqual(['src/clock.ts']);
});

test('a file is no longer than 250 lines, no wider than 100 columns, and has a name that says something', () => {
  const isVague = /\/(utils?|helpers?|common|managers?)[./]/;
  // A text that users are shown is not cut for it; a comment is.
  const isTooWide = (line: string): boolean =>
    line.length > 100 && (/^\s*(\/\/|\/?\*)/.test(line) || !/['"`]/.test(line));
  const wrong = FILES.filter((path) => {
    const lines = textOf(path).trimEnd().split('\n');
    return lines.length > 250 || lines.some(isTooWide) || isVague.test(path);
  });
  expect(wrong).toEqual([]);
});

test('the tables import at most 20 modules of src themselves, so that a redesign of the others leaves them alone', () => {
  const imports = globSync('test/tables/**/*.ts').flatMap(importsOf);
  const known = new Set(imports.map(({ to }) => to).filter((to) => to.startsWith('src/')));
  expect(known.size, [...known].toSorted().join('\n')).toBeLessThanOrEqual(20);
});
