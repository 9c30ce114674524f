import { waitFor } from '../../controlplane/client.ts';
import { asAdmin, change, type Stored } from '../../support/cluster.ts';
import type { RunningOperator } from '../../support/operator.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import type { Handlers, Proxy } from '../proxy.ts';
import { openStage, type Stage, type StageOptions } from '../stage.ts';
import { type Arrival, LeaderRecord } from './leader-record.ts';

/** One of several operators that share a Lease, with its own way to either API. */
export interface Replica {
  readonly name: string;
  readonly operator: RunningOperator;
  readonly kube: Proxy;
  readonly api: Proxy;
  /** What happens from now on between it and Kubernetes; what passes is on record all the same. */
  onKube(handlers: Handlers): void;
  onApi(take: NonNullable<Handlers['take']>): void;
}

export interface LeaderStage extends Stage {
  readonly record: LeaderRecord;
  /** Starts a replica; resolves when it has said `until`. */
  replica(
    name: string,
    more: {
      readonly until: string;
      readonly flags?: readonly string[];
      readonly preload?: readonly string[];
      /** Absent: dist/pipewright.js. */
      readonly bundle?: string | undefined;
    },
  ): Promise<Replica>;
  /** The PUTs for a pipe that came through the proxies, of one replica or all. */
  puts(pipe: string, by?: string): Arrival[];
  /** Somebody else writes the Lease. */
  writeLease(holder: string): Promise<void>;
}

export const pass: NonNullable<Handlers['take']> = async (passing) => {
  await passing.forward();
  await passing.reply();
};

/** A stage for operators with the Lease; none runs yet. */
export async function openLeaderStage(options: StageOptions = {}): Promise<LeaderStage> {
  const stage = await openStage({ ...options, lease: true });
  const { namespace } = stage;
  const record = new LeaderRecord();
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const leasePath = async (): Promise<string> => {
    const { items } = await asAdmin<{ items: Stored[] }>('GET', leases);
    const [only, ...more] = items;
    if (!only || more.length > 0) throw new Error(`there is not one Lease, but ${items.length}`);
    return `${leases}/${only.metadata.name}`;
  };
  const lease = ['--leader-elect=true', '--leader-elect-namespace', namespace];
  return {
    ...stage,
    record,
    async replica(name, { until, flags = [], preload = [], bundle }) {
      const recorded = ({ take = pass, ...rest }: Handlers): Handlers => ({
        take: record.ofKube(name, take),
        ...rest,
      });
      const [kube, api] = await Promise.all([
        stage.wayToKube(recorded({})),
        stage.wayToApi({ take: record.ofApi(name, pass) }),
      ]);
      const operator = await stage.start({
        by: kube,
        to: api,
        until,
        flags: [...lease, ...flags],
        preload,
        bundle,
      });
      return {
        name,
        operator,
        kube,
        api,
        onKube: (handlers) => kube.handle(recorded(handlers)),
        onApi: (take) => api.handle({ take: record.ofApi(name, take) }),
      };
    },
    puts: (pipe, by) =>
      record.calls.filter(
        (call) => call.path.includes(pathOf(pipe)) && (by === undefined || call.by === by),
      ),
    async writeLease(holder) {
      await change(await leasePath(), (stored) => {
        const { spec } = stored as Stored & { readonly spec: object };
        return { ...stored, spec: { ...spec, holderIdentity: holder } };
      });
    },
  };
}

/** A leader that works and one that stands by; `a` is the leader. */
export async function openPair(
  stage: LeaderStage,
  more: { readonly flags?: readonly string[]; readonly preload?: readonly string[] } = {},
): Promise<{ readonly a: Replica; readonly b: Replica }> {
  const { preload = [] } = more;
  const a = await stage.replica('a', { until: 'working', ...more });
  const b = await stage.replica('b', { until: 'standing by', preload });
  return { a, b };
}

/** Resolves when the replica has said so, once more than `already` times. */
export async function untilSaid(
  { name, operator }: Replica,
  message: string,
  already = 0,
): Promise<void> {
  await waitFor(() => timesSaid({ operator }, message) > already, {
    what: `${name} to say "${message}"`,
    timeoutMs: 60_000,
  });
}

export function timesSaid({ operator }: Pick<Replica, 'operator'>, message: string): number {
  return operator.lines.filter(({ msg }) => msg === message).length;
}
