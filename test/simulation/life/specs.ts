import type { Draw } from '../engine/draw.ts';

/** A spec as a user writes it. */
export type Spec = Readonly<Record<string, unknown>>;

export interface Endpoint {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description?: string;
}

const REGIONS = ['ap-northeast-1', 'eu-west-1'];

/** The endpoints that everybody in a life takes from, so that they meet. */
export function endpointPool(many: boolean): readonly Endpoint[] {
  const count = many ? 20 : 5;
  return Array.from({ length: count }, (_, index) => ({
    id: `psc-${index + 1}`,
    cloudProvider: 'gcp',
    region: 'ap-northeast-1',
  }));
}

/** Some of the pool; now and then one in another region, or in other letters. */
export function someEndpoints(draw: Draw, pool: readonly Endpoint[]): Endpoint[] {
  const count = draw.chance(0.1)
    ? 0
    : draw.between(1, Math.min(pool.length, pool.length > 5 ? 20 : 4));
  return draw.some(pool, count).map((endpoint) => ({
    ...endpoint,
    ...(draw.chance(0.05) && { region: draw.pick(REGIONS) }),
    ...(draw.chance(0.04) && { id: endpoint.id.toUpperCase() }),
    ...(draw.chance(0.15) && { description: `of ${endpoint.id}` }),
  }));
}

const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  engine_max_threads: [0, 64],
  object_storage_concurrency: [1, 35],
  streaming_max_insert_wait_ms: [500, 60_000],
  engine_max_insert_threads: [0, 16],
};

export function someSettings(draw: Draw): Record<string, number | boolean> {
  const names = draw.some(
    [...Object.keys(NUMBERS), 'engine_parallel_view_processing'],
    draw.between(1, 3),
  );
  return Object.fromEntries(
    names.map((name) => {
      const [least, most] = NUMBERS[name] ?? [0, 0];
      return [name, NUMBERS[name] ? draw.between(least, most) : draw.chance(0.5)];
    }),
  );
}

const INTERVALS = ['10m', '15m', '30m'];

export function organizationSpec(
  draw: Draw,
  about: {
    readonly organizationId: string;
    readonly secret: string;
    readonly pool: readonly Endpoint[];
    readonly name: string;
  },
): Spec {
  const manages = draw.weighted({ endpoints: 50, both: 40, name: 10 });
  return {
    organizationId: about.organizationId,
    credentialsSecretRef: { name: about.secret },
    ...(manages !== 'endpoints' && { name: `${about.name} 1` }),
    ...(manages !== 'name' && { privateEndpoints: someEndpoints(draw, about.pool) }),
    ...(draw.chance(0.2) && { adoptPrivateEndpoints: true }),
    ...(draw.chance(0.3) && { maxPrivateEndpointRemovals: draw.between(0, 2) }),
    ...(draw.chance(0.5) && { deletionPolicy: 'RemovePrivateEndpoints' }),
    ...(draw.chance(0.3) && { reassertInterval: draw.pick(INTERVALS) }),
    ...rare(draw),
  };
}

export function pipeSpec(
  draw: Draw,
  about: { readonly organizationId: string; readonly pipeId: string; readonly secret: string },
): Spec {
  return {
    organizationId: about.organizationId,
    serviceId: 'service',
    pipeId: about.pipeId,
    credentialsSecretRef: { name: about.secret },
    settings: someSettings(draw),
    ...(draw.chance(0.25) && { reassertInterval: draw.pick(INTERVALS) }),
    ...rare(draw),
  };
}

export function activitySpec(about: {
  readonly organizationId: string;
  readonly activityId: string;
  readonly secret: string;
}): Spec {
  const { organizationId, activityId, secret } = about;
  return { organizationId, activityId, credentialsSecretRef: { name: secret } };
}

function rare(draw: Draw): Spec {
  return {
    ...(draw.chance(0.05) && { suspend: true }),
    ...(draw.chance(0.05) && { mode: 'Plan' }),
  };
}
