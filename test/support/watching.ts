import { expect } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { Scene } from './scene.ts';
import type { Condition, Pset } from './scene-objects.ts';

/**
 * Resolves when the operator has dealt with everything that happened before this call, events
 * included: one more object goes all the way, is changed, and the event of that is there. The
 * operator sends events one after another.
 */
export async function settled(scene: Scene): Promise<void> {
  const name = `marker-${crypto.randomUUID().slice(0, 8)}`;
  await scene.psets.create(name);
  await scene.psets.until(name, 'Applied');
  await scene.psets.create(name, { settings: { engine_max_threads: 9 } });
  await waitFor(() => scene.events(name), {
    what: `an event about ${name}`,
    until: (events) => events.length > 0,
  });
}

export function ready({ status }: Pset): Condition {
  const condition = status.conditions.find(({ type }) => type === 'Ready');
  if (!condition) throw new Error('there is no Ready condition');
  return condition;
}

/** `Reconciling`, `Stalled` or undefined. */
export function side({ status }: Pset): string | undefined {
  return status.conditions.find(({ type }) => type !== 'Ready')?.type;
}

/** Every place that says which generation it speaks of says the present one. */
export function expectCurrent({ metadata, status }: Pset): void {
  expect(status.observedGeneration).toBe(metadata.generation);
  for (const condition of status.conditions)
    expect(condition.observedGeneration).toBe(metadata.generation);
}
