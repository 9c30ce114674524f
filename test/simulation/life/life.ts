import { plausibleActivity } from '../../simulator/activities.ts';
import type { KeyOptions } from '../../simulator/types.ts';
import { Adversary, type Phase } from '../adversary/adversary.ts';
import { SOMEBODY } from '../adversary/api.ts';
import { putSecret } from '../adversary/secrets.ts';
import { Draw } from '../engine/draw.ts';
import { takeImmediates } from '../engine/immediates.ts';
import { seedRandomness } from '../engine/randomness.ts';
import { Timeline } from '../engine/timeline.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import type { Objects, Thing } from '../kubernetes/objects.ts';
import { Kubernetes } from '../kubernetes/server.ts';
import { ManagementApi } from '../management/api.ts';
import type { Crossing } from '../network/wire.ts';
import { type ApiCall, Chronicle, type Fact } from '../record/facts.ts';
import { Knowledge } from '../record/knowledge.ts';
import { PLURALS, type Plural } from '../record/objects.ts';
import { Fleet } from './fleet.ts';
import { KubernetesSide } from './kubernetes-side.ts';
import { ManagementSide } from './management-side.ts';
import { drawOdds, type Odds } from './odds.ts';
import type { Product } from './product.ts';
import { OPERATOR, operatorRights } from './rights.ts';
import { Weather } from './weather.ts';
import type { Means, SecretDraft, World } from './world.ts';

/** Whoever acts against the operator: at times of his own, and between any two events of a call. */
export interface Opponent {
  begin(): void;
  /** Returns for how long an answer that is on its way now is held up, ms. */
  hop(phase: Phase, crossing: Crossing, call?: ApiCall): number;
}

export interface LifeOptions {
  readonly world: World;
  readonly product: Product;
  /** The adversary drawn from the seed, where it is not said who else. */
  readonly opponent?: (life: Life) => Opponent;
  /** Names of what does not happen in this telling: objects, acts and mishaps. */
  readonly without?: ReadonlySet<string>;
  readonly odds?: Odds;
}

interface Backup {
  readonly at: number;
  readonly state: ReturnType<Objects['backup']>;
}

type Untimed<F> = F extends unknown ? Omit<F, 'at'> : never;

const API_HOSTS = ['api.example.com', 'other-api.example.com'] as const;
const BACKUP_EVERY_MS = 5 * 60_000;
/** What every wall clock says at the beginning, give or take. */
const BEGINNING = Date.parse('2026-03-01T00:00:00Z');

/**
 * One life of the operator from beginning to end: both its servers, its processes, its users and
 * its adversary, on one timeline.
 */
export class Life {
  readonly world: World;
  readonly product: Product;
  readonly draw: Draw;
  readonly wall = BEGINNING;
  readonly timeline = new Timeline();
  readonly chronicle = new Chronicle();
  readonly knowledge = new Knowledge((key) => {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    return this.kube.objects.get(kindOf(plural), namespace, name);
  });
  readonly kube: Kubernetes;
  readonly kubernetesSide: KubernetesSide;
  readonly weather: Weather;
  readonly adversary: Opponent;
  readonly fleet: Fleet;
  readonly odds: Odds;
  /** API keys by id, as the API has them. */
  readonly keys = new Map<string, { readonly secret: string; readonly options: KeyOptions }>();
  /** Every Secret there ever was, with what was in it. */
  readonly secrets: SecretDraft[] = [];
  readonly backups: Backup[] = [];
  /** Activities whose records the API has purged. */
  readonly purged = new Set<string>();
  readonly firstApiHost: string = API_HOSTS[0];
  apiHost: string = API_HOSTS[0];
  resting = false;
  /** When the management API last refused connections. */
  lastDownAt = Number.NEGATIVE_INFINITY;
  /** When the API server last did not do what it should, or will. */
  kubeDisturbedAt = Number.NEGATIVE_INFINITY;
  /** Until when lists came last, or will, from a server that is behind the storage. */
  behindUntil = Number.NEGATIVE_INFINITY;
  /**
   * The newest version that the cluster had given when its versions went back last; undefined: they
   * never did.
   */
  wentBackFrom: number | undefined;
  /** The cluster's storage went back at these times. */
  readonly restores: number[] = [];
  readonly #apis = new Map<
    string,
    { readonly api: ManagementApi; readonly side: ManagementSide }
  >();
  readonly #generations = new Map<string, number>();
  readonly #randomness: Draw;
  readonly #without: ReadonlySet<string>;
  #ids = 0;
  #names = 0;
  /** By a name for whose they are: how many were given. */
  readonly #uids = new Map<string, number>();

