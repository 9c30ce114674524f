import type { OrganizationBehaviour } from '../../simulator/organization-types.ts';
import type { SettingsBehaviour } from '../../simulator/pipe-settings.ts';
import type { KeyOptions, Rate } from '../../simulator/types.ts';
import type { Draw } from '../engine/draw.ts';
import { keyIdText, secretText } from './canaries.ts';
import {
  activitySpec,
  type Endpoint,
  endpointPool,
  organizationSpec,
  pipeSpec,
  type Spec,
} from './specs.ts';
import { organizationTraits, settingsTraits, type Trait } from './traits.ts';

/**
 * What the adversary may use in a life. Each life has some of them only, so that no two are busy
 * with the same.
 */
export const MEANS = [
  'edits',
  'suspends',
  'deletes',
  'renames',
  'newcomers',
  'secrets',
  'keys',
  'others',
  'api faults',
  'api outages',
  'glitches',
  'limits',
  'crashes',
  'terminations',
  'freezes',
  'clocks',
  'dead connections',
  'kube faults',
  'kube outages',
  'lag',
  'compactions',
  'restores',
  'rights',
  'shards',
  'other apis',
  'spare secrets',
  'old lists',
  'lost leases',
] as const;
export type Means = (typeof MEANS)[number];

const MINUTE = 60_000;

export interface ObjectDraft {
  readonly id: string;
  readonly plural: 'pipesettings' | 'organizations' | 'activities';
  readonly namespace: string;
  readonly name: string;
  readonly spec: Spec;
  /** When it is created; before the operator starts where this is 0. */
  readonly atMs: number;
}

export interface SecretDraft {
  readonly namespace: string;
  readonly name: string;
  readonly keyId: string;
  readonly secret: string;
  readonly style: 'plain' | 'basic-auth' | 'line end' | 'half';
}

export interface ApiKey {
  readonly id: string;
  readonly secret: string;
  readonly options: KeyOptions;
}

export interface OrganizationDraft {
  readonly id: string;
  readonly pool: readonly Endpoint[];
  readonly traits: readonly Trait<OrganizationBehaviour>[];
  /** Endpoints of others that are there from the start. */
  readonly others: readonly Endpoint[];
}

export interface PipeDraft {
  readonly organizationId: string;
  readonly pipeId: string;
  readonly traits: readonly Trait<SettingsBehaviour>[];
}

export interface ActivityDraft {
  readonly organizationId: string;
  readonly activityId: string;
  /** When its record is there; undefined: never. */
  readonly fromMs: number | undefined;
  /** How it is answered before. */
  readonly missingStatus: number;
}

export interface Flags {
  readonly rate: string;
  readonly timeoutSeconds: number;
  readonly cleanupDeadline: string;
  readonly namespaces: readonly string[] | undefined;
}

/** Everything that is there when a life begins, and what may happen in it. */
export interface World {
  readonly seed: string;
  readonly means: ReadonlySet<Means>;
  /** The adversary has more means, and uses them more often. */
  readonly isDense: boolean;
  /** Two processes and a Lease; else one without. */
  readonly elected: boolean;
  /** What is made in one namespace is the same whatever is made in another. */
  readonly isApart?: true;
  readonly flags: Flags;
  readonly namespaces: readonly string[];
  readonly organizations: readonly OrganizationDraft[];
  readonly pipes: readonly PipeDraft[];
  readonly activities: readonly ActivityDraft[];
  /** One of each namespace, in the same order. */
  readonly keys: readonly ApiKey[];
  readonly secrets: readonly SecretDraft[];
  readonly objects: readonly ObjectDraft[];
  /** The API's own limit for each key. */
  readonly rate: Rate | undefined;
  /** From then on the adversary does nothing more, and everything that it broke works again. */
  readonly restAt: number;
  /**
   * What the adversary left open has come to its end by then, or it says itself when it is tried
   * again.
   */
  readonly endAt: number;
  /** No process runs in the long waits after that. */
  readonly sleeps: boolean;
}

