import { Draw } from '../engine/draw.ts';
import { takeImmediates } from '../engine/immediates.ts';
import { seedRandomness } from '../engine/randomness.ts';
import { BEGINNING, Timeline } from '../engine/timeline.ts';
import { muteTimers } from '../engine/timers.ts';
import { kindOf } from '../kubernetes/kinds.ts';
import type { Thing } from '../kubernetes/objects.ts';
import { Kubernetes } from '../kubernetes/server.ts';
import { ManagementApi } from '../management/api.ts';
import { Chronicle, type Fact } from '../record/facts.ts';
import { Knowledge } from '../record/knowledge.ts';
import { PLURALS, type Plural, specOf, targetOfSpec } from '../record/objects.ts';
import { putSecret } from './acts.ts';
import { KubernetesSide } from './kubernetes-side.ts';
import { ManagementSide, SOMEBODY } from './management-side.ts';
import { Processes } from './processes.ts';
import type { Product } from './product.ts';
import type { Act, Mishap, ObjectDraft, Point, Script, World } from './world.ts';

export interface LifeOptions {
  readonly world: World;
  readonly script: Script;
  readonly product: Product;
  /** Names of what does not happen in this telling: objects, manners, acts and mishaps. */
  readonly without?: ReadonlySet<string>;
}

type Untimed<F> = F extends unknown ? Omit<F, 'at'> : never;

const PLAIN_KUBE_MS = 1.5;
const PLAIN_API_MS = 12;

/** What is wrong with both servers for a time. */
export interface Weather {
  apiIsDown: boolean;
  kubeIsDown: boolean;
  /** What the management API answers to everything. */
  apiAnswers: Mishap['answer'];
  kubeAnswers: number | undefined;
  /** How long the API server takes for everything but Leases. */
  kubeSlowMs: number;
}

const FAIR: Weather = {
  apiIsDown: false,
  kubeIsDown: false,
  apiAnswers: undefined,
  kubeAnswers: undefined,
  kubeSlowMs: 0,
};

/**
 * One life of the operator from beginning to end: both its servers, its processes, its users and
 * everybody else, on one timeline.
 */
export class Life {
  readonly world: World;
  readonly product: Product;
  readonly wall = BEGINNING;
  readonly timeline = new Timeline();
  readonly chronicle = new Chronicle();
  readonly knowledge = new Knowledge();
  readonly kube: Kubernetes;
  readonly api: ManagementApi;
  readonly kubernetesSide: KubernetesSide;
  readonly managementSide: ManagementSide;
  readonly processes: Processes;
  readonly weather: Weather = { ...FAIR };
  /** Every key there ever was: whatever of it is seen elsewhere has leaked. */
  readonly secrets = new Set<string>();
  /** By id of a key: the secret that it was given last. */
  readonly rotated = new Map<string, string>();
  readonly #script: Script;
  readonly #without: ReadonlySet<string>;
  readonly #randomness: Draw;
  readonly #numbers = new Map<string, number>();
  #ids = 0;

  constructor({ world, script, product, without = new Set() }: LifeOptions) {
    this.world = world;
    this.product = product;
    this.#script = script;
    this.#without = without;
    this.#randomness = new Draw(`${world.seed}/randomness`);
    this.kube = new Kubernetes({
      timeline: this.timeline,
      wall: BEGINNING,
      newUid: () => uidOf(new Draw(`${world.seed}/uid/${this.number('uid')}`)),
      onChange: (change) => this.tell({ what: 'written', change }),
    });
    this.api = this.#makeApi();
    this.kubernetesSide = new KubernetesSide(this);
    this.managementSide = new ManagementSide(this);
    this.processes = new Processes(this);
  }

  tell(fact: Untimed<Fact>): void {
    this.chronicle.add({ ...fact, at: this.timeline.now });
  }

  /** Whether something happens in this telling of the story. */
  may(id: string): boolean {
    return !this.#without.has(id);
  }

  after(ms: number, run: () => void): void {
    this.timeline.at(ms, run);
  }

