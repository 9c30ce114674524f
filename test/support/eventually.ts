import { vi } from 'vitest';

/** Less where a test is run to see it fail. */
const PATIENCE_MS = Number(process.env.TEST_PATIENCE_MS ?? 30_000);

/**
 * Waits until nothing in `check` throws, however busy the machine is. For tests without a control
 * plane; the others have `waitFor`.
 */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 1 });
}