/** Of those that come to less than others, or spoil more for the rest. */
const CHANCES: Partial<Record<Means, number>> = { 'spare secrets': 0.15, 'old lists': 0.1 };

/** What befalls processes is of the more interest the more of them there are. */
const OF_PROCESSES: ReadonlySet<Means> = new Set([
  'crashes',
  'terminations',
  'freezes',
  'dead connections',
  'api faults',
]);

const NAMESPACES = ['team-a', 'team-b', 'team-c'];

export function drawWorld(draw: Draw, isDense = false): World {
  const usual = isDense ? 0.75 : 0.45;
  const elected = draw.of('elected').chance(0.03);
  const means = new Set(
    MEANS.filter(
      (one) =>
        (elected && OF_PROCESSES.has(one)) || draw.of(`means/${one}`).chance(CHANCES[one] ?? usual),
    ),
  );
  const namespaces = NAMESPACES.slice(
    0,
    draw.weighted({ 1: 35, 2: 45, 3: 20 }) === '1' ? 1 : draw.between(2, 3),
  );
  const organizations = drawOrganizations(draw.of('organizations'));
  const targets = { organizations, pipes: drawPipes(draw.of('pipes'), organizations) };
  const activities = drawActivities(draw.of('activities'), organizations);
  const { keys, secrets } = drawKeys(draw.of('keys'), namespaces);
  const restAt = draw.between(45, 50) * MINUTE;
  return {
    seed: draw.seed,
    means,
    isDense,
    elected,
    flags: drawFlags(draw.of('flags'), namespaces),
    namespaces,
    ...targets,
    activities,
    keys,
    secrets,
    objects: drawObjects(draw.of('objects'), { ...targets, activities, namespaces }),
    rate: draw.chance(0.6)
      ? { calls: 10, perMs: 10_000, header: draw.pick(RATE_HEADERS) }
      : undefined,
    restAt,
    endAt: restAt + 15 * MINUTE,
    sleeps: elected || draw.chance(0.75),
  };
}

const RATE_HEADERS = [
  'reset-seconds',
  'reset-epoch',
  'reset-epoch-ms',
  'retry-after',
  'retry-after-date',
  'none',
] as const;

function drawFlags(draw: Draw, namespaces: readonly string[]): Flags {
  return {
    rate: draw.weighted({ '10/10s': 70, '3/10s': 20, '0': 10 }),
    timeoutSeconds: draw.chance(0.75) ? 35 : 10,
    cleanupDeadline: draw.weighted({ '10m': 80, '3m': 20 }),
    namespaces: draw.chance(0.3) ? namespaces : undefined,
  };
}

function drawOrganizations(draw: Draw): OrganizationDraft[] {
  return Array.from({ length: draw.between(1, 4) }, (_, index) => {
    const mine = draw.of(String(index));
    const pool = endpointPool(mine.chance(0.1));
    const others = mine.some(
      pool,
      mine.weighted({ 0: 50, 1: 30, 2: 20 }) === '0' ? 0 : mine.between(1, 2),
    );
    // More than a status stores.
    const isCrowded = mine.chance(0.04);
    const crowd = mine.of('crowd');
    const theirs = strangers(isCrowded ? crowd.pick([210, 210, 9_000]) : mine.between(0, 2));
    const twins = crowd.chance(0.005)
      ? Array.from({ length: 2_000 }, () => ({ ...crowd.pick(pool) }))
      : [];
    const traits = organizationTraits(mine.of('traits'), pool, isCrowded);
    // Twice 9,000 make a reply of more than 1 MiB, which is refused.
    const isDoubled = traits.some(({ behaviour }) => behaviour.list === 'doubled');
    return {
      id: `7f0e6f0c-0000-4000-8000-00000000000${index + 1}`,
      pool,
      traits,
      others: [...theirs.slice(0, isDoubled ? 4_500 : theirs.length), ...twins, ...others],
    };
  });
}

