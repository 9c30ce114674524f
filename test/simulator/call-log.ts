import type { Call, Match, WaitOptions } from './types.ts';

export interface CallLog {
  readonly entries: readonly Call[];
  add(call: Call): void;
  count(match?: Match): number;
  matching(match?: Match): Call[];
  wait(count: number, options?: WaitOptions): Promise<Call[]>;
  /** calls ever received, by key id; those without a credential are under '' */
  byKey(): Record<string, number>;
}

interface Waiter {
  readonly match: Match;
  missing: number;
  done(): void;
}

/** Whether every given field fits. */
export function fits(call: Call, match: Match): boolean {
  if (match.method !== undefined && match.method !== call.method) return false;
  if (match.keyId !== undefined && match.keyId !== call.keyId) return false;
  if (match.bodyIncludes !== undefined && !call.text.includes(match.bodyIncludes)) return false;
  return match.pathIncludes === undefined || call.path.includes(match.pathIncludes);
}

/**
 * Calls in order of arrival, at most `keep` of them; adding one costs the same however many there
 * are.
 */
export function createCallLog(keep: number): CallLog {
  const entries: Call[] = [];
  const counters = new Map<string, { keyId: string; method: string; count: number }>();
  const waiters = new Set<Waiter>();

  function add(call: Call): void {
    const keyId = call.keyId ?? '';
    const slot = `${call.method} ${keyId}`;
    const counter = counters.get(slot) ?? { keyId, method: call.method, count: 0 };
    counter.count += 1;
    counters.set(slot, counter);
    if (keep > 0) {
      if (entries.length >= keep) entries.splice(0, Math.max(1, keep >> 3));
      entries.push(call);
    }
    for (const waiter of waiters) {
      if (!fits(call, waiter.match)) continue;
      waiter.missing -= 1;
      if (waiter.missing <= 0) waiter.done();
    }
  }

  function count(match: Match = {}): number {
    if (match.pathIncludes !== undefined || match.bodyIncludes !== undefined)
      return matching(match).length;
    let sum = 0;
    for (const counter of counters.values()) {
      if (match.method !== undefined && match.method !== counter.method) continue;
      if (match.keyId !== undefined && match.keyId !== counter.keyId) continue;
      sum += counter.count;
    }
    return sum;
  }

  function matching(match: Match = {}): Call[] {
    return entries.filter((call) => fits(call, match));
  }

  function wait(wanted: number, options: WaitOptions = {}): Promise<Call[]> {
    const { match = {}, timeoutMs = 30_000 } = options;
    const missing = wanted - count(match);
    if (missing <= 0) return Promise.resolve(matching(match));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        const had = `${count(match)} of ${wanted} calls fitting ${JSON.stringify(match)}`;
        reject(
          new Error(
            `${had} arrived within ${timeoutMs} ms; the last calls of any kind:${lastOf(entries)}`,
          ),
        );
      }, timeoutMs);
      const waiter: Waiter = {
        match,
        missing,
        done() {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(matching(match));
        },
      };
      waiters.add(waiter);
    });
  }

  function byKey(): Record<string, number> {
    const sums = new Map<string, number>();
    for (const { keyId, count } of counters.values())
      sums.set(keyId, (sums.get(keyId) ?? 0) + count);
    return Object.fromEntries(sums);
  }

  return { entries, add, count, matching, wait, byKey };
}

function lastOf(entries: readonly Call[]): string {
  if (entries.length === 0) return ' none';
  return entries
    .slice(-5)
    .map((call) => `\n  ${call.method} ${call.path} ${call.status ?? call.fate ?? 'no answer yet'}`)
    .join('');
}
