import { type Clock, pause } from '../../clock.ts';
import { LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { objectPath } from '../../kube/resource.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Shell } from '../shell.ts';
import type { Deployment } from './deployment.ts';
import type { Operator } from './pairing.ts';
import { attempt, type Report } from './report.ts';
import { quoted } from './words.ts';

/** A leader renews every 2 s. */
const LOOK_MS = 500;
/** A Lease that nobody holds is taken by a standby within 2 s. */
const FREE_MS = 5_000;
const USUAL_LEASE_SECONDS = 15;
/** Of a Lease that is probably left over: two renewals, and half of one. */
const DOUBTFUL_MS = 5_000;

/** Whether an operator leads; `why` says what was seen. */
export type Leading =
  | { readonly leads: true; readonly lease: Lease }
  | { readonly leads: false; readonly why: string }
  | { readonly leads: 'unknown'; readonly why: string };

/**
 * Watches the Lease until it is renewed, for as long as a leader may be silent. The times in it are
 * the holder's, and the clock of this machine is another: only that it changes counts.
 */
export async function watchLeading(
  operator: Operator,
  options: {
    readonly kubectl: Kubectl;
    readonly clock: Clock;
    readonly stop: AbortSignal;
    /** There are others, so that a Lease without a Deployment is probably left over. */
    readonly isOneOfSeveral: boolean;
  },
): Promise<Leading> {
  const { kubectl, clock, stop } = options;
  const { deployment, lease, leaseAt } = operator;
  if (deployment && deployment.replicas === 0)
    return { leads: false, why: 'its Deployment is scaled to 0' };
  if (deployment?.flags && !deployment.flags.elects)
    return {
      leads: 'unknown',
      why: 'it runs with --leader-elect=false, so that it has no Lease: whether such an operator works cannot be seen from outside',
    };
  if (!leaseAt) return { leads: 'unknown', why: 'its Lease is not known' };
  const path = objectPath(LEASE, leaseAt.namespace, leaseAt.name);
  const first = signOf(lease);
  const isDoubtful = options.isOneOfSeveral && !deployment;
  const patience = isDoubtful ? DOUBTFUL_MS : patienceMs(lease);
  const until = clock.monotonic() + patience;
  let last = lease;
  do {
    await pause(clock, LOOK_MS, stop);
    const read = await attempt(() => kubectl.find<Lease>(path));
    if ('refusal' in read) return { leads: 'unknown', why: read.refusal.message };
    last = read.value;
    if (last?.spec?.holderIdentity && signOf(last) !== first) return { leads: true, lease: last };
  } while (clock.monotonic() < until && !stop.aborted);
  return { leads: false, why: `its Lease ${leaseAt.name} ${silence(last, patience)}` };
}

function signOf(lease: Lease | undefined): string {
  const { holderIdentity, renewTime } = lease?.spec ?? {};
  return JSON.stringify([holderIdentity, renewTime]);
}

function patienceMs(lease: Lease | undefined): number {
  if (!lease?.spec?.holderIdentity) return FREE_MS;
  return (lease.spec.leaseDurationSeconds ?? USUAL_LEASE_SECONDS) * 1_000;
}

function silence(lease: Lease | undefined, ms: number): string {
  if (!lease) return 'does not exist';
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === '') return 'is held by nobody';
  return `was not renewed within ${ms / 1_000} s by its holder ${quoted(holder)}`;
}

/** Puts down the operator that leads nothing. */
export function judgeLeading(
  operator: Operator,
  leading: Leading,
  { report, shell }: { readonly report: Report; readonly shell: Shell },
): void {
  const { deployment, namespace } = operator;
  const name = operatorName(operator);
  report.made('leader');
  if (leading.leads === true) return;
  if (leading.leads === 'unknown') {
    const log =
      deployment && shell.kubectl('-n', namespace, 'logs', `deployment/${deployment.name}`);
    report.cannot('leader', `${name}: ${leading.why}.${log ? ` Look at its log: ${log}` : ''}`);
    return;
  }
  const finding = {
    check: 'leader' as const,
    ...(deployment && { object: `deployment/${deployment.name} in namespace ${namespace}` }),
    says: `${name} does not work: ${leading.why}.${deployment && deployment.replicas > 0 ? ` If a restart changes nothing, its Pods and its log say why: ${shell.kubectl('-n', namespace, 'get', 'pods')}` : ''}`,
    ...(deployment && { command: startCommand(deployment, shell) }),
  };
  report.find(finding, operator);
}

function startCommand({ namespace, name, replicas }: Deployment, shell: Shell): string {
  return replicas === 0
    ? shell.kubectl('-n', namespace, 'scale', `deployment/${name}`, '--replicas=1')
    : shell.kubectl('-n', namespace, 'rollout', 'restart', `deployment/${name}`);
}

/** `The operator pipewright in namespace pipewright`. */
export function operatorName({ deployment, namespace, leaseAt }: Operator): string {
  return `The operator ${deployment?.name ?? `of Lease ${leaseAt?.name ?? '?'}`} in namespace ${namespace}`;
}