  constructor({ world, product, without = new Set(), odds, opponent }: LifeOptions) {
    this.world = reduced(world, without);
    this.product = product;
    this.#without = without;
    this.draw = new Draw(world.seed);
    this.#randomness = this.draw.of('randomness');
    this.odds = odds ?? drawOdds(this.draw.of('odds'), world.isDense);
    this.chronicle.listen((fact) => this.knowledge.see(fact));
    this.weather = new Weather(this);
    this.kube = new Kubernetes({
      timeline: this.timeline,
      wall: BEGINNING,
      newUid: (namespace) => this.#newUid(this.world.isApart ? `${namespace}/` : ''),
      weather: this.weather,
      onChange: (change) => {
        const { uid, generation = 0 } = change.now.metadata;
        const key = `${uid} ${generation}`;
        if (!this.#generations.has(key)) this.#generations.set(key, this.timeline.now);
        this.tell({ what: 'written', change });
      },
    });
    this.kubernetesSide = new KubernetesSide(this);
    for (const host of API_HOSTS) this.#apis.set(host, this.#makeApi(host));
    this.adversary = opponent?.(this) ?? new Adversary(this);
    this.fleet = new Fleet(this);
  }

  /** The API that the operator is meant to use now. */
  get api(): ManagementApi {
    return this.apiAt(this.apiHost);
  }

  apiAt(host: string): ManagementApi {
    return this.#at(host).api;
  }

  sideOf(host: string): ManagementSide {
    return this.#at(host).side;
  }

  tell(fact: Untimed<Fact>): void {
    this.chronicle.add({ ...fact, at: this.timeline.now });
  }

  /** Whether something happens in this telling of the story. */
  may(id: string): boolean {
    return !this.#without.has(id);
  }

  uses(means: Means): boolean {
    return this.world.means.has(means);
  }

  after(ms: number, run: () => void): void {
    this.timeline.at(ms, run);
  }

  nextId(): number {
    return (this.#ids += 1);
  }

  newName(): string {
    return `n${(this.#names += 1)}`;
  }

  stored(plural: string, namespace: string, name: string): Thing | undefined {
    return plural === '' ? undefined : this.kube.objects.get(kindOf(plural), namespace, name);
  }

  /** All objects of the three kinds. */
  objects(): { readonly plural: Plural; readonly thing: Thing }[] {
    return PLURALS.flatMap((plural) => this.objectsOf(plural).map((thing) => ({ plural, thing })));
  }

  /** All objects of a kind, in the order of their names. */
  objectsOf(plural: string): Thing[] {
    return this.kube.objects.list(kindOf(plural), '');
  }

  setKey(id: string, secret: string, options: KeyOptions): void {
    this.keys.set(id, { secret, options });
    for (const { api } of this.#apis.values()) api.keys.set(id, secret, options);
  }

  noteSecret(draft: SecretDraft): void {
    this.secrets.push(draft);
  }

  purge(organizationId: string, activityId: string): void {
    this.purged.add(activityId);
    for (const { api } of this.#apis.values()) {
      api.activities.set(organizationId, plausibleActivity(organizationId, activityId), {
        lateCalls: 1_000_000,
      });
    }
  }

  /**
   * So long after it was sent a write may be at work at the API: it may be carried out a minute
   * after its client has given it up.
   */
  get atWorkMs(): number {
    return this.world.flags.timeoutSeconds * 1_000 + 60_000;
  }

  /** When the API server stored this generation of an object; 0 where it is not known. */
  generationSince(uid: string, generation: number): number {
    return this.#generations.get(`${uid} ${generation}`) ?? this.restores.at(-1) ?? 0;
  }

  /** `wentBackFrom`: the newest version there had been, where versions go back. */
  restored(wentBackFrom: number | undefined): void {
    this.restores.push(this.timeline.now);
    if (wentBackFrom !== undefined)
      this.wentBackFrom = Math.max(wentBackFrom, this.wentBackFrom ?? 0);
    // The numbers of generations are given once more.
    this.#generations.clear();
  }

  moveToOtherApi(): boolean {
    if (this.apiHost !== API_HOSTS[0]) return false;
    this.apiHost = API_HOSTS[1];
    return true;
  }

  /**
   * Runs it up to a time, from its beginning or from where it is. Randomness of the whole process
   * is the life's meanwhile.
   */
  async run(until: number): Promise<void> {
    const unseed = seedRandomness(this.#randomness);
    const giveBack = takeImmediates(this.timeline);
    try {
      await this.timeline.runUntil(until);
    } finally {
      giveBack();
      unseed();
    }
  }

  /** Puts everything in its place and starts the operator. */
  begin(): void {
    const { world } = this;
    this.kube.rights.give(OPERATOR, operatorRights(world.flags.namespaces));
    for (const { id, secret, options } of world.keys) this.setKey(id, secret, options);
    for (const draft of world.secrets) putSecret(this, draft);
    for (const draft of world.objects) {
      if (this.may(draft.id)) this.after(draft.atMs, () => this.#create(draft));
    }
    this.timeline.at(1, () => this.fleet.start());
    this.adversary.begin();
    this.timeline.quietlyAt(BACKUP_EVERY_MS / 5, () => this.#keepBackups());
    this.timeline.quietlyAt(world.restAt, () => this.#rest());
  }

  /** The adversary has done what it wanted, and what it broke works again. */
  #rest(): void {
    this.resting = true;
    this.weather.clear();
    this.kube.rights.clear();
    this.kube.lists.old = undefined;
    for (const [id, { secret }] of this.keys) {
      const { options = {} } = this.world.keys.find((key) => key.id === id) ?? {};
      this.setKey(id, secret, options);
    }
    for (const { api } of this.#apis.values()) api.limits.set(this.world.rate);
    this.fleet.wake();
    this.tell({ what: 'act', id: 'rest', text: 'the adversary rests, and everything works again' });
  }

  #keepBackups(): void {
    this.backups.push({ at: this.timeline.now, state: this.kube.objects.backup() });
    if (this.backups.length > 4) this.backups.shift();
    if (!this.resting) this.timeline.quietlyAt(BACKUP_EVERY_MS, () => this.#keepBackups());
  }

  #create({ plural, namespace, name, spec }: World['objects'][number]): void {
    this.kube.as('user').create(kindOf(plural), namespace, { metadata: { name }, spec });
  }

  #makeApi(host: string): { api: ManagementApi; side: ManagementSide } {
    const { world, timeline } = this;
    const api = new ManagementApi({
      passed: () => timeline.now,
      now: () => BEGINNING + timeline.now,
    });
    api.keys.set(SOMEBODY.id, SOMEBODY.secret);
    api.limits.set(world.rate);
    for (const { id, others } of world.organizations)
      api.organizations.set(id, { add: [...others] });
    for (const { organizationId, activityId, fromMs, missingStatus } of world.activities) {
      api.activities.play({ missingStatus });
      if (fromMs === undefined) continue;
      api.activities.set(organizationId, plausibleActivity(organizationId, activityId), {
        lateMs: fromMs,
      });
    }
    return { api, side: new ManagementSide(this, host, api) };
  }

  #newUid(whose: string): string {
    const number = (this.#uids.get(whose) ?? 0) + 1;
    this.#uids.set(whose, number);
    return uidOf(this.draw.of(`uid/${whose}${number}`));
  }

  #at(host: string): { api: ManagementApi; side: ManagementSide } {
    const found = this.#apis.get(host);
    if (!found) throw new Error(`nobody serves ${host} in this life`);
    return found;
  }
}

function uidOf(draw: Draw): string {
  const hex = [draw.bits(), draw.bits(), draw.bits(), draw.bits()]
    .map((bits) => bits.toString(16).padStart(8, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** A world without the traits that are left out of this telling. */
function reduced(world: World, without: ReadonlySet<string>): World {
  const keeps = (whose: string) => (trait: { readonly name: string }) =>
    !without.has(`trait ${whose} ${trait.name}`);
  return {
    ...world,
    organizations: world.organizations.map((one) => ({
      ...one,
      traits: one.traits.filter(keeps(one.id)),
    })),
    pipes: world.pipes.map((one) => ({ ...one, traits: one.traits.filter(keeps(one.pipeId)) })),
  };
}
