import type { Draw } from '../engine/draw.ts';
import type { EndpointView } from '../record/facts.ts';

/** A spec as a user writes it. */
export type Spec = Readonly<Record<string, unknown>>;

const PLACE = { cloudProvider: 'gcp', region: 'ap-northeast-1' };

export function endpoint(id: string): EndpointView {
  return { id, ...PLACE };
}

/** The endpoints that everybody in a life takes from, so that they meet. */
export const POOL: readonly EndpointView[] = [1, 2, 3, 4, 5].map((n) => endpoint(`psc-${n}`));

/** Some of the pool; now and then one in another region, or in other letters. */
export function someEndpoints(draw: Draw): EndpointView[] {
  const count = draw.chance(0.1) ? 0 : draw.between(1, 4);
  return draw.some(POOL, count).map((one) => ({
    ...one,
    ...(draw.chance(0.05) && { region: 'eu-west-1' }),
    ...(draw.chance(0.04) && { id: one.id.toUpperCase() }),
    ...(draw.chance(0.15) && { description: `of ${one.id}` }),
  }));
}

const NUMBERS: Readonly<Record<string, readonly [number, number]>> = {
  engine_max_threads: [0, 64],
  object_storage_concurrency: [1, 35],
  streaming_max_insert_wait_ms: [500, 60_000],
  engine_max_insert_threads: [0, 16],
};

export function someSettings(draw: Draw): Record<string, number | boolean> {
  const all = [...Object.keys(NUMBERS), 'engine_parallel_view_processing'];
  return Object.fromEntries(
    draw.some(all, draw.between(1, 3)).map((name) => {
      const [least, most] = NUMBERS[name] ?? [0, 0];
      const number = draw.chance(0.2) ? least : draw.between(least, most);
      return [name, NUMBERS[name] ? number : draw.chance(0.5)];
    }),
  );
}

export function organizationSpec(organizationId: string, more: Spec): Spec {
  return { organizationId, credentialsSecretRef: { name: 'api' }, ...more };
}

export function pipeSpec(organizationId: string, pipeId: string, more: Spec): Spec {
  return organizationSpec(organizationId, { serviceId: 'service', pipeId, ...more });
}

export function drawOrganizationSpec(draw: Draw, organizationId: string, name: string): Spec {
  const manages = draw.weighted({ endpoints: 50, both: 40, name: 10 });
  return organizationSpec(organizationId, {
    ...(manages !== 'endpoints' && { name: `${name} 1` }),
    ...(manages !== 'name' && { privateEndpoints: someEndpoints(draw) }),
    ...(draw.chance(0.2) && { adoptPrivateEndpoints: true }),
    ...(draw.chance(0.2) && { maxPrivateEndpointRemovals: draw.between(0, 2) }),
    ...(draw.chance(0.5) && { deletionPolicy: 'RemovePrivateEndpoints' }),
    ...rare(draw),
  });
}

export function drawPipeSpec(draw: Draw, organizationId: string, pipeId: string): Spec {
  return pipeSpec(organizationId, pipeId, { settings: someSettings(draw), ...rare(draw) });
}

function rare(draw: Draw): Spec {
  return {
    ...(draw.chance(0.05) && { suspend: true }),
    ...(draw.chance(0.05) && { mode: 'Plan' }),
    ...(draw.chance(0.2) && { reassertInterval: '10m' }),
  };
}
