import { expect, test } from 'vitest';
import { status } from '../../src/kinds/organization/status.ts';
import { soundStatus } from '../../src/kinds/schema/parser.ts';

const AT = '2026-03-01T12:00:00Z';
const entry = { id: 'psc-1', cloudProvider: 'gcp', region: 'r', state: 'Present', origin: 'Added' };
const pendingChange = { time: AT, add: [], remove: [] };
const sound = soundStatus(status);

test.for<[string, unknown, object | undefined]>([
  [
    'one that fits',
    { observedGeneration: 3, pendingChange },
    { observedGeneration: 3, pendingChange },
  ],
  ['none', undefined, undefined],
  ['text', 'Ready', undefined],
  ['a list', [1], {}],
  [
    'with a field of another version',
    { observedGeneration: 3, proof: {} },
    { observedGeneration: 3 },
  ],
  ['with a field of another type', { observedGeneration: 'x', pendingChange }, { pendingChange }],
  [
    'with one entry that is broken, without the whole list',
    { observedGeneration: 3, privateEndpoints: [entry, { ...entry, state: 'Lost' }] },
    { observedGeneration: 3 },
  ],
  [
    'with unknown fields inside, without them',
    { pendingChange: { ...pendingChange, refused: {} } },
    { pendingChange },
  ],
  ['with nothing that fits', { attempts: -1, nextAttemptTime: 'soon', plan: 5 }, {}],
])('a stored status is read as far as it fits: %s', ([, stored, read]) => {
  expect(sound(stored)).toEqual(read);
});
