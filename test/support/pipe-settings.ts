import type { Call, Simulator } from '../simulator/types.ts';
import { ORGANIZATION, objectsOf, type Pset, type SceneObjects, SERVICE } from './scene-objects.ts';

/** What tests do with the PipeSettings of a scene. */
export interface Psets extends SceneObjects<Pset> {
  /** The PUTs of a pipe that has its object's name. */
  puts(name: string): Call[];
  /** Resolves when the pipe has had that many PUTs. */
  putsUntil(name: string, count: number): Promise<Call[]>;
}

/**
 * Part of the path of every call for a pipe; ends with a slash, so that `pipe-1` is not `pipe-10`.
 */
export function pathOf(pipe: string): string {
  return `/${pipe}/`;
}

/** Its pipe has its name, unless the spec says otherwise. */
export function psetsOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
}): Psets {
  const { simulator } = scene;
  const spec = (name: string) => ({
    organizationId: ORGANIZATION,
    serviceId: SERVICE,
    pipeId: name,
    settings: { engine_max_threads: 8 },
  });
  return {
    ...objectsOf<Pset>(scene, { kind: 'PipeSettings', plural: 'pipesettings', spec }),
    puts: (name) => simulator.calls({ method: 'PUT', pathIncludes: pathOf(name) }),
    putsUntil: (name, count) =>
      simulator.waitForCalls(count, {
        match: { method: 'PUT', pathIncludes: pathOf(name) },
        timeoutMs: 30_000,
      }),
  };
}