  nextId(): number {
    return (this.#ids += 1);
  }

  /** `name #3`: what is left out of a story does not rename the others. */
  number(name: string): string {
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return `${name} #${number}`;
  }

  /** Somebody acts, and the record says what was done. */
  act(id: string, perform: Act['perform']): void {
    const text = perform(this);
    if (text !== undefined) this.tell({ what: 'act', id, text });
  }

  /** What befalls this request. */
  befall(point: Point): Mishap | undefined {
    const mishap = this.resting ? undefined : this.#script.mishap(point);
    if (!mishap || !this.may(point.name)) return undefined;
    this.tell({ what: 'act', id: point.name, text: `${point.name}: ${mishap.text}` });
    return mishap;
  }

  get resting(): boolean {
    return this.timeline.now >= this.world.restAt;
  }

  /** Something is wrong with a server for a while. */
  spoil(ms: number, what: Partial<Weather>): void {
    Object.assign(this.weather, what);
    if (what.kubeIsDown) this.kube.watches.cut({ broken: true });
    for (const { pools } of this.processes.all) {
      for (const one of what.kubeIsDown ? pools.kube : []) one.breakOff();
      for (const one of what.apiIsDown ? pools.api : []) one.breakOff();
    }
    const fair = Object.entries(FAIR).filter(([name]) => name in what);
    this.after(ms, () => Object.assign(this.weather, Object.fromEntries(fair)));
  }

  /** How long requests take on their way. */
  plainFate(name: string, server: 'kube' | 'api'): { thereMs: number; backMs: number } {
    const draw = new Draw(`${this.world.seed}/way of ${name}`);
    const ms = server === 'kube' ? PLAIN_KUBE_MS : PLAIN_API_MS;
    const half = (): number => Math.ceil(ms * (0.5 + draw.fraction()) * 8) / 8;
    return { thereMs: half(), backMs: half() };
  }

  stored(plural: string, namespace: string, name: string): Thing | undefined {
    return this.kube.objects.get(kindOf(plural), namespace, name);
  }

  /** All objects of the three kinds, in the order of their names. */
  objects(): { readonly plural: Plural; readonly thing: Thing }[] {
    return PLURALS.flatMap((plural) =>
      this.kube.objects.list(kindOf(plural), '').map((thing) => ({ plural, thing })),
    );
  }

  /** "A list that hides an entry": this organization's is one call behind. */
  lags(organizationId: string): boolean {
    const { manners = [] } = this.world.organizations.find(({ id }) => id === organizationId) ?? {};
    return manners.some(({ behaviour }) => behaviour.organization?.echo === 'lagging');
  }

  /** Those that stand for this target. */
  objectsFor(target: string): Thing[] {
    return this.objects().flatMap(({ plural, thing }) =>
      targetOfSpec(plural, specOf(thing)) === target ? thing : [],
    );
  }

  create({ plural, namespace, name, spec }: ObjectDraft): void {
    this.kube.as('user').create(kindOf(plural), namespace, { metadata: { name }, spec });
  }

  /** Randomness of the whole process is the life's while it runs. */
  async run(until: number): Promise<void> {
    const unseed = seedRandomness(this.#randomness);
    const giveBack = takeImmediates(this.timeline);
    const ring = muteTimers();
    try {
      await this.timeline.runUntil(until);
    } finally {
      ring();
      giveBack();
      unseed();
    }
  }

  /** Puts everything in its place and starts the operator. */
  begin(): void {
    const { world, timeline } = this;
    for (const key of world.keys) {
      this.api.keys.set(key.id, key.secret);
      putSecret(this, { ...key, name: 'api' });
    }
    for (const draft of world.objects)
      if (this.may(`object ${draft.name}`)) this.after(draft.atMs, () => this.create(draft));
    for (const { id, atMs, perform } of this.#script.acts)
      if (this.may(id)) this.after(atMs, () => this.act(id, perform));
    timeline.at(1, () => this.processes.start());
    timeline.at(world.restAt, () => this.#rest());
  }

  #rest(): void {
    Object.assign(this.weather, FAIR);
    this.processes.wake();
    this.tell({ what: 'act', id: 'rest', text: 'from now on nobody acts, and everything works' });
  }

  #makeApi(): ManagementApi {
    const { world, timeline } = this;
    const now = (): number => BEGINNING + timeline.now;
    const api = new ManagementApi({ passed: () => timeline.now, now });
    api.keys.set(SOMEBODY.id, SOMEBODY.secret);
    api.limits.set(world.rate);
    for (const { id, others } of world.organizations)
      api.organizations.set(id, { add: [...others] });
    for (const { organizationId, activityId: id, fromMs: lateMs } of world.activities) {
      if (lateMs === undefined) continue;
      const path = `/v1/organizations/${organizationId}/activities/${id}`;
      api.records.set(path, { id, organizationId, type: 'create_organization' }, { lateMs });
    }
    return api;
  }
}

function uidOf(draw: Draw): string {
  const hex = [draw.bits(), draw.bits(), draw.bits(), draw.bits()]
    .map((bits) => bits.toString(16).padStart(8, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
