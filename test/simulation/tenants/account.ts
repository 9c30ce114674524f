import type { Thing } from '../kubernetes/objects.ts';
import type { Life } from '../life/life.ts';
import type { ApiCall, KubeAsk } from '../record/facts.ts';
import { specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import { B, OF_A } from './world.ts';

/** A call that has left. */
export interface Left {
  readonly text: string;
  readonly at: number;
}

/** What a life has come to for B, in words that two lives can have in common. */
export interface Account {
  /** By name: B's objects, as they stand at the end. */
  readonly objects: ReadonlyMap<string, string>;
  /** By name: what the management API has of B's. */
  readonly api: ReadonlyMap<string, string>;
  /** By target: the calls with a key of B, in their order, and when each left. */
  readonly calls: ReadonlyMap<string, readonly Left[]>;
  /** By object: for which reasons there were events. */
  readonly events: ReadonlyMap<string, string>;
}

/** Fields that are another in each life: versions, and digests of replies that have times in them. */
const OF_ONE_LIFE: ReadonlySet<string> = new Set(['secretResourceVersion', 'responseHash']);

/** Where nobody is proven yet, whoever is older is let try first: B says so, and that it is over. */
const OF_COURTESY: ReadonlySet<string> = new Set(['TargetConflict', 'Applied']);

interface EventView {
  readonly reason?: string;
  readonly regarding?: { readonly kind?: string; readonly name?: string };
}

/** Keeps the account of a life from its beginning on. */
export class Bookkeeper {
  readonly #life: Life;
  readonly #calls = new Map<string, ApiCall[]>();
  readonly #events = new Map<string, Set<string>>();
  #closed: Account | undefined;

  constructor(life: Life) {
    this.#life = life;
    life.chronicle.listen((fact) => {
      if (this.#closed) return;
      if (fact.what === 'leaves') this.#leaves(fact.call);
      if (fact.what === 'asked') this.#asked(fact.ask);
    });
    life.timeline.quietlyAt(life.world.endAt - 1, () => {
      this.#closed = this.#close();
    });
  }

  /** Undefined where the life was broken off before its end. */
  get account(): Account | undefined {
    return this.#closed;
  }

  #leaves(call: ApiCall): void {
    const { credential, target } = call;
    if (this.#isOfB(credential))
      this.#calls.set(target, [...(this.#calls.get(target) ?? []), call]);
  }

  #asked({ method, path, body }: KubeAsk): void {
    if (method !== 'POST' || !path.includes(`/namespaces/${B}/events`)) return;
    const { regarding, reason } = JSON.parse(body) as EventView;
    const name = `${regarding?.kind} ${regarding?.name}`;
    if (reason === undefined || OF_COURTESY.has(reason)) return;
    this.#events.set(name, (this.#events.get(name) ?? new Set()).add(reason));
  }

  /** A key that is B's; one with B's id and another secret may be A's. */
  #isOfB({ keyId, secret }: ApiCall['credential']): boolean {
    return this.#life.secrets.some(
      (draft) => draft.namespace === B && draft.keyId === keyId && draft.secret === secret,
    );
  }

  #close(): Account {
    const life = this.#life;
    const own = life.objects().filter(({ thing }) => thing.metadata.namespace === B);
    return {
      objects: new Map(
        own.map(({ plural, thing }) => [
          `${plural}/${thing.metadata.name} (${targetOfSpec(plural, specOf(thing))})`,
          words({ metadata: kept(thing.metadata), spec: thing.spec, status: statusOf(thing) }),
        ]),
      ),
      api: new Map(
        [
          ...Object.entries(life.api.organizations.dump()),
          ...Object.entries(life.api.settings.dump()),
        ]
          .filter(([name]) => !name.startsWith(OF_A))
          .map(([name, state]) => [name, words(state)]),
      ),
      calls: new Map(
        [...this.#calls].map(([target, calls]) => [
          target,
          calls.map(({ method, text, leftAt }) => ({ text: `${method} ${text}`, at: leftAt })),
        ]),
      ),
      events: new Map(
        [...this.#events].map(([name, reasons]) => [name, [...reasons].toSorted().join()]),
      ),
    };
  }
}

function kept({ finalizers, generation, deletionTimestamp }: Thing['metadata']): object {
  return { finalizers, generation, isGoing: deletionTimestamp !== undefined };
}

/** As text without times and ids, whose lists have no order. */
function words(value: unknown): string {
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        id.startsWith('7f0e6f0c') ? id : '(id)',
      )
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '(time)');
  if (Array.isArray(value))
    return value.map(plain).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value)
    .filter((name) => !OF_ONE_LIFE.has(name))
    .toSorted();
  return Object.fromEntries(
    names.map((name) => [name, plain((value as Readonly<Record<string, unknown>>)[name])]),
  );
}
