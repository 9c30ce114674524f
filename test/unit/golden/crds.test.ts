import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/**
 * What is stored has the shape in `crds/`. Words that only people read are left out of it:
 * descriptions, the messages of rules and of the status that a new object has, columns and short
 * names. `npm test -- test/unit/golden/crds.test.ts -u` stores a change, and a new kind.
 */

const GOLDEN = fileURLToPath(new URL('crds', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../../crds', import.meta.url));
const WORDS: ReadonlySet<string> = new Set(['description', 'message']);
const FOR_PEOPLE: ReadonlySet<string> = new Set(['additionalPrinterColumns', 'shortNames']);
/** Lists in which the order says nothing. */
const SETS: ReadonlySet<string> = new Set(['required', 'enum']);

/** As kubectl reads it, by YAML 1.1. */
function contentOf(file: string): unknown {
  return parse(readFileSync(`${FOLDER}/${file}`, 'utf8'), { version: '1.1' });
}

/** Without the words, and with the members of each by name. A field may be called `message`. */
function shapeOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => shapeOf(item));
    return SETS.has(key) ? items.sort((a, b) => (String(a) < String(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => !FOR_PEOPLE.has(name) && !(WORDS.has(name) && typeof member === 'string'),
  );
  const members = kept.map(([name, member]) => [name, shapeOf(member, name)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One line for each node that has values of its own, or has nothing in it. */
function linesOf(shape: unknown, path = ''): string[] {
  if (typeof shape !== 'object' || shape === null) return [];
  const entries = Object.entries(shape);
  const inner = (member: unknown): boolean => typeof member === 'object' && member !== null;
  const own = entries.filter(([, member]) => !inner(member));
  const values = own.map(([name, member]) => `${name}=${JSON.stringify(member)}`).join(' ');
  const words = entries.length === 0 ? JSON.stringify(shape) : values;
  const place = path.replaceAll('.properties.', '/');
  return [
    ...(words === '' ? [] : [`${place}: ${words}`]),
    ...entries.flatMap(([name, member]) => linesOf(member, path === '' ? name : `${path}.${name}`)),
  ];
}

const plurals = namesIn(FOLDER, '.yaml');

test('no CRD that there was has gone', () => {
  expect(namesIn(GOLDEN, '.txt').filter((plural) => !plurals.includes(plural))).toEqual([]);
});

test.each(plurals)('%s have the shape that they had', async (plural) => {
  const lines = linesOf(shapeOf(contentOf(`${plural}.yaml`)));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`${GOLDEN}/${plural}.txt`);
});

/** The files with this ending, without it. */
function namesIn(folder: string, ending: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  return files.map((file) => file.slice(0, -ending.length));
}
