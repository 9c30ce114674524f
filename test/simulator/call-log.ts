import type { Call, Match, WaitOptions } from './types.ts';

/** Whether every given field fits. */
export function fits(call: Call, { method, keyId, bodyIncludes, pathIncludes }: Match): boolean {
  if (method !== undefined && method !== call.method) return false;
  if (keyId !== undefined && keyId !== call.keyId) return false;
  if (bodyIncludes !== undefined && !call.text.includes(bodyIncludes)) return false;
  return pathIncludes === undefined || call.path.includes(pathIncludes);
}

/** Calls in order of arrival. */
export function createCallLog() {
  const entries: Call[] = [];
  const waiters = new Set<(call: Call) => void>();
  const matching = (match: Match = {}): Call[] => entries.filter((call) => fits(call, match));

  function wait(wanted: number, { match = {}, timeoutMs = 30_000 }: WaitOptions = {}) {
    let missing = wanted - matching(match).length;
    if (missing <= 0) return Promise.resolve(matching(match));
    return new Promise<Call[]>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        waiters.delete(hear);
      };
      const hear = (call: Call): void => {
        if (!fits(call, match)) return;
        missing -= 1;
        if (missing > 0) return;
        end();
        resolve(matching(match));
      };
      const timer = setTimeout(() => {
        end();
        const had = `${wanted - missing} of ${wanted} calls fitting ${JSON.stringify(match)}`;
        reject(new Error(`${had} arrived within ${timeoutMs} ms; the last of any kind:${last()}`));
      }, timeoutMs);
      waiters.add(hear);
    });
  }

  function last(): string {
    const lines = entries
      .slice(-5)
      .map(({ method, path, status, fate }) => `\n  ${method} ${path} ${status ?? fate ?? ''}`);
    return lines.join('') || ' none';
  }

  return {
    entries,
    add: (call: Call): void => {
      entries.push(call);
      for (const hear of waiters) hear(call);
    },
    matching,
    wait,
  };
}
