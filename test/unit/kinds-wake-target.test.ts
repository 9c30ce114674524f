import { expect, test } from 'vitest';
import { createKindStore } from '../../src/kinds/engine/kind-store.ts';
import { status } from '../../src/kinds/pipe-settings/definition.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { anObject } from '../support/kube-server.ts';

function aStore() {
  const woken: string[] = [];
  const seen: string[] = [];
  const { store, unrecorded } = createKindStore({
    kind: 'Thing',
    context: {
      enqueue: (id) => void woken.push(id),
      secrets: {
        refer: () => undefined,
        release: () => undefined,
        state: () => ({ state: 'unknown' }),
      },
      onSecretChange: () => undefined,
      clock: new FakeClock(),
      apiTimeoutMs: 30_000,
    },
    status,
    targetOf: () => 'pipe',
    onStatus: ({ metadata }) => void seen.push(`${metadata.name} @${metadata.resourceVersion}`),
  });
  return { store, unrecorded, woken, seen };
}

test('who begins a visit with an untold write of its own wakes the others of its target, and not itself again', () => {
  const { store, unrecorded, woken } = aStore();
  store.sink().replace([anObject('failing', '1'), anObject('other', '2')], '3', false);
  const failing = { key: 'ns/failing', uid: 'uid-failing' };
  unrecorded.begins({ ...failing, target: 'pipe', isWrite: true });
  woken.length = 0;
  unrecorded.reconciles({ ...failing, target: 'pipe', goesOn: false });
  expect(unrecorded.has('pipe', failing.uid)).toBe(true);
  expect(woken).toEqual(['Thing/ns/other']);
});

test('another spec wakes the rivals also where a restored cluster gives its generation once more', () => {
  const { store, woken } = aStore();
  const [first, second] = [anObject('first', '1'), anObject('second', '2')];
  store.sink().replace([first, second], '3', false);
  woken.length = 0;
  store.sink().replace([{ ...first, spec: { suspend: true } }, second], '3', false);
  expect(woken).toContain('Thing/ns/second');
});

test('a call that comes on record wakes the rivals also where it came to the same as the one before; a mere message does not', () => {
  const { store, woken } = aStore();
  const refused = (version: string, time: string, message = '') => ({
    ...anObject('first', version),
    status: {
      lastRequest: { operation: 'update', outcome: 'Rejected', time },
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Rejected',
          message,
          observedGeneration: 1,
          lastTransitionTime: time,
        },
      ],
    },
  });
  store.sink().replace([refused('1', '2026-03-01T12:00:00Z'), anObject('second', '2')], '3', false);
  woken.length = 0;
  store.sink().apply('MODIFIED', refused('4', '2026-03-01T12:00:00Z', 'said otherwise'));
  expect(woken).toEqual(['Thing/ns/first']);
  store.sink().apply('MODIFIED', refused('5', '2026-03-01T12:00:07Z'));
  expect(woken).toContain('Thing/ns/second');
});

test('every other status is told of when it comes, be it by list, by watch or by the reply to a write', () => {
  const { store, seen } = aStore();
  const of = (version: string, status: object, spec = {}) => ({
    ...anObject('a', version),
    spec,
    status,
  });
  store.sink().replace([of('1', {})], '3', false);
  store.sink().apply('MODIFIED', of('4', { observedGeneration: 1 }));
  store.sink().apply('MODIFIED', of('5', { observedGeneration: 1 }, { edited: true }));
  store.put(of('6', { observedGeneration: 2 }));
  store.sink().apply('DELETED', of('7', { observedGeneration: 3 }));
  expect(seen).toEqual(['a @1', 'a @4', 'a @6']);
});
