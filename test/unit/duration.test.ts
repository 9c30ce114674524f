import { expect, test } from 'vitest';
import { parseDuration } from '../../src/duration.ts';

test.for([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['0.5h', 1_800_000],
  ['1.5s', 1500],
  ['30m1h', 5_400_000],
  ['8760h', 31_536_000_000],
  ['1500ms', 1500],
  ['1m1ms', 60_001],
] as const)('%s is %d ms', ([written, milliseconds]) => {
  expect(parseDuration(written)).toBe(milliseconds);
});

test.for(['', '10', 'm', '1d', 'P1D', '+1m', '-1m', '1 m', '1M', '.5h', '1.h', '10m ', '1h\n'])(
  '"%s" is no duration',
  (written) => {
    expect(parseDuration(written)).toBeUndefined();
  },
);
