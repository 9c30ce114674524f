import type * as cluster from '../../../src/kube/cluster.ts';
import { Host } from '../engine/host.ts';
import { BEGINNING } from '../engine/timeline.ts';
import { SimulatedPool } from '../network/pool.ts';
import type { Server } from '../network/wire.ts';
import type { ProcessEvent } from '../record/facts.ts';
import type { Life } from './life.ts';
import type { Product } from './product.ts';

/** What the chart gives a process between SIGTERM and SIGKILL, beside its --api-timeout. */
const TERMINATION_MS = 15_000;
const RESTART_MS = 1_000;
const API_URL = 'https://api.example.com';

/** One run of the operator's program, from its start to its end. */
export class Process {
  readonly name: string;
  readonly host: Host;
  readonly pools = { kube: [] as SimulatedPool[], api: [] as SimulatedPool[] };
  readonly #life: Life;
  readonly #over: () => void;
  readonly #stop = new AbortController();
  #page: (() => Promise<string>) | undefined;
  #isOver = false;

  constructor(life: Life, name: string, over: () => void) {
    this.#life = life;
    this.name = name;
    this.#over = over;
    this.host = new Host(name, life.timeline, BEGINNING);
  }

  /** Starts the program as src/main.ts does. */
  start(): void {
    const { name, host } = this;
    const life = this.#life;
    const { product, world } = life;
    const argv = argvOf(world.flags);
    const parsed = product.parseConfig({ argv, env: {}, version: 'simulated' });
    if (!parsed.ok) throw new Error(parsed.message);
    const redactor = product.createRedactor();
    const write = (line: string): void => {
      if (host.alive) life.tell({ what: 'log', process: name, line });
    };
    life.tell({ what: 'process', process: name, did: 'starts' });
    const metrics = product.createMetrics();
    this.#page = metrics.render;
    const program = product.runProcess({
      config: parsed.config,
      cluster: clusterOf(product, name),
      clock: host,
      log: product.createLog({ level: 'info', redactor, destination: { write } }),
      metrics,
      version: 'simulated',
      identity: name,
      guard: redactor.add,
      startServer: () => Promise.resolve({ port: 8080, close: () => Promise.resolve() }),
      stop: this.#stop.signal,
      open: {
        kube: () => this.#open(this.pools.kube, life.kubernetesSide),
        api: () => this.#open(this.pools.api, life.managementSide),
      },
    });
    program.then(
      () => this.#end('has ended'),
      (error: unknown) =>
        this.#end('ends with an error', error instanceof Error ? error.message : String(error)),
    );
  }

  /** Somebody scrapes its metrics. */
  async scrape(): Promise<void> {
    const text = await this.#page?.();
    if (text !== undefined) this.#life.tell({ what: 'page', process: this.name, text });
  }

  /** SIGTERM, and SIGKILL where that was not enough. */
  terminate(): void {
    const { timeline, world } = this.#life;
    if (this.#stop.signal.aborted || this.#isOver) return;
    this.#did('is told to end');
    timeline.at(0, () => this.host.reach(() => this.#stop.abort()));
    timeline.quietlyAt(world.flags.timeoutSeconds * 1_000 + TERMINATION_MS, () =>
      this.#end('is killed, because its grace is over'),
    );
  }

  crash(): void {
    this.#end('is dead');
  }

  freeze(ms: number): void {
    if (this.host.frozen) return;
    this.host.freeze();
    this.#did('stands still');
    this.#life.after(ms, () => this.thaw());
  }

  thaw(): void {
    if (this.#isOver || !this.host.frozen) return;
    this.#did('goes on');
    this.host.thaw();
  }

  #open(pools: SimulatedPool[], server: Server): SimulatedPool {
    const life = this.#life;
    const pool = new SimulatedPool({
      timeline: life.timeline,
      host: this.host,
      server,
      nextId: () => life.nextId(),
    });
    pools.push(pool);
    return pool;
  }

  #did(did: ProcessEvent, text?: string): void {
    const what = 'process';
    this.#life.tell({ what, process: this.name, did, ...(text !== undefined && { text }) });
  }

  #end(did: ProcessEvent, text?: string): void {
    if (this.#isOver) return;
    void this.scrape();
    this.#isOver = true;
    this.host.die();
    this.#life.kube.watches.cut({ host: this.name, broken: true });
    this.#did(did, text);
    this.#over();
  }
}

/** The operator's processes: what a Deployment and the kubelet make of them. */
export class Processes {
  readonly #life: Life;
  /** By place: who is there now. */
  readonly #present = new Map<string, Process>();
  #isDown = false;

  constructor(life: Life) {
    this.#life = life;
  }

  /** Those that run now. */
  get all(): Process[] {
    return [...this.#present.values()];
  }

  byName(name: string): Process | undefined {
    return this.all.find((one) => one.name === name);
  }

  start(): void {
    for (const place of this.#life.world.flags.elected ? ['one', 'two'] : ['one'])
      this.#fill(place);
  }

  /** The Deployment has no replicas for a while. */
  scaleDown(ms: number): string {
    this.#isDown = true;
    for (const one of this.all) one.crash();
    this.#life.after(ms, () => {
      this.#isDown = false;
      this.start();
    });
    return `the operator is scaled to 0 for ${ms / 1_000} s`;
  }

  /** What has stood still goes on. */
  wake(): void {
    for (const one of this.all) one.thaw();
  }

  #fill(place: string): void {
    if (this.#isDown || this.#present.has(place)) return;
    const life = this.#life;
    const name = life.number(place).replace(' #', '-');
    const one = new Process(life, name, () => {
      this.#present.delete(place);
      life.after(RESTART_MS, () => this.#fill(place));
    });
    this.#present.set(place, one);
    life.after(0, () => one.start());
  }
}

function clusterOf({ Cluster }: Product, name: string): cluster.Cluster {
  const one = new Cluster();
  const server = 'https://kubernetes.example.com';
  one.loadFromClusterAndUser({ name: 'c', server, skipTLSVerify: false }, { name, token: name });
  return one;
}

function argvOf({ rate, timeoutSeconds, elected, namespaces }: Life['world']['flags']): string[] {
  return [
    `--api-url=${API_URL}`,
    `--api-rate=${rate}`,
    `--api-timeout=${timeoutSeconds}s`,
    `--leader-elect=${elected}`,
    ...(namespaces ? [`--namespaces=${namespaces}`] : []),
    ...(elected ? ['--leader-elect-namespace=pipewright'] : []),
  ];
}
