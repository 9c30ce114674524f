import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importsOf, pathTo, readSources, type Sources } from '../support/imports.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEAVES = new Set(['src/clock.ts', 'src/backoff.ts', 'src/log.ts']);
/** What ties the parts together: may import everything, and only these may import one another. */
const COMPOSITION = new Set([
  'src/main.ts',
  'src/operator.ts',
  'src/process.ts',
  'src/leadership.ts',
  'src/observe.ts',
]);

/** Who may import whom inside src, the own folder aside. What is not named here may import only leaves and other files beside it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/api/': [],
  'src/kube/': [],
  'src/runtime/': ['src/kube/'],
  'src/kinds/': ['src/runtime/', 'src/kube/', 'src/api/'],
};
/** The flags know how a base address is spelled; nothing else at the top, but the composition, knows a folder. */
const SPELLING = 'src/api/base-url.ts';
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  undici: ['src/kube/', 'src/api/'],
  '@kubernetes/client-node': ['src/kube/'],
  zod: ['src/kinds/'],
  pino: ['src/logger.ts'],
};
const HARMLESS_BUILTINS = new Set(['node:crypto', 'node:util']);
const PURE = /^src\/kinds\/[^/]+\/(plan|report|resource)\.ts$/;
const BANNED_NAME = /^(utils?|helpers?|common|managers?)$/;
const MOST_LINES = 300;

const isIo = (to: string): boolean =>
  ['undici', '@kubernetes/client-node', 'pino'].includes(to) || (to.startsWith('node:') && !HARMLESS_BUILTINS.has(to));

function forbiddenImport(from: string, to: string): boolean {
  if (COMPOSITION.has(from) || LEAVES.has(to)) return false;
  if (COMPOSITION.has(to)) return true;
  if (!to.startsWith('src/')) {
    const places = ONLY_IN[to];
    return places !== undefined && !places.some((place) => from.startsWith(place));
  }
  const folder = Object.keys(MAY_IMPORT).find((name) => from.startsWith(name));
  if (folder === undefined) return to.split('/').length > 2 && to !== SPELLING;
  if (to.startsWith(folder)) return folder === 'src/kinds/' && reachesIntoKind(from, to);
  return !MAY_IMPORT[folder]?.some((allowed) => to.startsWith(allowed));
}

/** Of another kind only its resource may be known; what kinds share knows none, but for the lists of them. */
function reachesIntoKind(from: string, to: string): boolean {
  const [, , kind = '', file] = to.split('/');
  if (file === undefined || from.startsWith(`src/kinds/${kind}/`)) return false;
  const lists = from === 'src/kinds/index.ts' || from === 'src/kinds/definitions.ts';
  return file !== 'resource.ts' && !lists;
}

/** Every breach of the rules of `src`, as a sentence. */
function breaches(sources: Sources): string[] {
  const imports = importsOf(sources);
  const directions = imports
    .filter(({ from, to }) => forbiddenImport(from, to))
    .map(({ from, to }) => `${from} must not import ${to}`);
  const files = [...sources].flatMap(([path, text]) => [...fileBreaches(path, text), ...purityBreaches(path, text)]);
  const reach = [...sources.keys()]
    .filter((path) => PURE.test(path))
    .map((path) => pathTo(path, imports, isIo))
    .filter((chain) => chain !== undefined)
    .map((chain) => `${chain[0]} must do no I/O, but gets to it: ${chain.join(' → ')}`);
  return [...directions, ...files, ...reach];
}

