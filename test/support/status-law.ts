import { expect } from 'vitest';
import type { PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import { status as schema } from '../../src/kinds/pipe-settings/resource.ts';

/**
 * Fails where the API server would refuse or change a status, or where a message is not one that a
 * person can read.
 */
export function expectLawful(status: PipeSettingsStatus | undefined): void {
  const checked = schema.safeParse(status);
  expect(checked.error?.issues).toBeUndefined();
  expect(checked.data, 'something the schema does not have').toStrictEqual(status);
  expect(JSON.parse(JSON.stringify(status)), 'something JSON cannot hold').toStrictEqual(status);
  expectReadable(status?.conditions?.map(({ message }) => message) ?? []);
  expect(status?.conditions?.length).toBeLessThanOrEqual(2);
  for (const { reason, message, observedGeneration } of status?.conditions ?? []) {
    const [ready] = status?.conditions ?? [];
    expect({ reason, message, observedGeneration }).toEqual({
      reason: ready?.reason,
      message: ready?.message,
      observedGeneration: status?.observedGeneration,
    });
  }
}

/** One line, bounded, without a time and without a full stop at its end. */
export function expectReadable(messages: readonly string[]): void {
  for (const message of messages) {
    expect(message).toMatch(/^\S.*\S$/u);
    expect(message).not.toMatch(
      /\.$|\.\. [A-Z]|[\p{Cc}\u2028\u2029]|undefined|\[object|\d{4}-\d\d-\d\dT/u,
    );
    expect([...message].length).toBeLessThanOrEqual(1024);
  }
}
