import { expect, test } from 'vitest';
import { createKindStore } from '../../src/kinds/kind-store.ts';
import { Unrecorded } from '../../src/kinds/unrecorded.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { anObject } from '../support/kube-server.ts';

test('who begins a visit with an untold write of its own wakes the others of its target, and not itself again', () => {
  let woken: string[] = [];
  const { store, wakeTarget } = createKindStore({
    kind: 'Thing',
    context: {
      enqueue: (id) => void woken.push(id),
      secrets: { refer: () => undefined, release: () => undefined, state: () => ({ state: 'unknown' }) },
      onSecretChange: () => undefined,
      clock: new FakeClock(),
      apiTimeoutMs: 30_000,
    },
    targetOf: () => 'pipe',
  });
  store.replace([anObject('failing', '1'), anObject('other', '2')], '3');
  const unrecorded = new Unrecorded(wakeTarget);
  const failing = { key: 'ns/failing', uid: 'uid-failing' };
  unrecorded.begins({ ...failing, target: 'pipe', isWrite: true });
  woken = [];
  expect(unrecorded.isOwed('pipe', { ...failing, goesOn: false })).toBe(true);
  expect(woken).toEqual(['Thing/ns/other']);
});
