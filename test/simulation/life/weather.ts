import type { CallBehaviour } from '../../simulator/types.ts';
import { Draw, fractionFor } from '../engine/draw.ts';
import type { Change } from '../kubernetes/objects.ts';
import { Refusal } from '../kubernetes/refusal.ts';
import type { WatchWeather } from '../kubernetes/watches.ts';
import type { Crossing, Fate, WireReply } from '../network/wire.ts';
import type { ApiCall } from '../record/facts.ts';
import type { Life } from './life.ts';
import {
  type ApiFault,
  drawApiFate,
  drawApiFault,
  drawGlitch,
  drawKubeFate,
  type Glitch,
} from './mishaps.ts';
import { behaviourOf } from './traits.ts';

/** For how long something is as it is, and for whom. */
export interface Episode<What> {
  readonly id: string;
  readonly what: What;
  readonly until: number;
}

/** An answer of the API server's own trouble. */
export type KubeTrouble = 500 | 429 | 503;

/** Of the answers in place of the work, how many show the key of the caller. */
const TROUBLE_SHOWS_KEY = 0.2;
const PLAIN_KUBE_MS = 1.5;
const PLAIN_API_MS = 12;

/**
 * What lies between the operator and its two servers: how long everything takes, what gets lost on
 * the way, and when one of them is not itself. Every mishap has a name of its own, so that a story
 * can do without it.
 */
export class Weather implements WatchWeather {
  readonly #life: Life;
  readonly #numbers = new Map<string, number>();
  readonly #seed: number;
  kubeIsDown = false;
  apiIsDown = false;
  kubeTrouble: Episode<KubeTrouble> | undefined;
  apiTrouble: Episode<ApiFault> | undefined;
  /**
   * Seconds that the API server takes for everything but Leases, which have a lane of their own.
   */
  kubeSlow: Episode<number> | undefined;
  /** Seconds that every watch lags behind. */
  lag: Episode<number> | undefined;

  constructor(life: Life) {
    this.#life = life;
    this.#seed = new Draw(`${life.world.seed}/weather`).bits();
  }

  /** Everything works from now on. */
  clear(): void {
    if (this.apiIsDown) this.#life.lastDownAt = this.#life.timeline.now;
    this.kubeIsDown = false;
    this.apiIsDown = false;
    this.kubeTrouble = undefined;
    this.apiTrouble = undefined;
    this.kubeSlow = undefined;
    this.lag = undefined;
  }

