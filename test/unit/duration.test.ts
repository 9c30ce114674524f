import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../src/kinds/schema/duration.ts';

test.for([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['0.5h', 1_800_000],
  ['1.5s', 1500],
  ['30m1h', 5_400_000],
  ['8760h', 31_536_000_000],
] as const)('%s is %d ms', ([written, milliseconds]) => {
  expect(parseDuration(written)).toBe(milliseconds);
});

test.for(['', '10', 'm', '1d', 'P1D', '+1m', '-1m', '1 m', '1M', '.5h', '1.h', '10m ', '1h\n'])(
  '"%s" is no duration',
  (written) => {
    expect(parseDuration(written)).toBeUndefined();
  },
);

test.for([
  [0, '0s'],
  [45_000, '45s'],
  [3_600_000, '1h'],
  [5_400_000, '1h30m'],
  [3_601_000, '1h1s'],
] as const)('%d ms is written %s', ([milliseconds, written]) => {
  expect(formatDuration(milliseconds)).toBe(written);
});

test('what is written is read back', () => {
  fc.assert(
    fc.property(fc.nat(31_536_000), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1000))).toBe(seconds * 1000);
    }),
  );
});
