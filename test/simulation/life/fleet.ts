import type { Focus } from '../adversary/act.ts';
import type { Draw } from '../engine/draw.ts';
import type { SimulatedPool } from '../network/pool.ts';
import { Incarnation } from './incarnation.ts';
import type { Life } from './life.ts';

/** A place for one process, which is filled again when its process has ended. */
interface Place {
  readonly name: string;
  namespaces: readonly string[] | undefined;
  /** How many processes have been here. */
  lives: number;
  present: Incarnation | undefined;
  closed: boolean;
}

/** The operator's processes: what a Deployment and the kubelet make of them. */
export class Fleet {
  readonly #life: Life;
  readonly #places: Place[] = [];
  /** By process: the namespaces that it was started for; undefined: all. */
  readonly #views = new Map<string, readonly string[] | undefined>();
  /** By process: the host of its --api-url. */
  readonly #apiHosts = new Map<string, string>();
  #isStopped = false;
  /** How far wall clocks may be off by now: the sum of all jumps. */
  clocksOffMs = 0;

  constructor(life: Life) {
    this.#life = life;
    const { world } = life;
    const isSharded = world.means.has('shards') && !world.elected && world.namespaces.length > 1;
    if (isSharded) {
      for (const [index, namespace] of world.namespaces.entries())
        this.#addPlace(`shard-${index + 1}`, [namespace]);
    } else {
      this.#addPlace('one', world.flags.namespaces);
      if (world.elected) this.#addPlace('two', world.flags.namespaces);
    }
  }

  start(): void {
    this.#isStopped = false;
    for (const place of this.#places) this.#fill(place);
  }

  /** Every process is told to end, and none follows. */
  stop(): void {
    this.#isStopped = true;
    for (const { present } of this.#places) present?.terminate();
  }

  /** Those that run now. */
  get processes(): Incarnation[] {
    return this.#places.flatMap(({ present }) => present ?? []);
  }

  kubePools(): SimulatedPool[] {
    return this.processes.flatMap(({ kubePools }) => kubePools);
  }

  apiPools(): SimulatedPool[] {
    return this.processes.flatMap(({ apiPools }) => apiPools);
  }

  crash(draw: Draw, focus: Focus): string | undefined {
    const process = this.#aProcess(draw, focus);
    process?.crash();
    return process && `${process.name} dies`;
  }

  terminate(draw: Draw, focus: Focus): string | undefined {
    const process = this.#aProcess(draw, focus);
    if (!process || process.ending) return undefined;
    process.terminate();
    return `${process.name} is told to end`;
  }

  freeze(draw: Draw, focus: Focus): string | undefined {
    const process = this.#aProcess(draw, focus);
    if (!process || process.host.frozen) return undefined;
    const seconds = draw.pick([3, 12, 20, 60]);
    process.freeze(seconds * 1_000);
    return `${process.name} stands still for ${seconds} s`;
  }

  jumpClock(draw: Draw, minutes: number): string | undefined {
    const process = this.#aProcess(draw, {});
    if (!process) return undefined;
    process.host.jumpWall(minutes * 60_000);
    this.clocksOffMs += Math.abs(minutes) * 60_000;
    this.#life.tell({ what: 'process', process: process.name, did: 'clock-jumped' });
    return `the wall clock of ${process.name} jumps by ${minutes} min`;
  }

  /** All but one shard end, and that one starts anew with every namespace. */
  mergeShards(): string | undefined {
    const open = this.#places.filter(({ closed }) => !closed);
    const [first, ...others] = open;
    if (!first || others.length === 0 || this.#life.world.elected) return undefined;
    for (const place of others) {
      place.closed = true;
      place.present?.terminate();
    }
    first.namespaces = this.#life.world.flags.namespaces;
    first.present?.terminate();
    return `the shards are merged into ${first.name}`;
  }

  /** Every process starts anew with another --api-url. */
  moveToOtherApi(): string | undefined {
    if (!this.#life.moveToOtherApi()) return undefined;
    for (const { present } of this.#places) present?.terminate();
    return `the operator gets another --api-url, ${this.#life.apiHost}`;
  }

  /** Whether one process sees the objects of both namespaces. */
  sees(one: string, other: string): boolean {
    return this.#places.some(({ closed, namespaces }) => {
      if (closed) return false;
      return namespaces === undefined || (namespaces.includes(one) && namespaces.includes(other));
    });
  }

  /** Whether a process, of now or before, was to see the objects of a namespace. */
  isSeenBy(process: string, namespace: string): boolean {
    return this.#views.get(process)?.includes(namespace) ?? true;
  }

  /**
   * Which API a process, of now or before, works with: one that is told to end before a move has
   * its last word of the old one.
   */
  apiHostOf(process: string): string {
    return this.#apiHosts.get(process) ?? this.#life.apiHost;
  }

  /** What has stood still goes on. */
  wake(): void {
    for (const { host } of this.processes) if (host.frozen) host.thaw();
  }

  #addPlace(name: string, namespaces: readonly string[] | undefined): void {
    this.#places.push({ name, namespaces, lives: 0, present: undefined, closed: false });
  }

  #aProcess(draw: Draw, { process }: Focus): Incarnation | undefined {
    const { processes } = this;
    return (
      processes.find(({ name }) => name === process) ??
      (processes.length === 0 ? undefined : draw.pick(processes))
    );
  }

  #fill(place: Place): void {
    const life = this.#life;
    if (this.#isStopped || place.closed || place.present) return;
    place.lives += 1;
    const name = `${place.name}-${place.lives}`;
    const draw = life.draw.of(`process/${name}`);
    const incarnation = new Incarnation({
      life,
      name,
      argv: this.#argv(place),
      skewMs: draw.between(-300, 300),
      over: () => {
        place.present = undefined;
        life.after(draw.pick([500, 1_000, 10_000]), () => this.#fill(place));
      },
    });
    place.present = incarnation;
    this.#views.set(name, place.namespaces);
    this.#apiHosts.set(name, life.apiHost);
    life.timeline.at(0, () => incarnation.start());
  }

  #argv({ namespaces }: Place): string[] {
    const { world, apiHost } = this.#life;
    const { rate, timeoutSeconds, cleanupDeadline } = world.flags;
    return [
      `--api-url=https://${apiHost}`,
      `--api-rate=${rate}`,
      `--api-timeout=${timeoutSeconds}s`,
      `--cleanup-deadline=${cleanupDeadline}`,
      `--leader-elect=${world.elected}`,
      ...(world.elected ? ['--leader-elect-namespace=pipewright'] : []),
      ...(namespaces ? [`--namespaces=${namespaces.join(',')}`] : []),
    ];
  }
}
