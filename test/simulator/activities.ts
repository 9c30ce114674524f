import { refused, succeeded, type Work } from './replies.ts';
import type { Time } from './types.ts';

export type Activity = { id: string } & Record<string, unknown>;

/** A stored record is answered 404 for so many reads, and for so long. */
export interface Lateness {
  lateCalls?: number;
  lateMs?: number;
}

/** The audit records. */
export function createActivities(time: Time) {
  const entries = new Map<string, { activity: Activity; missing: number; from: number }>();
  return {
    get: (organizationId: string, id: string): Work => {
      const entry = entries.get(`${organizationId}/${id}`);
      if (!entry || time.passed() < entry.from) return refused(404, id);
      entry.missing -= 1;
      if (entry.missing >= 0) return refused(404, id);
      return { reply: succeeded(entry.activity), applied: false };
    },
    set: (
      organizationId: string,
      activity: Activity,
      { lateCalls = 0, lateMs = 0 }: Lateness = {},
    ) => {
      const from = time.passed() + lateMs;
      entries.set(`${organizationId}/${activity.id}`, { activity, missing: lateCalls, from });
    },
  };
}

/** A whole record, as of a real one. */
export function plausibleActivity(organizationId: string, id: string): Activity {
  return {
    id,
    createdAt: '2026-01-02T03:04:05.000Z',
    type: 'create_organization',
    actorType: 'user',
    actorId: 'user-1',
    actorDetails: 'someone@example.com',
    actorIpAddress: '192.0.2.1',
    organizationId,
    serviceId: 'service-1',
    userAgent: 'simulator',
  };
}
