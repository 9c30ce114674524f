import { edit } from '../life/acts.ts';
import type { Life } from '../life/life.ts';
import type { Product } from '../life/product.ts';
import type { Act, Mishap, Point, Script } from '../life/world.ts';
import { compare } from '../oracles/differential.ts';
import { type Lived, live } from '../oracles/live.ts';
import { type Outcome, stateOfApi } from '../oracles/outcome.ts';
import { type FateName, mishapOf, removal } from './fates.ts';
import type { Workload } from './workload.ts';

/** The workload without its mishap. */
interface Plain {
  readonly outcome: Outcome;
  /** Every state that the API went through. */
  readonly states: ReadonlySet<string>;
  /** When each of the calls and writes of the workload left. */
  readonly points: readonly number[];
}

/** What befalls a write and costs no call. */
const FREE: ReadonlySet<FateName> = new Set(['answer lost', 'executed late', 'watch broken']);

/** So long after an act of the workload everything is quiet again. */
const QUIET_MS = 20_000;

/** A sweep over the calls and writes of the workloads, in one copy of the product. */
export class Sweep {
  readonly #product: Product;
  readonly #plain = new Map<string, Promise<Plain>>();

  constructor(product: Product) {
    this.#product = product;
  }

  /** How many calls and writes a workload has. */
  async pointsOf(workload: Workload): Promise<number> {
    return (await this.#plainOf(workload)).points.length;
  }

  async live(
    workload: Workload,
    { point, fate }: { readonly point: number; readonly fate: FateName },
    listen: (life: Life) => void,
  ): Promise<Lived> {
    const plain = await this.#plainOf(workload);
    // A copy with a fault in it may have fewer calls and writes: then nothing befalls it.
    const at = plain.points[point - 1] ?? 0;
    const wanted =
      fate === 'edited' || fate === 'deleted' ? await this.#plainOf(workload, { fate, at }) : plain;
    let count = 0;
    let isFree = false;
    const script: Script = {
      acts: workload.acts,
      mishap: (one) => {
        const given = givenFor(workload, one);
        if (!isSwept(one)) return given;
        count += 1;
        // The call behind a write that was not answered is not repeated.
        if (count === point) isFree = !one.isCall && FREE.has(fate);
        return count === point ? mishapOf(fate, one, workload) : given;
      },
    };
    const lived = await live({ world: workload.world, script, product: this.#product }, listen);
    if (workload.isMeddled) return lived;
    compare(lived.court, wanted.outcome, lived.outcome, {
      puts: isFree ? 0 : 1,
      ...(fate === 'deleted' && { throughStates: statesOf(workload, plain) }),
    });
    return lived;
  }

  /** Lived once for all; with what the user does meanwhile, done in a quiet moment near it. */
  #plainOf(workload: Workload, user?: { fate: 'edited' | 'deleted'; at: number }): Promise<Plain> {
    const last = workload.acts.findLast(({ atMs }) => atMs <= (user?.at ?? 0))?.atMs ?? 0;
    const name = user ? `${workload.name} ${user.fate} after ${last}` : workload.name;
    const known =
      this.#plain.get(name) ?? this.#livePlain(workload, user && actOf(workload, user.fate, last));
    this.#plain.set(name, known);
    return known;
  }

  async #livePlain(workload: Workload, act: Act | undefined): Promise<Plain> {
    const states = new Set<string>();
    const points: number[] = [];
    let timeline: Life['timeline'] | undefined;
    const script: Script = {
      acts: act ? [...workload.acts, act] : workload.acts,
      mishap: (one) => {
        if (isSwept(one)) points.push(timeline?.now ?? 0);
        return givenFor(workload, one);
      },
    };
    const options = { world: workload.world, script, product: this.#product };
    const { outcome, court } = await live(options, (life) => {
      timeline = life.timeline;
      life.chronicle.listen(({ what }) => {
        if (what !== 'done' && what !== 'act' && what !== 'process') return;
        for (const [target, state] of Object.entries(stateOfApi(life)))
          states.add(`${target} ${state}`);
      });
    });
    const [first] = court.violations;
    if (first)
      throw new Error(`${workload.name} without mishaps breaks ${first.rule}: ${first.text}`);
    return { outcome, states, points };
  }
}

function actOf(workload: Workload, fate: 'edited' | 'deleted', afterMs: number): Act {
  const { subject } = workload;
  return {
    id: fate,
    atMs: afterMs + QUIET_MS,
    isMishap: false,
    perform: (life) =>
      fate === 'edited' ? edit(life, subject, workload.edit) : removal(workload)(life),
  };
}

function givenFor({ given }: Workload, { isCall, name }: Point): Mishap | undefined {
  return isCall ? given?.(name) : undefined;
}

/** With RemovePrivateEndpoints nothing of ours is left, but what is adopted depends on when. */
function statesOf({ world }: Workload, { states }: Plain): ReadonlySet<string> {
  const removes = world.objects.every(
    ({ spec }) => spec.deletionPolicy !== undefined && spec.adoptPrivateEndpoints === undefined,
  );
  return new Set([...states].filter((state) => !removes || state.startsWith('name ')));
}

/** Calls, writes of the status and of finalizers. */
function isSwept({ isCall, name }: Point): boolean {
  return isCall || name.startsWith('PUT ') || name.startsWith('PATCH ');
}
