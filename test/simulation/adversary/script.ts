import { Draw } from '../engine/draw.ts';
import { breakWatches, changeAsSomebody, drop, edit, nameOf } from '../life/acts.ts';
import type { Life, Weather } from '../life/life.ts';
import type { Process } from '../life/processes.ts';
import { endpoint, POOL, someEndpoints } from '../life/specs.ts';
import type { Act, Mishap, ObjectDraft, Point, Script, World } from '../life/world.ts';
import { drawAnswer, drawCallMishap, drawEnd, drawKubeMishap } from './mishaps.ts';
import { type Deed, drawSecretDeed, drawUserDeed } from './users.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** How busy the adversary of a life is. */
interface Odds {
  readonly call: number;
  readonly kube: number;
  readonly end: number;
  /** Somebody acts in the midst of a call or write, on what it is about. */
  readonly midst: number;
}

/** What a seed has happen, without what befalls the operator, or with it. */
export class DrawnScript implements Script {
  readonly acts: readonly Act[];
  /**
   * Others keep off what our objects declare, and nobody acts in the midst of a request: so the
   * life must end as it does without mishaps.
   */
  readonly isApart: boolean;
  readonly #world: World;
  readonly #odds: Odds | undefined;

  constructor(world: World, { isPlain }: { readonly isPlain: boolean }) {
    const draw = new Draw(`${world.seed}/script`);
    this.#world = world;
    this.isApart = draw.chance(0.5);
    const call = draw.pick([0, 0.05, 0.15]);
    const kube = draw.pick([0, 0.03, 0.1]);
    const end = draw.pick([0, 0.02, 0.06]);
    const midst = this.isApart ? 0 : draw.pick([0, 0.05, 0.15]);
    this.#odds = isPlain ? undefined : { call, kube, end, midst };
    const acts = drawActs(draw.of('acts'), world, this.isApart);
    this.acts = isPlain ? acts.filter(({ isMishap }) => !isMishap) : acts;
  }

  mishap(point: Point): Mishap | undefined {
    if (!this.#odds) return undefined;
    const { call, kube, end, midst } = this.#odds;
    const draw = new Draw(`${this.#world.seed}/${point.name}`);
    if (draw.chance(end)) return drawEnd(draw, point);
    if (draw.chance(midst)) return this.#meddle(draw, point);
    if (!draw.chance(point.isCall ? call : kube)) return undefined;
    const { timeoutSeconds } = this.#world.flags;
    return point.isCall ? drawCallMishap(draw, timeoutSeconds) : drawKubeMishap(draw);
  }

  /** Somebody could not have timed it better. */
  #meddle(draw: Draw, { about }: Point): Mishap | undefined {
    const { objects } = this.#world;
    const held = objects.find((one) => nameOf(one) === about || targetHas(about, one));
    if (!held) return undefined;
    const when = draw.pick(['leaves', 'done'] as const);
    const isOther = held.plural === 'organizations' && draw.chance(0.4);
    const deed = isOther
      ? drawOtherDeed(draw, String(held.spec.organizationId), false)
      : draw.chance(0.2)
        ? (life: Life) => drop(life, held)
        : held.plural === 'organizations'
          ? editList(draw, held)
          : drawUserDeed(draw, held);
    return {
      text: `meanwhile somebody acts on ${nameOf(held)}`,
      acts: { when, run: (life) => life.act(`midst of ${about}`, deed) },
    };
  }
}

function editList(draw: Draw, held: ObjectDraft): Deed {
  const privateEndpoints = someEndpoints(draw);
  return (life) => edit(life, held, { privateEndpoints });
}

function targetHas(about: string, { spec, plural }: ObjectDraft): boolean {
  if (plural === 'organizations') return about === `organization ${String(spec.organizationId)}`;
  return about.startsWith('pipe ') && about.endsWith(`/${String(spec.pipeId)}`);
}

function drawActs(draw: Draw, world: World, isApart: boolean): Act[] {
  const acts: Act[] = [];
  const add = (
    id: string,
    count: number,
    isMishap: boolean,
    drawDeed: (mine: Draw) => Deed,
  ): void => {
    for (let number = 1; number <= count; number += 1) {
      const mine = draw.of(`${id} ${number}`);
      const atMs = mine.between(5 * SECOND, world.restAt - 3 * MINUTE);
      acts.push({ id: `${id} ${number}`, atMs, isMishap, perform: drawDeed(mine) });
    }
  };
  add('user', draw.between(0, 6), false, (mine) => drawUserDeed(mine, mine.pick(world.objects)));
  add('secret', draw.chance(0.3) ? draw.between(1, 2) : 0, false, (mine) =>
    drawSecretDeed(mine, mine.pick(world.keys)),
  );
  add('other', draw.chance(0.5) ? draw.between(1, 4) : 0, false, (mine) =>
    drawOtherDeed(mine, mine.pick(world.organizations).id, isApart),
  );
  add('mishap', draw.chance(0.7) ? draw.between(1, 5) : 0, true, drawWeather);
  return acts.sort((a, b) => a.atMs - b.atMs);
}

/** What another client of the API does to an organization. */
function drawOtherDeed(draw: Draw, id: string, isApart: boolean): Deed {
  const theirs = isApart ? endpoint(`theirs-${draw.between(5, 9)}`) : draw.pick(POOL);
  switch (draw.weighted({ adds: 4, removes: 4, renames: isApart ? 0 : 2 })) {
    case 'adds':
      return (life) => changeAsSomebody(life, id, { add: [theirs] });
    case 'removes':
      return (life) => changeAsSomebody(life, id, { remove: [theirs] });
    case 'renames': {
      const name = `Theirs ${draw.between(1, 99)}`;
      return (life) => changeAsSomebody(life, id, { name });
    }
  }
}

/** What becomes of processes and servers for a while. */
function drawWeather(draw: Draw): Deed {
  const seconds = draw.pick([2, 12, 30, 90]);
  const spoils = (text: string, what: Partial<Weather>): Deed => {
    return (life) => {
      life.spoil(seconds * SECOND, what);
      return `${text} for ${seconds} s`;
    };
  };
  switch (draw.weighted({ dies: 5, ends: 3, freezes: 5, watches: 4, kube: 10, api: 8 })) {
    case 'dies':
      return onProcess(draw, 'dies', (one) => one.crash());
    case 'ends':
      return onProcess(draw, 'gets SIGTERM', (one) => one.terminate());
    case 'freezes':
      return onProcess(draw, `stands still for ${seconds} s`, (one) =>
        one.freeze(seconds * SECOND),
      );
    case 'watches':
      return breakWatches;
    case 'kube':
      return draw.pick([
        spoils('the API server is slow', { kubeSlowMs: draw.pick([1, 3, 6]) * SECOND }),
        spoils('the API server is away', { kubeIsDown: true }),
        spoils('the API server only refuses', { kubeAnswers: draw.pick([500, 429]) }),
      ]);
    case 'api': {
      const { text, answer } = drawAnswer(draw);
      const away = spoils('the API refuses connections', { apiIsDown: true });
      return draw.chance(0.4) ? away : spoils(`everything is ${text}`, { apiAnswers: answer });
    }
  }
}

function onProcess(draw: Draw, text: string, run: (one: Process) => void): Deed {
  return (life) => {
    const [one] = draw.some(life.processes.all, 1);
    if (one) run(one);
    return one && `${one.name} ${text}`;
  };
}
