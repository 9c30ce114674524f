import { refused, succeeded, type Work } from './replies.ts';
import { realTime, type Time } from './time.ts';

export type Activity = { id: string } & Record<string, unknown>;

export interface ActivityBehaviour {
  /** fields left out of every reply */
  omit: string[];
  /** fields put into every reply, over those stored */
  replace: Record<string, unknown>;
  /** a shorter id is 400 */
  minIdLength: number;
  /** the status of an id that nobody knows, or not yet */
  missingStatus: number;
  /** every activity id exists, with plausible fields */
  anyActivity: boolean;
}

export interface Activities {
  /** `once` is how it behaves for this call alone. */
  get(organizationId: string, id: string, once?: Partial<ActivityBehaviour>): Work;
  set(
    organizationId: string,
    activity: Activity,
    late?: { lateCalls?: number; lateMs?: number },
  ): void;
  play(change: Partial<ActivityBehaviour>): void;
  dump(): Record<string, Activity>;
}

interface Entry {
  readonly activity: Activity;
  missing: number;
  readonly from: number;
}

/**
 * The audit records. One stored as late is not found for some calls, or for some time, and there
 * afterwards.
 */
export function createActivities(time: Time = realTime): Activities {
  const entries = new Map<string, Entry>();
  let behaviour: ActivityBehaviour = {
    omit: [],
    replace: {},
    minIdLength: 0,
    missingStatus: 404,
    anyActivity: false,
  };

  function get(organizationId: string, id: string, once: Partial<ActivityBehaviour> = {}): Work {
    const now = { ...behaviour, ...once };
    if (id.length < now.minIdLength) {
      return refused(400, `length is too small: ${id.length} < ${now.minIdLength}`);
    }
    const entry = entries.get(`${organizationId}/${id}`);
    if (entry !== undefined && entry.missing > 0) {
      entry.missing -= 1;
      return refused(now.missingStatus, id);
    }
    if (entry !== undefined && time.passed() < entry.from) return refused(now.missingStatus, id);
    const activity =
      entry?.activity ?? (now.anyActivity ? plausibleActivity(organizationId, id) : undefined);
    if (activity === undefined) return refused(now.missingStatus, id);
    const shown = Object.entries({ ...activity, ...now.replace }).filter(
      ([field]) => !now.omit.includes(field),
    );
    return { reply: succeeded(JSON.stringify(Object.fromEntries(shown))), applied: false };
  }

  return {
    get,
    set: (organizationId, activity, { lateCalls = 0, lateMs = 0 } = {}) => {
      const from = time.passed() + lateMs;
      entries.set(`${organizationId}/${activity.id}`, {
        activity: { ...activity },
        missing: lateCalls,
        from,
      });
    },
    play: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    dump: () =>
      Object.fromEntries(
        [...entries].map(([key, entry]) => [key, structuredClone(entry.activity)]),
      ),
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
