import { expect } from 'vitest';
import { goOn } from '../../src/controller/outcome.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, PIPE } from './engine.ts';
import { type Fate, isStatusWrite, type SeenCall } from './fake-kube-server.ts';

export const KEY = 'ns/orders';

/** The next `times` status writes meet this fate. */
export function spoilWrites(engine: Engine, fate: Fate, times = 1): void {
  let left = times;
  engine.server.fate = (call) => (isStatusWrite(call) && left-- > 0 ? fate : undefined);
}

/** Runs once, right before the next status write is served. */
export function beforeWrite(engine: Engine, run: () => void): void {
  let ran = false;
  engine.server.fate = (call: SeenCall) => {
    if (ran || !isStatusWrite(call)) return undefined;
    ran = true;
    run();
    return undefined;
  };
}

export function stored(engine: Engine): KubeObject | undefined {
  return engine.server.get(PIPE, KEY);
}

export function requestId(engine: Engine): unknown {
  return (stored(engine)?.status as { lastRequest?: { requestId?: string } } | undefined)
    ?.lastRequest?.requestId;
}

/** What another process writes after an attempt of its own. */
export function anothersStatus(time: string): object {
  return { observedGeneration: 1, lastRequest: { time, requestId: 'by-another' } };
}

/**
 * Whether the last pass left a result behind that is not in the cluster, as its kind is told at the
 * end of every pass.
 */
export function expectKept(engine: Engine, isOpen: boolean): void {
  expect(engine.settled.at(-1)?.isOpen).toBe(isOpen);
}

/** A step that has an answer, which only the next one would write down. */
export const toldByTheNextStep: Engine['report'] = (object, now) => {
  const { status = {}, notices = [] } = anAttempt(object, now);
  return { outcome: goOn, did: 'send', lastWord: { status, notices } };
};

export async function expectRefusal(passing: Promise<unknown>, status: number): Promise<void> {
  await expect(passing).rejects.toSatisfy(
    (error) => error instanceof KubeError && error.status === status,
  );
}
