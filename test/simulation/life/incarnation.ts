import { Host } from '../engine/host.ts';
import { type PoolOptions, SimulatedPool } from '../network/pool.ts';
import type { Life } from './life.ts';
import type { Product } from './product.ts';

export interface IncarnationOptions {
  readonly life: Life;
  readonly name: string;
  /** The command line of the operator. */
  readonly argv: readonly string[];
  /** How far its wall clock is from the others, ms. */
  readonly skewMs: number;
  /** Told once, when nothing of it is left. */
  readonly over: () => void;
}

/** TLS material is compared by identity: it never changes here. */
const TLS = {};
/** What the chart gives a process between SIGTERM and SIGKILL, beside its --api-timeout. */
const TERMINATION_MS = 15_000;

/** One run of the operator's program, from its start to its end. */
export class Incarnation {
  readonly name: string;
  readonly host: Host;
  readonly kubePools: SimulatedPool[] = [];
  readonly apiPools: SimulatedPool[] = [];
  readonly #options: IncarnationOptions;
  readonly #stop = new AbortController();
  #metrics: ReturnType<Product['createMetrics']> | undefined;
  #isOver = false;

  constructor(options: IncarnationOptions) {
    this.#options = options;
    this.name = options.name;
    this.host = new Host(options.name, options.life.timeline, options.life.wall + options.skewMs);
  }

  get running(): boolean {
    return !this.#isOver;
  }

  get ending(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Starts the program as src/main.ts does. */
  start(): void {
    const { life, name, argv } = this.#options;
    const { product } = life;
    const parsed = product.parseConfig({ argv, env: {}, version: 'simulated' });
    if (!parsed.ok) throw new Error(parsed.message);
    const redactor = product.createRedactor();
    const write = (line: string): void => {
      if (this.host.alive) life.tell({ what: 'log', process: name, line });
    };
    life.tell({ what: 'process', process: name, did: 'starts', text: argv.join(' ') });
    const metrics = product.createMetrics(() => {});
    this.#metrics = metrics;
    const program = product.runProcess({
      config: parsed.config,
      cluster: {
        server: new URL('https://kubernetes.example.com'),
        namespace: 'pipewright',
        credentials: () =>
          Promise.resolve({ headers: { authorization: `Bearer ${name}` }, tls: TLS }),
        renew: () => Promise.resolve(),
      },
      clock: this.host,
      log: product.createLog({ level: 'info', redactor, destination: { write } }),
      // The figures of this real process are nothing of a simulated one.
      metrics,
      version: 'simulated',
      identity: name,
      guard: redactor.add,
      startServer: () => Promise.resolve({ port: 8080, close: () => Promise.resolve() }),
      stop: this.#stop.signal,
      open: {
        kube: () =>
          this.#open(this.kubePools, {
            peer: 'the API server',
            http: 2,
            server: life.kubernetesSide,
          }),
        api: (origin) =>
          this.#open(this.apiPools, {
            peer: 'the management API',
            http: 1,
            server: life.sideOf(new URL(origin).host),
          }),
      },
    });
    program.then(
      () => this.#end('ended'),
      (error: unknown) =>
        this.#end('failed', error instanceof Error ? error.message : String(error)),
    );
  }

  /** Somebody scrapes its metrics. */
  scrape(): void {
    const { life, name } = this.#options;
    const text = this.#metrics?.render();
    if (text !== undefined) life.tell({ what: 'page', process: name, text });
  }

  /** SIGTERM, and SIGKILL where that was not enough. */
  terminate(): void {
    const { life, name } = this.#options;
    if (this.ending || this.#isOver) return;
    life.tell({ what: 'process', process: name, did: 'told-to-end' });
    life.timeline.at(0, () => this.host.reach(() => this.#stop.abort()));
    life.timeline.quietlyAt(life.world.flags.timeoutSeconds * 1_000 + TERMINATION_MS, () =>
      this.#end('killed'),
    );
  }

  crash(): void {
    this.#end('died');
  }

  freeze(ms: number): void {
    const { life, name } = this.#options;
    this.host.freeze();
    life.tell({ what: 'process', process: name, did: 'frozen' });
    life.after(ms, () => {
      if (this.#isOver) return;
      life.tell({ what: 'process', process: name, did: 'goes-on' });
      this.host.thaw();
    });
  }

  #open(pools: SimulatedPool[], to: Pick<PoolOptions, 'peer' | 'http' | 'server'>): SimulatedPool {
    const { life } = this.#options;
    const pool = new SimulatedPool({
      timeline: life.timeline,
      host: this.host,
      ...to,
      nextId: () => life.nextId(),
    });
    pools.push(pool);
    return pool;
  }

  #end(did: 'ended' | 'failed' | 'killed' | 'died', text?: string): void {
    if (this.#isOver) return;
    this.scrape();
    this.#isOver = true;
    const { life, name, over } = this.#options;
    this.host.die();
    life.kube.watches.cut({ host: name, broken: true });
    life.tell({ what: 'process', process: name, did, ...(text !== undefined && { text }) });
    over();
  }
}
