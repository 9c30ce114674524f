import { expect, test } from 'vitest';
import { missingFrom } from '../support/shown-output.ts';

const TABLE = 'NAME     READY\norders   True\nsales    False\n';

test.each([
  ['the same', TABLE],
  ['other blanks', 'NAME READY\norders  True\nsales False'],
  ['the rest of a line left out', 'NAME …\norders   True\nsales …'],
  ['lines left out, and said so', '…\norders   True\n…'],
])('fits: %s', (_, shown) => {
  expect(missingFrom(TABLE, shown)).toBeUndefined();
});

test.each([
  ['another value', 'NAME READY\norders False\n…', 'orders False'],
  ['another order', 'NAME READY\nsales False\norders True', 'orders True (left out)'],
  ['a line before it', 'orders True\nsales False', 'NAME READY (left out)'],
  ['a line in it', 'NAME READY\nsales False', 'orders True (left out)'],
  ['a line behind it', 'NAME READY\norders True', 'sales False (left out)'],
])('does not fit: %s', (_, shown, why) => {
  expect(missingFrom(TABLE, shown)).toBe(why);
});

test('times, ages and the ids of requests are those of another run', () => {
  const output =
    'confirmed 2026-11-26T10:00:00Z (4s ago, request 3bdff0e9-0000-4000-8000-000000000001)';
  expect(missingFrom(output, 'confirmed 2026-11-20T09:14:03Z (6d ago, request 8c8ae7c0…)')).toBe(
    undefined,
  );
  expect(missingFrom(output, 'refused 2026-11-20T09:14:03Z (6d ago, request 8c8ae7c0…)')).not.toBe(
    undefined,
  );
});

test('an id in which something looks like an age is an id', () => {
  const shown = 'down (request 0e4a61d2-5c1f-4b7e-9a30-6d2b8f1c7e95). It is not known';
  for (const id of ['0e4a61d2-123d-4b7e-9a30-6d2b8f1c7e95', '1234567d-5c1f-4444-9a30-6d2b8f1c7e95'])
    expect(missingFrom(`down (request ${id}). It is not known`, shown)).toBeUndefined();
  expect(
    missingFrom('status (4s ago, request 1234567d…)', 'status (6d ago, request 8c8ae7c0…)'),
  ).toBe(undefined);
});
