import { Listing } from '../../../src/kinds/organization/endpoints.ts';
import { API_HASH, an } from '../kinds/objects.ts';
import type { Reply } from '../kinds/process.ts';
import { bad, ok } from '../kinds/replies.ts';
import { at, HOUR, type Metadata, type Seen, Stage, type StageOptions } from '../kinds/stage.ts';
import type { Entry, Status } from '../kinds/status.ts';
import { changed } from '../kinds/wire.ts';
import { e, inventoryOf, type Reported, words } from './endpoints.ts';

/**
 * What the API does about a request; where nothing is said it does what it is asked. A number: that
 * status with an error in JSON, and nothing done; `html`, `page`: 200 or 500
 * without JSON, and nothing done. `lost`:
 * done, and no answer. `unsent`: no byte left. `no-list`, `odd-list`, `no-name`: done, and the
 * reply lacks it. `idle`: taken, and nothing done.
 */
export type Mishap =
  | number
  | 'html'
  | 'page'
  | 'lost'
  | 'unsent'
  | 'no-list'
  | 'odd-list'
  | 'no-name'
  | 'idle';

export interface Wish extends Omit<StageOptions, 'on'> {
  /** Listed in spec, `a b/r2`; undefined: there is no list. */
  readonly ids?: string | undefined;
  readonly spec?: object;
  /** As `inventoryOf` reads it, of an object that was applied an hour ago. */
  readonly inventory?: string;
  readonly status?: Status;
  readonly metadata?: Partial<Metadata>;
  /** What the API has. */
  readonly held?: string;
  readonly name?: string;
  /** By request as in the log, each time the next one; */
  readonly mishaps?: Readonly<Record<string, readonly (Mishap | undefined)[]>>;
  readonly on?: (step: string, organization: Organization) => void;
}

interface Body {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly Reported[];
    readonly remove?: readonly Reported[];
  };
}

/**
 * One Organization and its API, which is scripted. The log has `observe`, `name Acme`, `+a -b`,
 * `save +a -b`, `save`, `finalizer on` in order.
 */
export class Organization {
  readonly stage: Stage;
  readonly id: string;
  held: Reported[];
  name: string | undefined;
  readonly #mishaps: Wish['mishaps'];
  readonly #met = new Map<string, number>();
  #wait = 0;

  constructor(wish: Wish = {}) {
    const { held = '', name = 'Acme', mishaps, on, inventory, metadata = {} } = wish;
    this.held = words(held).map((one) => e(one));
    this.name = name;
    this.#mishaps = mishaps;
    this.stage = new Stage({
      ...wish,
      shown: ({ body = '{}' }) => shortly(JSON.parse(body) as Body),
      api: ({ body = '{}' }) => this.#answer(JSON.parse(body) as Body),
      on: (step) => on?.(step, this),
    });
    const ids = 'ids' in wish ? wish.ids : 'a';
    const privateEndpoints = ids === undefined ? undefined : words(ids).map((one) => e(one));
    const spec = { name: undefined, privateEndpoints, ...wish.spec };
    const known = inventory === undefined ? {} : appliedBefore(inventoryOf(inventory));
    const status = { ...known, ...wish.status };
    this.id = this.stage.put(an('Organization', { spec, status, metadata, name: 'acme' }));
  }

  get status(): Status {
    return this.stage.get(this.id).status ?? {};
  }

  get entries(): readonly Entry[] {
    return this.status.privateEndpoints ?? [];
  }

  /** `observe, save +a, +a`, since the log was emptied. */
  get steps(): string {
    return this.stage.log.join(', ');
  }

  get requests(): string {
    return this.stage.log.filter((step) => !/^(save|finalizer)/.test(step)).join(', ');
  }

  async run(afterMs = 0): Promise<Seen> {
    const seen = await this.stage.run(this.id, afterMs);
    this.#wait = seen.wait ?? 0;
    return seen;
  }

  /** One attempt at the time that the last one has named; the log begins anew. */
  next(): Promise<Seen> {
    this.stage.log.length = 0;
    return this.run(this.#wait);
  }

  #answer(body: Body): Reply {
    const what = shortly(body);
    const nth = this.#met.get(what) ?? 0;
    this.#met.set(what, nth + 1);
    const mishap = this.#mishaps?.[what]?.[nth];
    if (typeof mishap === 'number' || mishap === 'unsent') return bad(mishap);
    if (mishap === 'html') return bad(200);
    if (mishap === 'page') return bad(500, { error: undefined, defect: 'is not JSON' });
    if (mishap !== 'idle') this.#carryOut(body);
    if (mishap === 'lost') return bad('lost');
    const list = mishap === 'odd-list' ? [{ name: 'a' }] : this.held;
    const name = mishap === 'no-name' ? {} : { name: this.name };
    const shown = mishap === 'no-list' ? {} : { privateEndpoints: structuredClone(list) };
    return ok({ ...name, ...shown }, `r-${this.stage.bodies.length}`);
  }

  #carryOut({ name, privateEndpoints: { add = [], remove = [] } = {} }: Body): void {
    if (name !== undefined) this.name = name;
    // What has no change may have an odd list.
    if (add.length + remove.length === 0) return;
    const gone = new Listing(remove);
    this.held = this.held.filter((one) => !gone.find(e(one.id, one)));
    this.held.push(...add);
  }
}

function shortly({ name, privateEndpoints = {} }: Body): string {
  return name === undefined ? changed(privateEndpoints).join(' ') || 'observe' : `name ${name}`;
}

/** As an attempt an hour ago left it, and the time for another one has come. */
export function appliedBefore(privateEndpoints: readonly Entry[]): Status {
  const time = at(-HOUR);
  const requestHash = `sha256:${'0'.repeat(64)}`;
  const says = { reason: 'Pending', message: 'In progress', lastTransitionTime: time };
  return {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'Unknown', observedGeneration: 1, ...says }],
    verified: { time, apiHash: API_HASH },
    applied: { time, generation: 1, requestHash, keys: ['privateEndpoints'] },
    privateEndpoints,
  };
}
