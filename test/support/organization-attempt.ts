import type { Reply } from '../../src/api/reply.ts';
import { judge } from '../../src/api/verdict.ts';
import type { Context, Result } from '../../src/controller/kind.ts';
import type { Priority } from '../../src/controller/queue.ts';
import { attempt } from '../../src/kinds/organization/attempt.ts';
import { cleanupGoal, type Goal, goalOf } from '../../src/kinds/organization/decide.ts';
import { type Reported, sameKey, type Tuple } from '../../src/kinds/organization/endpoints.ts';
import { Ways } from '../../src/kinds/organization/remote.ts';
import type {
  Organization,
  OrganizationSpec,
  OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import type { Setup, Wish } from '../../src/kinds/organization/work.ts';
import type { Answer, Calls, NoCall } from '../../src/kinds/shared/calls.ts';
import { API_HASH, BASE_URL, T0 } from './objects.ts';
import { e } from './organization-entries.ts';
import { type Body, changes, shortly } from './patch-body.ts';
import { SETTLE_MS } from './settlement.ts';

/**
 * What the API does about a request; where nothing is said it does what it is asked. A number: that
 * status with an error in JSON, and nothing done.
 */
export type Mishap =
  | number
  /** Done perhaps, and no JSON. */
  | { readonly html: number }
  /** Done, and no answer. */
  | 'lost'
  /** Not one byte left. */
  | 'not-sent'
  /** Done, and the reply has no list. */
  | 'no-list'
  /** The same, and the reply has no name. */
  | 'no-name'
  /** The same, and the list is no list. */
  | 'odd-list'
  /** Taken, and nothing done. */
  | 'idle';

const UNDONE: ReadonlySet<unknown> = new Set(['not-sent', 'idle']);

export interface AttemptWish {
  readonly ids?: readonly string[] | undefined;
  readonly spec?: Partial<OrganizationSpec>;
  readonly status?: OrganizationStatus;
  readonly metadata?: Partial<Organization['metadata']>;
  /** Being deleted: none of ours. */
  readonly isCleanup?: boolean;
  readonly name?: string;
  readonly held?: readonly (string | Reported)[];
  /** By request in short, as in the log; each time the next one, `undefined`: none. */
  readonly mishaps?: Readonly<Record<string, readonly (Mishap | undefined)[]>>;
  /** Asked at each step, which is in the log already. */
  readonly on?: (step: string, rig: AttemptRig) => void;
  readonly permits?: (nth: number) => NoCall | undefined;
  readonly saves?: (nth: number) => boolean;
  readonly finalizer?: boolean;
  readonly priority?: Priority;
}

/**
 * Attempts of one Organization on an API that is scripted, one step after another. The log has
 * `permit`, `observe`, `name Acme`, `+a -b`, `save +a -b`, `save`, `finalizer` in order.
 */
export class AttemptRig {
  readonly log: string[] = [];
  readonly bodies: string[] = [];
  readonly saved: OrganizationStatus[] = [];
  readonly emitted: string[] = [];
  readonly goal: Goal;
  object: Organization;
  now = T0;
  isWanted = true;
  pausedAt = 0;
  held: Reported[];
  name: string | undefined;
  readonly #wish: AttemptWish;
  readonly #spec: OrganizationSpec;
  readonly #setup = {
    kind: { api: { baseUrl: BASE_URL } },
    apiHash: API_HASH,
    settleMs: SETTLE_MS,
    ways: new Ways(),
  } as unknown as Setup;
  #hasPermit = true;
  readonly #met = new Map<string, number>();

  constructor(wish: AttemptWish) {
    this.#wish = wish;
    this.held = (wish.held ?? []).map((one) => (typeof one === 'string' ? e(one) : one));
    this.name = wish.name;
    const { ids = 'ids' in wish ? wish.ids : ['a'] } = wish;
    this.#spec = {
      organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
      credentialsSecretRef: { name: 'api' },
      ...(ids && { privateEndpoints: ids.map((id) => e(id)) }),
      ...wish.spec,
    };
    this.goal = wish.isCleanup ? cleanupGoal(this.#spec, []) : goalOf(this.#spec);
    this.object = {
      metadata: {
        name: 'acme',
        namespace: 'ingest',
        uid: 'uid-1',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: '2026-03-01T11:00:00Z',
        ...wish.metadata,
      },
      spec: this.#spec,
      ...(wish.status && { status: wish.status }),
    };
  }

  get steps(): string[] {
    return this.log.filter((step) => step !== 'permit');
  }

  /** The requests alone. */
  get requests(): string[] {
    return this.steps.filter((step) => !/^(save|finalizer)/.test(step));
  }

  /** One attempt. Its status stands after that, as the engine would write it. */
  async run(): Promise<{ readonly did: string; readonly result: Result }> {
    const began = this.object;
    this.#hasPermit = true;
    const wish: Wish = {
      began,
      context: this.context(),
      calls: this.calls(),
      goal: this.goal,
      priority: this.#wish.priority ?? 'scheduled',
      stillWanted: () => this.isWanted,
    };
    const result = await attempt(this.#setup, wish);
    const status = stored(result.status);
    this.object = { ...this.object, status };
    return { did: result.did, result: { ...result, status } };
  }

  #step(step: string): void {
    this.log.push(step);
    this.#wish.on?.(step, this);
  }

  #nth(what: string): number {
    const nth = this.#met.get(what) ?? 0;
    this.#met.set(what, nth + 1);
    return nth;
  }

  context(): Context<Organization> {
    return {
      now: () => this.now,
      object: () => this.object,
      stillWanted: () => this.isWanted,
      onUnwanted: () => undefined,
      parked: (wait) => wait(),
      emit: (event) => void this.emitted.push(event.reason),
      save: async (status: OrganizationStatus) => {
        const stands = this.#wish.saves?.(this.#nth('save')) ?? true;
        if (stands) this.object = { ...this.object, status: stored(status) };
        this.saved.push(stored(status));
        this.#step(['save', ...changes(status.pendingChange)].join(' '));
        return stands;
      },
      finalizer: async (name, present) => {
        const isDone = this.#wish.finalizer ?? true;
        const finalizers = present ? [name] : [];
        const metadata = { ...this.object.metadata, finalizers };
        if (isDone) this.object = { ...this.object, metadata };
        this.#step('finalizer');
        return isDone;
      },
    };
  }

  calls(): Calls {
    return {
      permit: async () => {
        if (this.#hasPermit) return undefined;
        const refused = this.#wish.permits?.(this.#nth('permit'));
        this.#step('permit');
        const none = refused ?? (this.isWanted ? undefined : { type: 'not-wanted' });
        this.#hasPermit = none === undefined;
        return none;
      },
      send: async (request, isTooLate) => {
        this.#hasPermit = false;
        if (isTooLate?.()) return { type: 'called-off' };
        this.bodies.push(request.body ?? '');
        return this.#answer(JSON.parse(request.body ?? '') as Body, request);
      },
      pausedSince: (time) => this.pausedAt >= time,
      end: () => undefined,
    };
  }

  #answer(body: Body, { write }: { readonly write: boolean }): Answer {
    const what = shortly(body);
    const sentAt = this.now;
    const mishap = this.#wish.mishaps?.[what]?.[this.#nth(what)];
    if (typeof mishap !== 'number' && !UNDONE.has(mishap)) this.#carryOut(body);
    this.#step(what);
    const verdict = judge(this.#reply(mishap), { write, of: 'organization' });
    if (verdict.ok) return { type: 'success', verdict, sentAt };
    return { type: 'failure', verdict, ...(mishap !== 'not-sent' && { sentAt }) };
  }

  #reply(mishap: Mishap | undefined): Reply {
    if (mishap === 'lost' || mishap === 'not-sent')
      return { answered: false, sent: mishap === 'lost', cause: 'connection reset' };
    const requestId = `r-${this.requests.length}`;
    const base = { answered: true, requestId } as const;
    if (typeof mishap === 'number') return { ...base, httpStatus: mishap, error: `no ${mishap}` };
    if (typeof mishap === 'object')
      return { ...base, httpStatus: mishap.html, defect: 'is not JSON' };
    const odd = mishap === 'odd-list' ? [{ name: 'a' }] : undefined;
    const privateEndpoints = mishap === 'no-list' ? undefined : (odd ?? this.held);
    const result = { name: mishap === 'no-name' ? undefined : this.name, privateEndpoints };
    return { ...base, httpStatus: 200, result };
  }

  #carryOut({ name, privateEndpoints: { add = [], remove = [] } = {} }: Body): void {
    if (name !== undefined) this.name = name;
    const gone = new Set(remove.map(sameKey));
    this.held = this.held.filter((one) => !gone.has(sameKey(e(one.id, one as Partial<Tuple>))));
    this.held.push(...add);
  }
}

export const attemptOn = (wish: AttemptWish): AttemptRig => new AttemptRig(wish);

/** As it is on the wire: JSON has no undefined. */
function stored(status: object = {}): OrganizationStatus {
  return JSON.parse(JSON.stringify(status)) as OrganizationStatus;
}
