import { randomUUID } from 'node:crypto';
import { Draw } from '../../simulation/engine/draw.ts';
import type { Fault } from '../../simulator/types.ts';
import type { Stage } from './soak-stage.ts';

const GROUP = '/apis/pipewright.dev/v1alpha1/namespaces';
const SERVICE = '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21';
const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const KEYS = 6;

/** How many objects of each kind there are, once it is full; names are never used twice. */
const POPULATION = { pipesettings: 60, organizations: 12, activities: 20 } as const;
type Plural = keyof typeof POPULATION;

export interface Churn {
  /** Does one thing to the objects or to the Secrets. */
  step(): Promise<void>;
  /** What has been done, how often. */
  readonly done: Readonly<Record<string, number>>;
  /** Makes an object that nothing is wrong with, on a Secret of its own, and gives its path. */
  fresh(): Promise<string>;
}

/** Objects of all kinds that come, change and go in one namespace, always in the same order. */
export async function startChurn(stage: Stage, namespace: string): Promise<Churn> {
  const { simulator } = stage;
  const draw = new Draw('soak');
  const live: Record<Plural, string[]> = { pipesettings: [], organizations: [], activities: [] };
  const secrets: string[] = [];
  const keyOf = new Map<string, string>();
  const done: Record<string, number> = {};
  let number = 0;
  const nextName = (prefix: string): string => `${prefix}-${++number}`;
  const count = (what: string): void => void (done[what] = (done[what] ?? 0) + 1);
  const pathOf = (plural: Plural, name = ''): string =>
    `${GROUP}/${namespace}/${plural}${name && `/${name}`}`;
  const secretPath = `/api/v1/namespaces/${namespace}/secrets`;

  async function writeKey(secret: string): Promise<void> {
    const pair = { id: nextName('key'), secret: randomUUID() };
    simulator.setKey(pair.id, pair.secret);
    const stringData = { keyId: pair.id, keySecret: pair.secret };
    const before = keyOf.get(secret);
    if (before === undefined)
      await stage.ask('POST', secretPath, { metadata: { name: secret }, stringData });
    else await stage.ask('PATCH', `${secretPath}/${secret}`, { stringData });
    keyOf.set(secret, pair.id);
    // Calls that are under way with the old one are refused, as it happens.
    if (before !== undefined) simulator.setKey(before, undefined);
  }

  async function addSecret(): Promise<string> {
    const name = nextName('secret');
    await writeKey(name);
    secrets.push(name);
    return name;
  }

  /** Objects that refer to it wait until they are edited or deleted. */
  async function replaceSecret(): Promise<void> {
    await addSecret();
    const [oldest] = secrets.splice(0, 1);
    if (oldest === undefined) return;
    await stage.ask('DELETE', `${secretPath}/${oldest}`);
    simulator.setKey(keyOf.get(oldest) ?? '', undefined);
    keyOf.delete(oldest);
  }

  const reference = () => ({ credentialsSecretRef: { name: draw.pick(secrets) } });

  async function create(plural: Plural, more: object = {}): Promise<string> {
    const { kind, fixed, changing } = BLUEPRINTS[plural];
    const name = nextName(plural);
    await stage.ask('POST', pathOf(plural), {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind,
      metadata: { name },
      spec: { ...reference(), ...fixed(name), ...changing(draw), ...more },
    });
    live[plural].push(name);
    return name;
  }

  async function edit(plural: Plural, name: string): Promise<void> {
    const spec = { ...reference(), ...BLUEPRINTS[plural].changing(draw) };
    await stage.ask('PATCH', pathOf(plural, name), { spec });
  }

  async function remove(plural: Plural, name: string): Promise<void> {
    live[plural].splice(live[plural].indexOf(name), 1);
    await stage.ask('DELETE', pathOf(plural, name));
  }

  async function request(plural: Plural, name: string): Promise<void> {
    const annotations = { 'pipewright.dev/reconcile-requested-at': nextName('request') };
    await stage.ask('PATCH', pathOf(plural, name), { metadata: { annotations } });
  }

  async function touch(): Promise<void> {
    const plural = draw.pick([
      'pipesettings',
      'pipesettings',
      'pipesettings',
      'organizations',
      'activities',
    ] as const);
    const names = live[plural];
    const what =
      names.length < POPULATION[plural]
        ? 'create'
        : draw.pick(['edit', 'edit', 'delete', 'request'] as const);
    count(`${what} ${plural}`);
    if (what === 'create') await create(plural);
    else await { edit, delete: remove, request }[what](plural, draw.pick(names));
  }

  for (let index = 0; index < KEYS; index += 1) await addSecret();
  return {
    done,
    async step() {
      if (draw.chance(0.008)) {
        count('rotate Secret');
        return writeKey(draw.pick(secrets));
      }
      if (draw.chance(0.004)) {
        count('replace Secret');
        return replaceSecret();
      }
      if (draw.chance(0.1)) {
        count('spoilt call');
        simulator.next(draw.pick(FAULTS));
      }
      return touch();
    },
    async fresh() {
      const secret = await addSecret();
      const name = await create('pipesettings', {
        credentialsSecretRef: { name: secret },
        suspend: false,
      });
      return pathOf('pipesettings', name);
    },
  };
}

interface Blueprint {
  readonly kind: string;
  /** What makes the object stand for something of its own. */
  readonly fixed: (name: string) => Readonly<Record<string, unknown>>;
  readonly changing: (draw: Draw) => Readonly<Record<string, unknown>>;
}

const BLUEPRINTS: Readonly<Record<Plural, Blueprint>> = {
  pipesettings: {
    kind: 'PipeSettings',
    fixed: (name) => ({ organizationId: ORGANIZATION, serviceId: SERVICE, pipeId: name }),
    changing: (draw) => ({
      settings: {
        engine_max_threads: draw.between(1, 16),
        object_storage_concurrency: draw.between(1, 30),
      },
      suspend: draw.chance(0.05),
      mode: draw.chance(0.05) ? 'Plan' : 'Apply',
    }),
  },
  organizations: {
    kind: 'Organization',
    fixed: () => ({ organizationId: randomUUID(), deletionPolicy: 'RemovePrivateEndpoints' }),
    changing: (draw) => ({
      name: `Acme ${draw.between(0, 999)}`,
      privateEndpoints: Array.from({ length: draw.between(0, 4) }, (_, index) => ({
        id: `psc-${index}-${draw.between(0, 2)}`,
        cloudProvider: 'gcp',
        region: 'ap-northeast-1',
      })),
    }),
  },
  activities: {
    kind: 'Activity',
    fixed: (name) => ({ organizationId: ORGANIZATION, activityId: name }),
    changing: (draw) => ({ suspend: draw.chance(0.1) }),
  },
};

const FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 502, body: 'html' },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 409 },
  { status: 424 },
  { status: 429, headers: { 'retry-after': '1' } },
  { status: 429, headers: { 'x-ratelimit-reset': '2' } },
  { transport: 'reset-before' },
  { transport: 'reset-after' },
  { transport: 'truncated' },
  { transport: 'no-answer' },
  { transport: 'drip' },
  { slowMs: 1500 },
  { status: 200, body: 'megabytes' },
];