function strangers(count: number): Endpoint[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `theirs-${index + 1}`,
    cloudProvider: 'gcp',
    region: 'ap-northeast-1',
  }));
}

function drawPipes(draw: Draw, organizations: readonly OrganizationDraft[]): PipeDraft[] {
  return Array.from({ length: draw.between(2, 5) }, (_, index) => ({
    organizationId: draw.pick(organizations).id,
    pipeId: `pipe-${index + 1}`,
    traits: settingsTraits(draw.of(`traits/${index}`)),
  }));
}

function drawActivities(draw: Draw, organizations: readonly OrganizationDraft[]): ActivityDraft[] {
  return Array.from({ length: draw.between(1, 2) }, (_, index) => ({
    organizationId: draw.pick(organizations).id,
    activityId: `activity-of-twenty-letters-${index + 1}`,
    fromMs: draw.chance(0.85) ? draw.pick([0, 20_000, 4 * MINUTE, 20 * MINUTE]) : undefined,
    missingStatus: draw.chance(0.6) ? 404 : 400,
  }));
}

function drawKeys(
  draw: Draw,
  namespaces: readonly string[],
): { keys: ApiKey[]; secrets: SecretDraft[] } {
  const keys = namespaces.map(
    (namespace): ApiKey => ({
      id: keyIdText(draw.of(namespace)),
      secret: secretText(draw),
      options: {},
    }),
  );
  const secrets = namespaces.flatMap((namespace, index): SecretDraft[] => {
    const [own, other] = [keys[index], keys[(index + 1) % keys.length]];
    if (!own || !other) return [];
    const fate =
      index === 0 ? 'right' : draw.weighted({ right: 60, none: 12, wrong: 14, stolen: 14 });
    if (fate === 'none') return [];
    const style = draw.weighted({
      plain: 70,
      'basic-auth': 15,
      'line end': 10,
      half: index === 0 ? 0 : 5,
    });
    const keyId = fate === 'stolen' ? other.id : own.id;
    const secret = fate === 'right' ? own.secret : secretText(draw);
    return [{ namespace, name: 'api', keyId, secret, style }];
  });
  return { keys, secrets };
}

type Targets = Pick<World, 'organizations' | 'pipes' | 'activities' | 'namespaces'>;

function drawObjects(draw: Draw, targets: Targets): ObjectDraft[] {
  return Array.from({ length: draw.between(3, 8) }, (_, index) => {
    const mine = draw.of(String(index));
    const atMs = mine.chance(0.6) ? 0 : mine.between(1, 25 * MINUTE);
    return drawObject(mine, targets, { id: `object ${index + 1}`, name: `o${index + 1}`, atMs });
  });
}

/** An object for one of the targets; other objects may stand for the same one. */
export function drawObject(
  draw: Draw,
  { organizations, pipes, activities, namespaces }: Targets,
  about: Pick<ObjectDraft, 'id' | 'name' | 'atMs'>,
): ObjectDraft {
  const namespace = draw.pick(namespaces);
  const secret = 'api';
  switch (draw.weighted({ organizations: 50, pipesettings: 38, activities: 12 })) {
    case 'organizations': {
      const { id, pool } = draw.pick(organizations);
      const spec = organizationSpec(draw, { organizationId: id, secret, pool, name: about.name });
      return { ...about, plural: 'organizations', namespace, spec };
    }
    case 'pipesettings':
      return {
        ...about,
        plural: 'pipesettings',
        namespace,
        spec: pipeSpec(draw, { ...draw.pick(pipes), secret }),
      };
    case 'activities':
      return {
        ...about,
        plural: 'activities',
        namespace,
        spec: activitySpec({ ...draw.pick(activities), secret }),
      };
  }
}
