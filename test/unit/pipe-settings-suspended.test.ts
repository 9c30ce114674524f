import { expect, test } from 'vitest';
import {
  anAppliedPipeSettings,
  edited,
  MINUTE,
  readyIn,
  standingAmong,
  T0,
  visit,
} from '../support/objects.ts';

const other = {
  name: 'holder',
  uid: 'uid-0',
  created: '2026-03-01T10:00:00Z',
  spec: { settings: { engine_max_threads: 2 } },
};

/**
 * Applied at T0 and suspended, beside one that holds the pipe and was applied so many minutes
 * later.
 */
function suspendedBeside(minutes: number) {
  const object = edited(anAppliedPipeSettings(), { suspend: true });
  const standing = standingAmong(object, [anAppliedPipeSettings(other, T0 + minutes * MINUTE)]);
  return visit(object, { now: T0 + 10 * MINUTE, facts: { standing } }).status;
}

test('what is suspended is Ready while what it declares is what the API was last sent', () => {
  expect(readyIn(suspendedBeside(-5))).toMatchObject({ reason: 'Suspended', status: 'True' });
});

test('what is suspended is not Ready where the holder of the pipe has been applied since', () => {
  expect(readyIn(suspendedBeside(5))).toMatchObject({ reason: 'Suspended', status: 'False' });
});
