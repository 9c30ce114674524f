import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import golden from './crds.json' with { type: 'json' };

/**
 * What is stored has this shape. Words that only people read are left out of it: descriptions,
 * the messages of rules and of the status that a new object has, columns and short names.
 */

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

/** One line for each node that has more than nodes in it: easier to read than a digest. */
function linesOf(shape: unknown, path = ''): string[] {
  if (typeof shape !== 'object' || shape === null) return [];
  const entries = Object.entries(shape);
  const inner = (member: unknown): boolean => typeof member === 'object' && member !== null;
  const own = entries.filter(([, member]) => !inner(member));
  const words = own.map(([name, member]) => `${name}=${JSON.stringify(member)}`).join(' ');
  const place = path.replaceAll('.properties.', '/');
  return [
    ...(words === '' ? [] : [`${place}: ${words}`]),
    ...entries.flatMap(([name, member]) => linesOf(member, path === '' ? name : `${path}.${name}`)),
  ];
}

test('there are as many CRDs as before', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  expect(files.sort()).toEqual(Object.keys(golden));
});

test.each(Object.entries(golden))('%s has the shape that it had', (file, { digest, lines }) => {
  const shape = shapeOf(contentOf(file));
  expect(linesOf(shape)).toEqual(lines);
  expect(createHash('sha256').update(JSON.stringify(shape)).digest('hex')).toBe(digest);
});
