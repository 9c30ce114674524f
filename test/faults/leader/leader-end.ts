import { expect } from 'vitest';
import type { Pset } from '../../support/scene-objects.ts';

/**
 * The status of an object that was applied, whoever did it: nothing of what went wrong is left, and
 * no change stands twice in its history.
 */
export function expectClean({ metadata, status }: Pset): void {
  expect(status.conditions).toEqual([
    expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Applied' }),
  ]);
  expect([status.observedGeneration, status.applied?.generation]).toEqual([
    metadata.generation,
    metadata.generation,
  ]);
  expect([status.attempts, status.nextAttemptTime]).toEqual([undefined, undefined]);
  const generations = (status['history'] as { generation: number }[]).map(
    ({ generation }) => generation,
  );
  expect(new Set(generations).size).toBe(generations.length);
}
