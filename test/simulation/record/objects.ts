import type { Thing } from '../kubernetes/objects.ts';

export const PLURALS = ['organizations', 'pipesettings', 'activities'] as const;
export type Plural = (typeof PLURALS)[number];

export function isPlural(plural: string): plural is Plural {
  return (PLURALS as readonly string[]).includes(plural);
}

/** The annotation that asks for a try now. */
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';

/**
 * The parts of the three kinds that the contract names, as whoever reads the cluster sees them:
 * everything may be absent.
 */
export interface SpecView {
  readonly organizationId?: string;
  readonly serviceId?: string;
  readonly pipeId?: string;
  readonly activityId?: string;
  readonly credentialsSecretRef?: {
    readonly name?: string;
    readonly keyIdKey?: string;
    readonly keySecretKey?: string;
  };
  readonly suspend?: boolean;
  readonly mode?: string;
  readonly reassertInterval?: string;
  readonly settings?: Readonly<Record<string, number | boolean>>;
  readonly name?: string;
  readonly privateEndpoints?: readonly EndpointView[];
  readonly adoptPrivateEndpoints?: boolean;
  readonly maxPrivateEndpointRemovals?: number;
  readonly deletionPolicy?: string;
}

export interface EndpointView {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description?: string;
}

export interface LedgerView extends EndpointView {
  readonly origin?: string;
  readonly state?: string;
  readonly nextAttemptTime?: string;
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

export interface StatusView {
  readonly observedGeneration?: number;
  readonly conditions?: readonly ConditionView[];
  readonly lastRequest?: {
    readonly operation?: string;
    readonly requestId?: string;
    readonly httpStatus?: number;
    readonly outcome?: string;
    readonly time?: string;
    readonly message?: string;
  };
  readonly attempts?: number;
  readonly nextAttemptTime?: string;
  readonly lastHandledReconcileAt?: string;
  readonly proof?: { readonly time?: string };
  readonly applied?: {
    readonly time?: string;
    readonly generation?: number;
    readonly requestId?: string;
    readonly requestHash?: string;
    readonly keys?: readonly string[];
  };
  readonly privateEndpoints?: readonly LedgerView[];
  readonly pendingChange?: {
    readonly time?: string;
    readonly add?: readonly EndpointView[];
    readonly remove?: readonly EndpointView[];
  };
  readonly drift?: readonly DriftView[];
  readonly differences?: readonly { readonly field?: string }[];
  readonly plan?: {
    readonly time?: string;
    readonly hash?: string;
    readonly requests?: readonly { readonly body?: string }[];
    readonly basis?: string;
    readonly changes?: readonly unknown[];
  };
  readonly activity?: Readonly<Record<string, string>>;
}

export interface DriftView {
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly time?: string;
}

export function specOf(thing: Thing | undefined): SpecView {
  return thing?.spec ?? {};
}

export function statusOf(thing: Thing | undefined): StatusView {
  return thing?.status ?? {};
}

export function readyOf(thing: Thing | undefined): ConditionView | undefined {
  return statusOf(thing).conditions?.find(({ type }) => type === 'Ready');
}

export function isStalled(thing: Thing | undefined): boolean {
  return statusOf(thing).conditions?.some(({ type }) => type === 'Stalled') ?? false;
}

/** Nothing is sent for it on purpose. */
export function isIdle(thing: Thing): boolean {
  const { suspend, mode } = specOf(thing);
  return suspend === true || mode === 'Plan' || thing.metadata.deletionTimestamp !== undefined;
}

/** A user has asked for a try, and has not had it. */
export function isOwedATry(thing: Thing): boolean {
  const asked = thing.metadata.annotations?.[REQUESTED_AT];
  return asked !== undefined && asked !== statusOf(thing).lastHandledReconcileAt;
}

/** What an object stands for at the API, in the words in which calls are called. */
export function targetOfSpec(
  plural: string,
  { organizationId, serviceId, pipeId, activityId }: SpecView,
): string {
  if (plural === 'pipesettings') return `pipe ${organizationId}/${serviceId}/${pipeId}`;
  if (plural === 'activities') return `activity ${organizationId}/${activityId}`;
  return `organization ${organizationId}`;
}

/**
 * Two tuples stand for one endpoint where they are equal but for the case of letters and blanks
 * around them.
 */
export function sameEndpoint(a: EndpointView, b: EndpointView): boolean {
  return endpointKey(a) === endpointKey(b);
}

/** An id is the same in other letters and with blanks around it, as an endpoint is. */
export function sameId(a: EndpointView, b: EndpointView): boolean {
  return a.id.trim().toLowerCase() === b.id.trim().toLowerCase();
}

export function endpointKey({ id, cloudProvider, region }: EndpointView): string {
  return [id, cloudProvider, region].map((part) => part.trim().toLowerCase()).join(' ');
}
