import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_STATES, ORIGINS } from '../../src/kinds/organization/status.ts';

const page = readFileSync('deploy/guides/concepts.md', 'utf8');

describe.each([
  ['origin', ORIGINS],
  ['state', ENDPOINT_STATES],
] as const)('the %s of an endpoint', (_, words) => {
  test.each(Object.keys(words))('is explained in a table: %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|.{20,}\\|.{5,}\\|$`, 'm'));
  });
});
