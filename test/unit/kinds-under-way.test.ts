import { expect, test } from 'vitest';
import { attempt } from '../../src/kinds/engine/api-call.ts';
import { openKind } from '../../src/kinds/engine/open-kind.ts';
import { status } from '../../src/kinds/pipe-settings/definition.ts';
import { type PipeSettings, pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { keyOf } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { anAnswer, aPipeSettings } from '../support/objects.ts';

const TARGET = 'a target';
const AT_WORK_MS = 95_000;

function aProcess() {
  const clock = new FakeClock();
  const object = aPipeSettings();
  const context = aKindContext(clock, { answer: async () => anAnswer(200, { result: {} }) });
  const { basics, calls } = openKind<PipeSettings>(pipeSettingsType, context, status);
  basics.store.sink().replace([object], '1', false);
  return {
    clock,
    /** Makes a call that was answered with 200. */
    call: async (isShown: boolean) => {
      await attempt(
        {
          object,
          ref: { name: 'api' },
          target: TARGET,
          lane: 'user',
          write: true,
          of: 'pipe',
          isShown: () => isShown,
          request: { operation: 'Try', method: 'PUT', path: ['a'] },
        },
        calls,
      );
      basics.release(keyOf(object), true);
    },
    told: () => basics.recorded(keyOf(object), 'written'),
    /** For how long another object of this target has to wait. */
    left: () => calls.locks.remainingMs(TARGET, 'another'),
  };
}

test.each([
  { shown: [false], wait: AT_WORK_MS - 10_000 },
  { shown: [true], wait: undefined },
  { shown: [true, true], wait: undefined },
  { shown: [true, false], wait: AT_WORK_MS },
  { shown: [false, true], wait: AT_WORK_MS - 10_000 },
])(
  'another object of the target waits for each call whose effect was not shown: $shown',
  async ({ shown, wait }) => {
    const { clock, call, told, left } = aProcess();
    const [first = true, second] = shown;
    await call(first);
    await clock.advance(10_000);
    if (second !== undefined) await call(second);
    expect(left(), 'no status tells of the last one yet').toBe(
      second === undefined ? AT_WORK_MS - 10_000 : AT_WORK_MS,
    );
    told();
    expect(left()).toBe(wait);
  },
);
