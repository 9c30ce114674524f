import type { KindName } from './states.ts';

/** What those who read a state are to make of it. */
export interface Verdicts {
  /** The library that Flux and kpt go by. */
  readonly kstatus: 'Current' | 'InProgress' | 'Failed' | 'Terminating';
  /** Flux with deploy/flux/health-check-exprs.yaml, which knows no Terminating. */
  readonly expressions: 'Current' | 'InProgress' | 'Failed';
  readonly argocd: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  /** The one condition that `kubectl wait` finds met. */
  readonly wait: 'Ready' | 'Stalled' | 'neither';
}

export interface State extends Verdicts {
  readonly reason: string;
  /** Absent: all three. */
  readonly kinds?: readonly KindName[];
  /** What one kind calls it in place of `reason`. */
  readonly called?: Partial<Record<KindName, string>>;
}

const fine = {
  kstatus: 'Current',
  expressions: 'Current',
  argocd: 'Healthy',
  wait: 'Ready',
} as const;
const goesOn = {
  kstatus: 'InProgress',
  expressions: 'InProgress',
  argocd: 'Progressing',
  wait: 'neither',
} as const;
const needsTheUser = {
  kstatus: 'Failed',
  expressions: 'Failed',
  argocd: 'Degraded',
  wait: 'Stalled',
} as const;
/** Nothing is sent, on purpose. */
const rests = {
  kstatus: 'InProgress',
  expressions: 'Current',
  argocd: 'Suspended',
  wait: 'neither',
} as const;
/** The same, where nothing would have to be sent. */
const restsWhenDone = { ...rests, kstatus: 'Current', wait: 'Ready' } as const;
const leaves = { kstatus: 'Terminating', argocd: 'Progressing' } as const;

const WRITERS = ['PipeSettings', 'Organization'] as const;
const ORGANIZATION = ['Organization'] as const;
const ACTIVITY = ['Activity'] as const;

/** Every state an object can be in, by the name of its file. */
export const STATES: Readonly<Record<string, State>> = {
  pending: { reason: 'Pending', ...goesOn },
  applied: { reason: 'Applied', kinds: WRITERS, ...fine },
  fetched: { reason: 'Fetched', kinds: ACTIVITY, ...fine },
  planned: { reason: 'Planned', kinds: WRITERS, ...rests },
  'planned-when-done': { reason: 'Planned', kinds: WRITERS, ...restsWhenDone },
  'applied-but-for-a-description': { reason: 'Applied', kinds: ORGANIZATION, ...fine },
  edited: { reason: 'Applied', called: { Activity: 'Fetched' }, ...goesOn },
  'being-changed': { reason: 'Pending', kinds: ORGANIZATION, ...goesOn },
  suspended: { reason: 'Suspended', ...rests },
  'suspended-when-done': { reason: 'Suspended', ...restsWhenDone },
  // Deletion is a new generation, which nobody speaks of.
  deleted: {
    reason: 'Applied',
    called: { Activity: 'Fetched' },
    ...leaves,
    expressions: 'InProgress',
    wait: 'neither',
  },
  'deleted-with-cleanup': {
    reason: 'Forbidden',
    kinds: ORGANIZATION,
    ...leaves,
    expressions: 'Failed',
    wait: 'Stalled',
  },
  rejected: { reason: 'Rejected', ...needsTheUser },
  'endpoint-refused': { reason: 'Rejected', kinds: ORGANIZATION, ...needsTheUser },
  unauthorized: { reason: 'Unauthorized', ...needsTheUser },
  'unauthorized-by-another': { reason: 'Unauthorized', ...needsTheUser },
  forbidden: { reason: 'Forbidden', ...needsTheUser },
  'not-found': { reason: 'NotFound', ...needsTheUser },
  'not-found-yet': { reason: 'NotFound', kinds: ACTIVITY, ...goesOn },
  busy: { reason: 'Conflict', ...goesOn },
  'dependency-stopped': { reason: 'DependencyNotReady', ...goesOn },
  'rate-limited': { reason: 'RateLimited', ...goesOn },
  unavailable: { reason: 'Unavailable', ...goesOn },
  'outcome-unknown': { reason: 'OutcomeUnknown', kinds: WRITERS, ...goesOn },
  'unreadable-reply': { reason: 'UnexpectedResponse', ...goesOn },
  redirected: { reason: 'UnexpectedResponse', ...needsTheUser },
  'not-confirmed-at-first': { reason: 'NotConfirmed', kinds: WRITERS, ...goesOn },
  'not-confirmed': { reason: 'NotConfirmed', kinds: WRITERS, ...needsTheUser },
  'secret-not-found': { reason: 'SecretNotFound', ...goesOn },
  'secret-invalid': { reason: 'SecretInvalid', ...needsTheUser },
  'secret-forbidden': { reason: 'SecretForbidden', ...needsTheUser },
  'spec-invalid': { reason: 'SpecInvalid', ...needsTheUser },
  // Else a rename with PruneLast would never end; see health.lua.
  'target-conflict-at-first': {
    reason: 'TargetConflict',
    kinds: WRITERS,
    ...goesOn,
    argocd: 'Healthy',
  },
  'target-conflict': { reason: 'TargetConflict', kinds: WRITERS, ...needsTheUser },
  'endpoint-conflict': { reason: 'EndpointConflict', kinds: ORGANIZATION, ...needsTheUser },
  'removal-blocked': { reason: 'RemovalBlocked', kinds: ORGANIZATION, ...needsTheUser },
};
