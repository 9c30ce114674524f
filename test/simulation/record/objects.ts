import type { Thing } from '../kubernetes/objects.ts';
import type { EndpointView } from './facts.ts';

export const PLURALS = ['organizations', 'pipesettings', 'activities'] as const;
export type Plural = (typeof PLURALS)[number];

/** The annotation that asks for a try now. */
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';

/** The parts of the three kinds that the contract names: everything may be absent. */
export interface SpecView {
  readonly organizationId?: string;
  readonly serviceId?: string;
  readonly pipeId?: string;
  readonly activityId?: string;
  readonly credentialsSecretRef?: { readonly name?: string };
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

export interface InventoryView extends EndpointView {
  readonly origin?: string;
  readonly state?: string;
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
  readonly nextAttemptTime?: string;
  readonly lastHandledReconcileAt?: string;
  readonly activity?: object;
  readonly applied?: { readonly generation?: number };
  readonly unconfirmedWrite?: object;
  readonly privateEndpoints?: readonly InventoryView[];
  readonly pendingChange?: {
    readonly time?: string;
    readonly add?: readonly EndpointView[];
    readonly remove?: readonly EndpointView[];
  };
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

export function hasCondition(thing: Thing | undefined, name: string): boolean {
  return statusOf(thing).conditions?.some(({ type }) => type === name) ?? false;
}

/** `organizations/team-a/o1`: how an object is called in facts. */
export function keyOf(plural: string, { metadata }: Pick<Thing, 'metadata'>): string {
  return `${plural}/${metadata.namespace}/${metadata.name}`;
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

/** Endpoints are the same where they are equal but for letters and blanks around them. */
export function endpointKey({ id, cloudProvider, region }: EndpointView): string {
  return [id, cloudProvider, region].map((part) => part.trim().toLowerCase()).join(' ');
}
