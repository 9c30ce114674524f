import type { Draw } from '../engine/draw.ts';
import { keyIdText, secretText } from '../life/canaries.ts';
import { drawOrganizationManners, drawSettingsManners } from '../life/manners.ts';
import { drawOrganizationSpec, drawPipeSpec, endpoint, POOL } from '../life/specs.ts';
import type { ActivityDraft, ObjectDraft, World } from '../life/world.ts';

const MINUTE = 60_000;

type Targets = Pick<World, 'organizations' | 'pipes' | 'activities' | 'namespaces'>;

/** What a seed stands for, without what happens in it. */
export function drawWorld(draw: Draw): World {
  const namespaces = draw.chance(0.3) ? ['team-a', 'team-b'] : ['team-a'];
  const organizations = [1, 2].slice(0, draw.chance(0.3) ? 2 : 1).map((number) => {
    const mine = draw.of(`organization ${number}`);
    const theirs = Array.from({ length: mine.between(0, 2) }, (_, n) => endpoint(`theirs-${n}`));
    return {
      id: `7f0e6f0c-0000-4000-8000-00000000000${number}`,
      manners: drawOrganizationManners(mine),
      others: [...theirs, ...mine.some(POOL, mine.chance(0.3) ? 1 : 0)],
    };
  });
  const pipes = Array.from({ length: draw.between(1, 2) }, (_, index) => ({
    organizationId: draw.pick(organizations).id,
    pipeId: `pipe-${index + 1}`,
    manners: drawSettingsManners(draw.of(`pipe ${index}`)),
  }));
  const activities = [drawActivity(draw.of('activity'), organizations[0]?.id ?? '')];
  const targets = { organizations, pipes, activities, namespaces };
  return {
    seed: draw.seed,
    flags: {
      rate: draw.chance(0.8) ? '10/10s' : '3/10s',
      timeoutSeconds: draw.chance(0.75) ? 35 : 10,
      elected: draw.chance(0.25),
      ...(namespaces.length > 1 && { namespaces: namespaces.join() }),
    },
    ...targets,
    keys: namespaces.map((namespace) => ({
      namespace,
      id: keyIdText(draw.of(namespace)),
      secret: secretText(draw.of(`secret of ${namespace}`)),
    })),
    objects: drawObjects(draw.of('objects'), targets),
    ...(draw.chance(0.3) && { rate: { calls: 10, perMs: 10_000, header: 'retry-after' } }),
    restAt: draw.between(12, 16) * MINUTE,
  };
}

function drawActivity(draw: Draw, organizationId: string): ActivityDraft {
  return {
    organizationId,
    activityId: 'activity-of-twenty-letters',
    fromMs: draw.chance(0.85) ? draw.pick([0, 20_000, 4 * MINUTE]) : undefined,
  };
}

function drawObjects(draw: Draw, targets: Targets): ObjectDraft[] {
  return Array.from({ length: draw.between(1, 4) }, (_, index) => {
    const mine = draw.of(String(index));
    return drawObject(mine, targets, {
      name: `o${index + 1}`,
      atMs: mine.chance(0.6) ? 0 : mine.between(1, 5 * MINUTE),
    });
  });
}

/** An object for one of the targets; other objects may stand for the same one. */
function drawObject(
  draw: Draw,
  { organizations, pipes, activities, namespaces }: Targets,
  about: Pick<ObjectDraft, 'name' | 'atMs'>,
): ObjectDraft {
  const at = { ...about, namespace: draw.pick(namespaces) };
  const plural = draw.weighted({ organizations: 60, pipesettings: 32, activities: 8 });
  const pipe = draw.pick(pipes);
  const { organizationId, activityId } = draw.pick(activities);
  const spec = {
    organizations: () => drawOrganizationSpec(draw, draw.pick(organizations).id, about.name),
    pipesettings: () => drawPipeSpec(draw, pipe.organizationId, pipe.pipeId),
    activities: () => ({ organizationId, activityId, credentialsSecretRef: { name: 'api' } }),
  }[plural]();
  return { ...at, plural, spec };
}
