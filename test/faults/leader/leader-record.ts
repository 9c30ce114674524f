import type { Handlers, Passing } from '../proxy.ts';

/** The deadline of the contract: no call starts later than this after the last renewal. */
const RENEW_DEADLINE_MS = 10_000;
/**
 * Both ends are stamped by the tests' own process, which has other things to do; without the
 * deadline calls go on for longer by far.
 */
const LATE_STAMP_MS = 2_000;

/**
 * A write of the Lease whose answer, a good one, has gone back. All times are of
 * `performance.now()`.
 */
interface Claim {
  /** When it arrived: its sender counts from no later. */
  readonly at: number;
  readonly by: string;
  /** Empty: it was given back. */
  readonly holder: string;
}

/** A call of the management API that has arrived. */
export interface Arrival {
  readonly at: number;
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

type Take = NonNullable<Handlers['take']>;

/** What two or more replicas did, as it passed their proxies. */
export class LeaderRecord {
  readonly claims: Claim[] = [];
  readonly calls: Arrival[] = [];

  /** Keeps what passes of the Lease, and leaves the rest of it to `take`. */
  ofKube(by: string, take: Take): Take {
    return (passing) => {
      const isClaim = isLease(passing) && passing.method !== 'GET';
      return take(isClaim ? this.#noting(by, passing) : passing);
    };
  }

  ofApi(by: string, take: Take): Take {
    return (passing) => {
      const { method, path, body } = passing;
      this.calls.push({ at: performance.now(), by, method, path, body });
      return take(passing);
    };
  }

  /** The last good renewal of a replica; 0 before the first. */
  lastClaimOf(by: string): number {
    return Math.max(
      0,
      ...this.claims.filter((claim) => claim.by === by && claim.holder !== '').map(({ at }) => at),
    );
  }

  /** The first claim of a replica after a time. */
  takeoverBy(by: string, after = 0): number | undefined {
    return this.claims.find((claim) => claim.by === by && claim.at > after && claim.holder !== '')
      ?.at;
  }

  /** Every call that was not its sender's to make, as a sentence. */
  breaches(): string[] {
    const claims = this.claims.toSorted((a, b) => a.at - b.at);
    return this.calls.flatMap(({ at, by, path }) => {
      const claim = claims.findLast((one) => one.at <= at);
      if (!claim || claim.by !== by)
        return [`${by} called ${path} while ${claim?.by ?? 'nobody'} had the Lease`];
      if (claim.holder === '') return [`${by} called ${path} after it had given the Lease back`];
      const age = Math.round(at - claim.at);
      if (age <= RENEW_DEADLINE_MS + LATE_STAMP_MS) return [];
      return [`${by} called ${path} ${age} ms after its last renewal`];
    });
  }

  #noting(by: string, passing: Passing): Passing {
    const at = performance.now();
    const { holderIdentity } = (passing.body as { spec: { holderIdentity: string } }).spec;
    let isAccepted = false;
    return {
      ...passing,
      forward: async () => {
        const answer = await passing.forward();
        isAccepted = answer.status < 300;
        return answer;
      },
      reply: (instead) => {
        if (isAccepted && !instead) this.claims.push({ at, by, holder: holderIdentity });
        return passing.reply(instead);
      },
    };
  }
}

export function isLease({ path }: { readonly path: string }): boolean {
  return path.includes('/leases');
}
