import { vi } from 'vitest';

/**
 * Waits until nothing in `check` throws, however busy the machine is. For tests without a control
 * plane; the others have `waitFor`.
 */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 30_000, interval: 1 });
}
