import { refused, succeeded, type Work } from './replies.ts';
import type { Time } from './types.ts';

/** A stored record is answered 404 for so many reads, and for so long. */
export interface Lateness {
  lateCalls?: number;
  lateMs?: number;
}

/** What is only read: a result for each path. */
export function createRecords(time: Time) {
  const entries = new Map<string, { record: object; missing: number; from: number }>();
  return {
    has: (path: string): boolean => entries.has(path),
    get: (path: string): Work => {
      const entry = entries.get(path);
      const notFound = refused(404, path.split('/').at(-1));
      if (!entry || time.passed() < entry.from) return notFound;
      entry.missing -= 1;
      if (entry.missing >= 0) return notFound;
      return { reply: succeeded(entry.record), applied: false };
    },
    set: (path: string, record: object, { lateCalls = 0, lateMs = 0 }: Lateness = {}): void => {
      entries.set(path, { record, missing: lateCalls, from: time.passed() + lateMs });
    },
  };
}
