import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isLife } from '../mutation/judge.ts';
import { MUTATIONS } from '../mutation/table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEAST = 80;

const textOf = (file: string): string =>
  existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8') : '';

describe('the table of rules and mutations', () => {
  test('has all its rules, each under a name and in a sentence of its own', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(LEAST);
    expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
    expect(new Set(MUTATIONS.map(({ rule }) => rule)).size).toBe(MUTATIONS.length);
  });

  test.each(MUTATIONS)('$name changes what stands once in $file', ({ file, from, to }) => {
    expect(textOf(`src/${file}`).split(from).length - 1, from).toBe(1);
    expect(to).not.toBe(from);
  });

  test('names tests that are there', () => {
    const missing = MUTATIONS.filter(
      ({ seenBy }) => !isLife(seenBy) && !textOf(seenBy.test).includes(seenBy.title),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});