function fileBreaches(path: string, text: string): string[] {
  const lines = text.trimEnd().split('\n').length;
  const names = [...path.split('/').slice(0, -1), basename(path, '.ts')];
  return [
    ...(lines > MOST_LINES ? [`${path} has ${lines} lines, more than ${MOST_LINES}`] : []),
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

describe('src', () => {
  test('keeps every rule', () => {
    const sources = readSources(ROOT, 'src');
    expect(sources.size).toBeGreaterThan(50);
    expect(importsOf(sources).length).toBeGreaterThan(100);
    expect(breaches(sources)).toEqual([]);
  });
});

describe('each rule is seen to be broken', () => {
  test.each([
    [
      'src/kube/watch.ts',
      `import { Queue } from '../runtime/queue.ts';`,
      'src/kube/watch.ts must not import src/runtime/queue.ts',
    ],
    [
      'src/kube/watch.ts',
      `import type { Reply } from '../api/reply.ts';`,
      'src/kube/watch.ts must not import src/api/reply.ts',
    ],
    [
      'src/api/client.ts',
      `import {\n  type KubeError,\n} from '../kube/errors.ts';`,
      'src/api/client.ts must not import src/kube/errors.ts',
    ],
    ['src/api/client.ts', `export { a } from '../config.ts';`, 'src/api/client.ts must not import src/config.ts'],
    [
      'src/runtime/queue.ts',
      `import { KubeConfig } from '@kubernetes/client-node/dist/config.js';`,
      'src/runtime/queue.ts must not import @kubernetes/client-node',
    ],
    [
      'src/runtime/queue.ts',
      `import type { Kind } from '../kinds/index.ts';`,
      'src/runtime/queue.ts must not import src/kinds/index.ts',
    ],
    [
      'src/runtime/queue.ts',
      `const a = await import('../api/client.ts');`,
      'src/runtime/queue.ts must not import src/api/client.ts',
    ],
    [
      'src/kinds/target.ts',
      `import { metrics } from '../metrics.ts';`,
      'src/kinds/target.ts must not import src/metrics.ts',
    ],
    [
      'src/kinds/target.ts',
      `import { plan } from './activity/plan.ts';`,
      'src/kinds/target.ts must not import src/kinds/activity/plan.ts',
    ],
    [
      'src/kinds/a/act.ts',
      `import { act } from '../b/act.ts';`,
      'src/kinds/a/act.ts must not import src/kinds/b/act.ts',
    ],
    ['src/kinds/a/act.ts', `import { request } from 'undici';`, 'src/kinds/a/act.ts must not import undici'],
    ['src/runtime/queue.ts', `import { pino } from 'pino';`, 'src/runtime/queue.ts must not import pino'],
    ['src/metrics.ts', `import { Store } from './kube/store.ts';`, 'src/metrics.ts must not import src/kube/store.ts'],
    ['src/clock.ts', `import './kube/store.ts';`, 'src/clock.ts must not import src/kube/store.ts'],
    ['src/kinds/a/plan.ts', `const now = new Date();`, 'src/kinds/a/plan.ts reads the time; take a Clock'],
    [
      'src/kinds/a/report.ts',
      `const jitter = Math.random();`,
      'src/kinds/a/report.ts must be pure, but says Math.random',
    ],
    [
      'src/kinds/a/report.ts',
      `export async function report() {}`,
      'src/kinds/a/report.ts must be pure, but says async',
    ],
    ['src/kube/utils.ts', '', 'src/kube/utils.ts: "utils" says nothing about what is in it'],
    ['src/helpers/http.ts', '', 'src/helpers/http.ts: "helpers" says nothing about what is in it'],
    ['src/kube/long.ts', 'x\n'.repeat(301), 'src/kube/long.ts has 301 lines, more than 300'],
    ['src/metrics.ts', `import { main } from './main.ts';`, 'src/metrics.ts must not import src/main.ts'],
  ])('in %s', (path, text, breach) => {
    expect(breaches(new Map([[path, text]]))).toContain(breach);
  });

  test('I/O that a plan gets to through other files is found, and one behind a type is none', () => {
    const sources = (statement: string): Sources =>
      new Map([
        ['src/kinds/a/plan.ts', `import { hash } from './remote.ts';`],
        ['src/kinds/a/remote.ts', statement],
        ['src/api/client.ts', `import { request } from 'undici';`],
      ]);
    expect(breaches(sources(`import { call } from '../../api/client.ts';`))).toEqual([
      'src/kinds/a/plan.ts must do no I/O, but gets to it: src/kinds/a/plan.ts → src/kinds/a/remote.ts → src/api/client.ts → undici',
    ]);
    expect(breaches(sources(`import type { Reply } from '../../api/client.ts';`))).toEqual([]);
  });

  test('what is allowed is allowed', () => {
    const allowed = new Map([
      ['src/main.ts', `import { Store } from './kube/store.ts';\nimport { kinds } from './kinds/index.ts';`],
      ['src/kinds/index.ts', `import { kind } from './a/index.ts';`],
      [
        'src/kinds/a/load.ts',
        `import { Store } from '../../kube/store.ts';\nimport type { B } from '../b/resource.ts';`,
      ],
      ['src/runtime/queue.ts', `import type { Clock } from '../clock.ts';\nimport type { Log } from '../log.ts';`],
    ]);
    expect(breaches(allowed)).toEqual([]);
  });
});
