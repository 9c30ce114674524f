import { API_HASH, an, at, HOUR, type Status, type Wanted } from '../kinds/objects.ts';
import { bad, ok, patchOf, type Reply } from '../kinds/process.ts';
import { type Seen, Stage, type StageOptions } from '../kinds/stage.ts';
import { all, e, inventoryOf, listing, type Reported, type Tuple, words } from './endpoints.ts';

/** What is given, as `read` reads it, and what no text says. */
export interface Wish extends StageOptions, Pick<Wanted, 'spec' | 'status' | 'metadata'> {
  readonly given?: string;
}

const VERBS = /^(?:lists|no|declares|adopts|removes|cap|has|named|ours|knows)?$/;
const MET = /^(?:\d{3}|html|page|lost|unsent|no-list|odd-list|idle)…?$/;

/**
 * `lists a b/r2` in spec (without it: a), or `no list`; `declares Acme`; `adopts`; `removes` with
 * itself what is its own; `cap 0`. The API `has a`, and is `named Old`. Applied an hour ago, with
 * `ours a b`, or an inventory that `knows a Added Missing, b Found Present`, or `knows` nothing.
 *
 * `+a -b: 422 lost`: what the API does about such a request, each time the next one, the last for
 * ever where there is a `…`; where nothing is said it does what it is asked. A number: that status
 * with an error in JSON, and nothing done; `html`, `page`: 200 or 500 without JSON, and
 * nothing done. `lost`: done, and no answer. `unsent`: no byte left. `no-list`, `odd-list`: done,
 * and the reply lacks it. `idle`: taken, and nothing done.
 */
function read(given: string) {
  const said = new Map<string, string>();
  const mishaps: Record<string, readonly string[]> = {};
  for (const part of given.split(';').map((one) => one.trim())) {
    const [step = '', met] = part.split(': ');
    const [verb = '', ...more] = part.split(' ');
    const unknown =
      met === undefined ? !VERBS.test(verb) : words(met).some((one) => !MET.test(one));
    if (unknown) throw new Error(`"${part}" says nothing of an Organization`);
    if (met === undefined) said.set(verb, more.join(' '));
    else mishaps[step] = words(met);
  }
  const ours = said.get('ours');
  const known = ours === undefined ? said.get('knows') : words(ours).map(asOurs).join();
  const cap = said.get('cap');
  return {
    spec: {
      name: said.get('declares'),
      privateEndpoints: said.has('no') ? undefined : all(said.get('lists') ?? 'a'),
      adoptPrivateEndpoints: said.has('adopts') || undefined,
      deletionPolicy: said.has('removes') ? 'RemovePrivateEndpoints' : undefined,
      maxPrivateEndpointRemovals: cap === undefined ? undefined : Number(cap),
    },
    held: all(said.get('has') ?? ''),
    name: said.get('named') ?? 'Acme',
    inventory: known === undefined ? undefined : inventoryOf(known),
    mishaps,
  };
}
const asOurs = (id: string) => `${id} Added Present`;

interface Body {
  readonly name?: string;
  readonly privateEndpoints?: { readonly [How in 'add' | 'remove']?: readonly Reported[] };
}

/**
 * One Organization and its API, which is scripted. The log has `observe`, `name Acme`, `+a -b`,
 * `save +a -b`, `save`, `finalizer on` in order.
 */
export class Organization {
  readonly stage: Stage;
  readonly id: string;
  held: Reported[];
  name: string;
  readonly #mishaps: Readonly<Record<string, readonly string[]>>;
  readonly #met = new Map<string, number>();
  #wait = 0;

  constructor(wish: Wish | string = {}) {
    const whole: Wish = typeof wish === 'string' ? { given: wish } : wish;
    const { given = '', metadata = {}, ...more } = whole;
    const { spec, held, name, inventory, mishaps } = read(given);
    this.held = held;
    this.name = name;
    this.#mishaps = mishaps;
    this.stage = new Stage({
      ...more,
      api: (request, nth) =>
        more.api?.(request, nth) ?? this.#answer(JSON.parse(request.body ?? '{}') as Body),
    });
    const status = { ...(inventory && appliedBefore(inventory)), ...more.status };
    const wanted = { name: 'acme', spec: { ...spec, ...more.spec }, status, metadata };
    this.id = this.stage.put(an('Organization', wanted));
  }

  get status(): Status {
    return this.stage.get(this.id).status ?? {};
  }

  get entries(): NonNullable<Status['privateEndpoints']> {
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
    const mishap = this.#mishap(patchOf(body));
    if (/^\d+$/.test(mishap)) return bad(Number(mishap));
    if (mishap === 'unsent') return bad(mishap);
    if (mishap === 'html') return bad(200);
    if (mishap === 'page') return bad(500, { error: undefined, defect: 'is not JSON' });
    if (mishap !== 'idle') this.#carryOut(body);
    if (mishap === 'lost') return bad(mishap);
    const list = mishap === 'odd-list' ? [{ name: 'a' }] : this.held;
    const shown = mishap === 'no-list' ? {} : { privateEndpoints: structuredClone(list) };
    return ok({ name: this.name, ...shown }, `r-${this.stage.bodies.length}`);
  }

  #mishap(step: string): string {
    const nth = this.#met.get(step) ?? 0;
    this.#met.set(step, nth + 1);
    const met = this.#mishaps[step] ?? [];
    const last = met.at(-1) ?? '';
    return (met[nth] ?? (last.endsWith('…') ? last : '')).replace('…', '');
  }

  #carryOut({ name, privateEndpoints: { add = [], remove = [] } = {} }: Body): void {
    if (name !== undefined) this.name = name;
    // What has no change may have an odd list.
    if (add.length + remove.length === 0) return;
    const gone = listing(remove);
    this.held = this.held.filter((one) => !gone.find({ ...e(''), ...one } as Tuple));
    this.held.push(...add);
  }
}

/** As an attempt an hour ago left it, and the time for another one has come. */
export function appliedBefore(privateEndpoints: Status['privateEndpoints'] = []): Status {
  const time = at(-HOUR);
  const says = { reason: 'Pending', message: 'In progress', lastTransitionTime: time };
  return {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'Unknown', observedGeneration: 1, ...says }],
    verified: { time, apiHash: API_HASH },
    applied: { time, generation: 1, requestHash: API_HASH, keys: ['privateEndpoints'] },
    privateEndpoints,
  };
}
