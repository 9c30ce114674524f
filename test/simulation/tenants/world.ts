import type { Draw } from '../engine/draw.ts';
import { keyIdText, secretText } from '../life/canaries.ts';
import {
  activitySpec,
  endpointPool,
  organizationSpec,
  pipeSpec,
  type Spec,
} from '../life/specs.ts';
import { organizationTraits, settingsTraits } from '../life/traits.ts';
import type { ApiKey, ObjectDraft, OrganizationDraft, PipeDraft, World } from '../life/world.ts';

/** Who wants to harm, within the rights of a tenant; and who is not to notice. */
export const A = 'tenant-a';
export const B = 'tenant-b';
/** A's own organization, the only one that the API lets A's key work on. */
export const OF_A = '7f0e6f0c-0000-4000-8000-00000000000a';
const OF_B = ['7f0e6f0c-0000-4000-8000-000000000001', '7f0e6f0c-0000-4000-8000-000000000002'];

const MINUTE = 60_000;

/**
 * Two tenants of one operator, each with a key that the API takes for his own organizations alone.
 * All objects are B's. The network is quiet: what befalls B in such a life and not in the same one
 * without A is A's doing.
 */
export function drawTenants(draw: Draw): World {
  const ofB = OF_B.slice(0, draw.between(1, 2)).map((id) => drawOrganization(draw.of(id), id));
  const pipes = Array.from({ length: draw.between(1, 3) }, (_, index): PipeDraft => {
    const mine = draw.of(`pipe ${index}`);
    const organizationId = mine.pick(ofB).id;
    return { organizationId, pipeId: `pipe-${index + 1}`, traits: settingsTraits(mine) };
  });
  const keys: ApiKey[] = [drawKey(draw.of(A), [OF_A]), drawKey(draw.of(B), OF_B)];
  const restAt = draw.between(45, 50) * MINUTE;
  return {
    seed: draw.seed,
    means: new Set(),
    isDense: false,
    elected: false,
    isApart: true,
    flags: {
      rate: draw.chance(0.8) ? '10/10s' : '3/10s',
      timeoutSeconds: 35,
      cleanupDeadline: '10m',
      namespaces: draw.chance(0.3) ? [A, B] : undefined,
    },
    namespaces: [A, B],
    organizations: [...ofB, { id: OF_A, pool: endpointPool(false), traits: [], others: [] }],
    pipes,
    activities: [{ ...ACTIVITY, fromMs: draw.pick([0, MINUTE]), missingStatus: 404 }],
    keys,
    secrets: [A, B].map((namespace, index) => ({
      namespace,
      name: 'api',
      keyId: keys[index]?.id ?? '',
      secret: keys[index]?.secret ?? '',
      style: 'plain' as const,
    })),
    objects: objectsOfB(draw.of('objects'), ofB, pipes),
    rate: undefined,
    restAt,
    endAt: restAt + 15 * MINUTE,
    sleeps: true,
  };
}

const ACTIVITY = {
  organizationId: OF_B[0] ?? '',
  activityId: 'activity-of-twenty-letters-1',
};

function drawKey(draw: Draw, organizations: string[]): ApiKey {
  return { id: keyIdText(draw), secret: secretText(draw), options: { organizations } };
}

function drawOrganization(draw: Draw, id: string): OrganizationDraft {
  const pool = endpointPool(false);
  const others = draw.some(pool, draw.between(0, 2));
  return { id, pool, traits: organizationTraits(draw.of('traits'), pool, false), others };
}

/** One for each target. They are there from the beginning, or come when A may have been first. */
function objectsOfB(
  draw: Draw,
  organizations: readonly OrganizationDraft[],
  pipes: readonly PipeDraft[],
): ObjectDraft[] {
  const secret = 'api';
  const drafts = [
    ...organizations.map(({ id, pool }, index) => {
      const mine = draw.of(id);
      const about = { organizationId: id, secret, pool, name: `o${index + 1}` };
      return {
        plural: 'organizations',
        name: about.name,
        spec: organizationSpec(mine, about),
      } as const;
    }),
    ...pipes.map((pipe, index) => {
      const spec = pipeSpec(draw.of(pipe.pipeId), { ...pipe, secret });
      return { plural: 'pipesettings', name: `p${index + 1}`, spec } as const;
    }),
    { plural: 'activities', name: 'a1', spec: activitySpec({ ...ACTIVITY, secret }) } as const,
  ];
  return drafts.map(({ plural, name, spec }) => ({
    id: name,
    plural,
    namespace: B,
    name,
    spec: asked(spec),
    atMs: draw.of(`${name} begins`).pick([0, 0, 3 * MINUTE]),
  }));
}

/** Nothing that is sent again by the clock, whose hand differs a little from life to life. */
export function asked(spec: Spec): Spec {
  const { reassertInterval: _, ...rest } = spec;
  return rest;
}