  lagMs(host: string, { revision }: Change): number {
    const base = 1 + 10 * fractionFor(this.#seed, `lag ${host} ${revision}`);
    const { lag } = this;
    return Math.round(
      base +
        (lag && this.#isOn(lag) ? lag.what * 1_000 * fractionFor(this.#seed, `${revision}`) : 0),
    );
  }

  apiConnectMs(): number | undefined {
    return this.apiIsDown ? undefined : PLAIN_API_MS;
  }

  kubeFate({ request }: Crossing): Fate {
    const name = this.#number(`${request.method} ${request.path.split('?')[0]}`);
    const isLease = request.path.includes('/leases');
    const plain = this.#plain(`kube ${name}`, PLAIN_KUBE_MS);
    const slow = this.kubeSlow;
    if (slow && !isLease && this.#isOn(slow)) return { ...plain, thereMs: slow.what * 1_000 };
    if (!this.#mayHappen('kube faults')) return plain;
    if (
      fractionFor(this.#seed, `kube fault ${name}`) >=
      this.#life.odds.kubeFault * (isLease ? 0.1 : 1)
    )
      return plain;
    const { fate, text } = drawKubeFate(this.#draw(name), plain);
    return this.#happens(`fate of ${name}`, `${name}: ${text}`) ? fate : plain;
  }

  /** What the API server answers in place of the work. */
  kubeRefusal(_crossing: Crossing): WireReply | undefined {
    const trouble = this.kubeTrouble;
    if (!trouble || !this.#isOn(trouble)) return undefined;
    const refusal = new Refusal(trouble.what, 'InternalError', 'the server has trouble of its own');
    const headers = {
      'content-type': 'application/json',
      ...(trouble.what === 429 && { 'retry-after': '1' }),
    };
    return { status: trouble.what, headers, body: JSON.stringify(refusal.body()) };
  }

  apiFate(call: ApiCall): Fate {
    const name = this.#number(nameOf(call));
    const plain = this.#plain(`api ${name}`, PLAIN_API_MS);
    if (!this.#mayHappen('api faults')) return plain;
    if (fractionFor(this.#seed, `api fault ${name}`) >= this.#life.odds.apiFault) return plain;
    const { fate, text } = drawApiFate(
      this.#draw(name),
      plain,
      this.#life.world.flags.timeoutSeconds * 1_000,
    );
    return this.#happens(`fate of ${name}`, `${name}: ${text}`) ? fate : plain;
  }

  /** What the API answers in place of the result, or on top of the work. */
  apiFault(call: ApiCall): ApiFault | undefined {
    const trouble = this.apiTrouble;
    if (trouble && this.#isOn(trouble))
      return withOwnWait(trouble.what, this.#draw(this.#number(`wait of ${nameOf(call)}`)));
    const name = this.#number(`answer to ${nameOf(call)}`);
    if (!this.#mayHappen('api faults') || fractionFor(this.#seed, name) >= this.#life.odds.apiFault)
      return undefined;
    const fault = drawApiFault(this.#draw(name));
    return this.#happens(name, `${name}: ${describe(fault)}`) ? fault : undefined;
  }

  /**
   * How the operations behave for this call: as its target always does, and now and then otherwise
   * for once.
   */
  behaviourFor(call: ApiCall): Omit<Glitch, 'text'> {
    const { organizations, pipes } = this.#life.world;
    const organization = organizations.find(({ id }) => call.target === `organization ${id}`);
    const pipe = pipes.find(
      ({ pipeId }) => call.target.startsWith('pipe ') && call.target.endsWith(`/${pipeId}`),
    );
    const always: CallBehaviour = {
      organization: behaviourOf(organization?.traits ?? []),
      settings: behaviourOf(pipe?.traits ?? []),
    };
    const name = this.#number(`glitch of ${nameOf(call)}`);
    if (!this.#mayHappen('glitches') || fractionFor(this.#seed, name) >= this.#life.odds.glitch)
      return { behaviour: always };
    const { behaviour, text, showsKey = false } = drawGlitch(this.#draw(name), call.target);
    if (!this.#happens(name, `${name}: ${text}`)) return { behaviour: always };
    return {
      behaviour: {
        organization: { ...always.organization, ...behaviour.organization },
        settings: { ...always.settings, ...behaviour.settings },
      },
      showsKey,
    };
  }

  /** Whether an answer of trouble has the key of its caller in it. */
  troubleShowsKey(call: ApiCall): boolean {
    const name = this.#number(`key in the answer to ${nameOf(call)}`);
    if (!this.#mayHappen('glitches') || fractionFor(this.#seed, name) >= TROUBLE_SHOWS_KEY)
      return false;
    return this.#happens(name, `${name}: the answer shows the key of the caller`);
  }

  #plain(name: string, ms: number): Fate {
    const half = (which: string): number =>
      Math.ceil(ms * (0.5 + fractionFor(this.#seed, `${which} ${name}`)) * 8) / 8;
    return { thereMs: half('there'), backMs: half('back') };
  }

  #mayHappen(means: Parameters<Life['uses']>[0]): boolean {
    return this.#life.uses(means) && !this.#life.resting;
  }

  /** Whether it happens in this telling of the story. */
  #happens(id: string, text: string): boolean {
    if (!this.#life.may(id)) return false;
    this.#life.tell({ what: 'act', id, text });
    return true;
  }

  #draw(name: string): Draw {
    return new Draw(`${this.#life.world.seed}/${name}`);
  }

  /**
   * The name of one of many that are alike: what is left out of a story does not rename the others.
   */
  #number(name: string): string {
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return `${name} #${number}`;
  }

  #isOn({ until }: Episode<unknown>): boolean {
    return this.#life.timeline.now < until;
  }
}

/** In a time of trouble each answer asks for a wait of its own. */
function withOwnWait(fault: ApiFault, draw: Draw): ApiFault {
  return fault.headers
    ? { ...fault, headers: { 'retry-after': String(draw.pick([1, 5, 30, 120])) } }
    : fault;
}

function nameOf({ method, target }: ApiCall): string {
  return `${method} ${target}`;
}

function describe({ status, applied, body }: ApiFault): string {
  return `${status}${applied ? ', although the work is done' : ''}${body === undefined || body === 'envelope' ? '' : `, body: ${body}`}`;
}
