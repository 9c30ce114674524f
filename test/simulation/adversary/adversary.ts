import { Draw, fractionFor } from '../engine/draw.ts';
import type { Life } from '../life/life.ts';
import type { Crossing } from '../network/wire.ts';
import type { ApiCall } from '../record/facts.ts';
import { specOf, targetOfSpec } from '../record/objects.ts';
import type { Act, Focus } from './act.ts';
import { apiActs } from './api.ts';
import { clusterActs } from './cluster.ts';
import { processActs } from './processes.ts';
import { secretActs } from './secrets.ts';
import { userActs } from './users.ts';

/** Where between two events of a call somebody may act. */
export type Phase = 'leaves' | 'arrives' | 'done' | 'answered';

const ACTS: readonly Act[] = [
  ...userActs,
  ...secretActs,
  ...apiActs,
  ...clusterActs,
  ...processActs,
];
/** What is worth doing in the very midst of a call. */
const MIDST: ReadonlySet<string> = new Set([
  'edit',
  'suspend',
  'delete',
  'make anew',
  'ask for a try',
  'other adds',
  'other removes',
  'other renames',
  'crash',
  'terminate',
  'drain',
  'freeze',
  'secret changes',
  'record purged',
  'cut watches',
  'slow server',
]);

/**
 * Everybody but the operator: acts at times drawn beforehand, in bursts, and in the midst of calls.
 */
export class Adversary {
  readonly #life: Life;
  readonly #seed: number;
  readonly #numbers = new Map<string, number>();

  constructor(life: Life) {
    this.#life = life;
    this.#seed = new Draw(`${life.world.seed}/hops`).bits();
  }

  /** Sets the times of the acts; each is drawn when its time has come, from what is there then. */
  begin(): void {
    const { world, timeline } = this.#life;
    const draw = new Draw(`${world.seed}/acts`);
    const bursts = Array.from({ length: draw.between(2, 8) }, () =>
      draw.between(5_000, world.restAt - 60_000),
    );
    const count = world.isDense ? draw.between(20, 50) : draw.between(4, 30);
    for (let index = 1; index <= count; index += 1) {
      const id = `act ${index}`;
      const mine = draw.of(id);
      const spread = mine.pick([100, 3_000, 3_000, 30_000, 120_000]);
      const at = Math.min(mine.pick(bursts) + mine.between(0, spread), world.restAt - 1);
      timeline.quietlyAt(at, () => void this.#act(id, mine, ACTS, {}));
    }
  }

  /**
   * A call is between two events: here somebody may act who could not have timed it better, and be
   * heard of before its answer is.
   */
  hop(phase: Phase, crossing: Crossing, call?: ApiCall): number {
    const life = this.#life;
    if (life.resting || life.odds.hop === 0) return 0;
    const focus = call ? { target: call.target, process: call.process } : this.#focusOf(crossing);
    if (!focus) return 0;
    const name = `${phase} ${crossing.request.method} ${crossing.request.path.split('?')[0]}`;
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    const id = `${name} #${number}`;
    if (fractionFor(this.#seed, id) >= life.odds.hop) return 0;
    const acts = ACTS.filter((act) => MIDST.has(act.name));
    const draw = new Draw(`${life.world.seed}/${id}`);
    const hasActed = this.#act(`when ${id}`, draw, acts, focus);
    return hasActed ? draw.of('held up').pick([0, 50, 3_000]) : 0;
  }

  /** Of the requests to the API server, those that something hangs on. */
  #focusOf({ host, request }: Crossing): Focus | undefined {
    const [path = ''] = request.path.split('?');
    if (path.includes('/secrets/')) return { process: host };
    if (request.method !== 'PUT' && request.method !== 'PATCH') return undefined;
    const [, namespace = '', plural = '', name = ''] =
      /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    const stored = this.#life.stored(plural, namespace, name);
    return stored && { process: host, target: targetOfSpec(plural, specOf(stored)) };
  }

  #act(id: string, draw: Draw, acts: readonly Act[], focus: Focus): boolean {
    const life = this.#life;
    if (life.resting || !life.may(id)) return false;
    const possible = acts.filter(({ means }) => life.uses(means));
    if (possible.length === 0) return false;
    const weights = Object.fromEntries(possible.map(({ name, weight }) => [name, weight]));
    const name = draw.weighted(weights);
    const act = possible.find((one) => one.name === name);
    const text = act?.perform(life, draw, focus);
    if (text !== undefined) life.tell({ what: 'act', id, text });
    return text !== undefined;
  }
}
