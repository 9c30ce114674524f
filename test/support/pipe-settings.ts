import type { Call, Simulator } from '../simulator/types.ts';
import { ORGANIZATION, objectsOf, type Pset, SERVICE } from './scene-objects.ts';

/**
 * Part of the path of every call for a pipe; ends with a slash, so that `pipe-1` is not `pipe-10`.
 */
export function pathOf(pipe: string): string {
  return `/${pipe}/`;
}

/** What tests do with the PipeSettings of a scene. */
export type Psets = ReturnType<typeof psetsOf>;

/** Its pipe has its name, unless the spec says otherwise. */
export function psetsOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
}) {
  const { simulator } = scene;
  const putsOf = (name: string) => ({ method: 'PUT', pathIncludes: pathOf(name) });
  const spec = (name: string) => ({
    organizationId: ORGANIZATION,
    serviceId: SERVICE,
    pipeId: name,
    settings: { engine_max_threads: 8 },
  });
  return {
    ...objectsOf<Pset>(scene, 'pset', spec),
    /** The PUTs of a pipe that has its object's name. */
    puts: (name: string): Call[] => simulator.calls(putsOf(name)),
    /** Resolves when the pipe has had that many PUTs. */
    putsUntil: (name: string, count: number): Promise<Call[]> =>
      simulator.waitForCalls(count, { match: putsOf(name) }),
  };
}
