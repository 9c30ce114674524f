import type { Tuple } from '../../kinds/organization/endpoints/endpoints.ts';

/**
 * What a stored spec declares, as far as it can be read: a schema of before may have let anything
 * in.
 */
export interface Declared {
  readonly organizationId?: unknown;
  readonly serviceId?: unknown;
  readonly pipeId?: unknown;
  readonly activityId?: unknown;
  /** Name of the Secret with the key. */
  readonly secret?: unknown;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly name?: unknown;
  readonly privateEndpoints?: readonly DeclaredTuple[];
  readonly adoptPrivateEndpoints?: unknown;
  readonly maxPrivateEndpointRemovals?: unknown;
  readonly deletionPolicy?: unknown;
  readonly mode?: unknown;
  readonly suspend?: unknown;
  readonly reassertInterval?: unknown;
}

type DeclaredTuple = Tuple & { readonly description?: string };

const PLAIN = [
  'organizationId',
  'serviceId',
  'pipeId',
  'activityId',
  'name',
  'adoptPrivateEndpoints',
  'maxPrivateEndpointRemovals',
  'deletionPolicy',
  'mode',
  'suspend',
  'reassertInterval',
] as const;

export function declaredIn(spec: unknown): Declared {
  const stored = fieldsOf(spec);
  const { settings, privateEndpoints, credentialsSecretRef } = stored;
  return {
    ...Object.fromEntries(
      PLAIN.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]),
    ),
    secret: fieldsOf(credentialsSecretRef).name,
    ...(settings !== undefined && { settings: fieldsOf(settings) }),
    ...(Array.isArray(privateEndpoints) && {
      privateEndpoints: privateEndpoints.map(tupleIn),
    }),
  };
}

function tupleIn(entry: unknown): DeclaredTuple {
  const { id, cloudProvider, region, description } = fieldsOf(entry);
  return {
    id: valueText(id),
    cloudProvider: valueText(cloudProvider),
    region: valueText(region),
    ...(description !== undefined && { description: valueText(description) }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A value in a line of text. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
