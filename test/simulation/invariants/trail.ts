import type { EndpointMoves } from '../../simulator/organization-patch.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, endpointKey } from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import { type Court, isRefused, isSuccess, type Judge } from './court.ts';

/** Who put an endpoint where it is. */
export type Creator =
  | { readonly by: 'others'; readonly at: number }
  | { readonly by: 'operator'; readonly at: number; readonly call: ApiCall };

/**
 * One endpoint at the API from its coming to its going; the same tuple may come again as another
 * one.
 */
export interface Instance {
  readonly key: string;
  readonly stored: EndpointView;
  readonly creator: Creator;
  gone?: { readonly at: number; readonly call: ApiCall | undefined };
}

/** A list that has reached a process, or a reply of 200 that had none. */
export interface Look {
  readonly call: ApiCall;
  readonly at: number;
  /** undefined: the reply has no list that can be read. */
  readonly entries: readonly Partial<EndpointView>[] | undefined;
  /** What was really there when the reply was made. */
  readonly truth: ReadonlySet<string>;
}

/**
 * When a process had no answer from the API server, or was asked by the management API, in answer
 * to a call, to leave it alone.
 */
interface Stall {
  readonly at: number;
  readonly call?: ApiCall;
}

interface Trail {
  readonly instances: Instance[];
  readonly looks: Look[];
  /** Calls that asked for endpoints, in their order. */
  readonly changes: ApiCall[];
  readonly byObject: WeakMap<object, Instance>;
}

/** What really became of each organization's endpoints, and what the operator could see of it. */
export class Trails implements Judge {
  readonly #court: Court;
  readonly #trails = new Map<string, Trail>();
  readonly #truths = new Map<number, ReadonlySet<string>>();
  readonly #stalls = new Map<string, Stall[]>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'asked' && !fact.ask.status) this.#stall(fact.process, { at: fact.at });
    if (fact.what === 'answered' && fact.call.reply?.status === 429)
      this.#stall(fact.call.process, fact);
    if (fact.what === 'other') {
      const trail = this.of(fact.host, `organization ${fact.organizationId}`);
      this.#move(trail, fact.moves, { by: 'others', at: fact.at });
      return;
    }
    if (fact.what === 'leaves' && fact.call.method === 'PATCH') {
      const { add = [], remove = [] } = (fact.call.body as PatchView).privateEndpoints ?? {};
      if (add.length + remove.length > 0)
        this.of(fact.call.host, fact.call.target).changes.push(fact.call);
    }
    if (fact.what === 'done') this.#done(fact.call);
    if (fact.what === 'answered') this.#answered(fact.call);
    // An answer that is too long was shown to nobody.
    if (fact.what === 'unanswered' && fact.call.reply) {
      const { looks } = this.of(fact.call.host, fact.call.target);
      if (looks.at(-1)?.call === fact.call) looks.pop();
    }
  }

  stallsOf(process: string): readonly Stall[] {
    return this.#stalls.get(process) ?? [];
  }

  #stall(process: string, stall: Stall): void {
    this.#stalls.set(process, [...this.stallsOf(process), stall]);
  }

  /** Of one organization at one API; what is there from the start was put there by others. */
  of(host: string, target: string): Trail {
    const key = `${host} ${target}`;
    const known = this.#trails.get(key);
    if (known) return known;
    const trail: Trail = { instances: [], looks: [], changes: [], byObject: new WeakMap() };
    this.#trails.set(key, trail);
    const draft = this.#court.life.world.organizations.find(
      ({ id }) => target === `organization ${id}`,
    );
    for (const endpoint of draft?.others ?? []) this.#add(trail, endpoint, { by: 'others', at: 0 });
    return trail;
  }

  /** Those that are there now. */
  present(host: string, target: string): Instance[] {
    return this.of(host, target).instances.filter(({ gone }) => gone === undefined);
  }

  /**
   * Whether the call that brought it was over before, refused or shown done by a list, and was
   * carried out once more after that: no client waits for it any longer, or hears of it.
   */
  cameAgain(host: string, target: string, { stored, creator }: Instance): boolean {
    if (creator.by !== 'operator' || creator.call.executions[0]?.at === creator.at) return false;
    const { call, at } = creator;
    const isOver =
      (isRefused(call) && (call.reply?.at ?? at) < at) ||
      this.of(host, target).looks.some(
        (look) =>
          look.at > call.leftAt && look.at < at && look.entries && isIn(look.entries, stored),
      );
    if (isOver) this.#court.excuse('a call carried out twice');
    return isOver;
  }

  /**
   * The same of the call that took it away: over is a removal that was refused, or that a list has
   * shown done.
   */
  wentAgain(host: string, target: string, { stored, gone }: Instance): boolean {
    const { at = 0, call } = gone ?? {};
    if (!call || call.executions[0]?.at === at) return false;
    const isOver =
      (isRefused(call) && (call.reply?.at ?? at) < at) ||
      this.of(host, target).looks.some(
        (look) =>
          look.at > call.leftAt && look.at < at && look.entries && !isIn(look.entries, stored),
      );
    if (isOver) this.#court.excuse('a call carried out twice');
    return isOver;
  }

  /**
   * An API may store what it refuses, which is nobody's by the table where the list that settles
   * the refusal lacks it, or no list has had it, or it stands there in other fields than were sent.
   * Every add of it since was refused too: so no client can know. `isPending`: it stands on record
   * as being added, and is to be named, unless that refusal was settled and the intent on record
   * never left.
   */
  isStoredUnseen(
    host: string,
    target: string,
    { key, stored, creator }: Instance,
    { isPending, until }: { readonly isPending: boolean; readonly until: number },
  ): boolean {
    if (creator.by !== 'operator') return false;
    const { changes, looks } = this.of(host, target);
    const isAdd = ({ body }: ApiCall): boolean =>
      ((body as PatchView).privateEndpoints?.add ?? []).some((sent) => truthKey(sent) === key);
    const adds = changes.filter(
      (one) => one.leftAt >= creator.call.leftAt && one.leftAt <= until && isAdd(one),
    );
    const lists = looks.filter((look) => look.at >= creator.at && look.at <= until && look.entries);
    const had = lists.map(({ entries = [] }) => isIn(entries, stored));
    const { add: sent = [] } = (creator.call.body as PatchView).privateEndpoints ?? {};
    const isAltered = isRefused(creator.call) && !isIn(sent, stored);
    const isNobodys = isAltered || had[0] === false || (had.length === 0 && !isPending);
    const isSo = isNobodys && adds.every(isRefused);
    if (isSo)
      this.#court.excuse('stored with a refusal, and not in the list after it as it was sent');
    return isSo;
  }

  all(): IterableIterator<Trail> {
    return this.#trails.values();
  }

  #done(call: ApiCall): void {
    const { moves } = call.executions.at(-1) ?? {};
    if (!call.target.startsWith('organization ')) return;
    const trail = this.of(call.host, call.target);
    if (moves)
      this.#move(trail, moves, { by: 'operator', at: this.#court.life.timeline.now, call });
    const present = trail.instances.filter(({ gone }) => gone === undefined);
    this.#truths.set(call.id, new Set(present.map(({ key }) => key)));
  }

  #answered(call: ApiCall): void {
    const { at, result } = call.reply ?? {};
    // A result beside an error proves nothing to anybody.
    if (at === undefined || !result || !isSuccess(call) || !call.target.startsWith('organization '))
      return;
    const entries = readEntries(result.privateEndpoints);
    const truth = this.#truths.get(call.id) ?? new Set<string>();
    this.of(call.host, call.target).looks.push({ call, at, entries, truth });
  }

  /**
   * What is in both has come and gone with the same change: an API that adds first, and takes what
   * it adds for what it is to remove.
   */
  #move(trail: Trail, { added, removed }: EndpointMoves, creator: Creator): void {
    const call = creator.by === 'operator' ? creator.call : undefined;
    for (const endpoint of removed.filter((one) => !added.includes(one)))
      this.#remove(trail, endpoint, call);
    for (const endpoint of added) this.#add(trail, endpoint, creator);
    for (const endpoint of removed.filter((one) => added.includes(one)))
      this.#remove(trail, endpoint, call);
  }

  #add(trail: Trail, stored: EndpointView, creator: Creator): void {
    // What one of two changes at once had lost, and another brings back, is what it was.
    const instance: Instance = {
      key: truthKey(stored),
      stored,
      creator: trail.byObject.get(stored)?.creator ?? creator,
    };
    trail.instances.push(instance);
    trail.byObject.set(stored, instance);
  }

  #remove(trail: Trail, stored: EndpointView, call: ApiCall | undefined): void {
    const { now } = this.#court.life.timeline;
    const exact = trail.byObject.get(stored);
    // An upsert stores it anew, and beside it another one may stand with a blank after its id.
    const open = trail.instances.filter(
      ({ key, gone }) => gone === undefined && key === truthKey(stored),
    );
    const instance = exact ?? open.find((one) => one.stored.id === stored.id) ?? open[0];
    if (instance && !instance.gone) instance.gone = { at: now, call };
  }
}

/** As `endpointKey`, but for the other name that an API may have for a region. */
export function truthKey(endpoint: EndpointView): string {
  return endpointKey({ ...endpoint, region: endpoint.region.replace(/^r-/i, '') });
}

/** Entries that can be read; undefined where the list says nothing. */
export function readEntries(list: unknown): readonly Partial<EndpointView>[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const readable = list.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { id } = entry as { readonly id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? [{ ...entry, id: String(id) }] : [];
  });
  return list.length > 0 && readable.length === 0 ? undefined : readable;
}

/**
 * Whether a list has an entry of the ledger, byte for byte; what it leaves out is no contradiction.
 */
export function isThere(
  entries: readonly Partial<EndpointView>[],
  endpoint: EndpointView,
): boolean {
  return entries.some(
    ({ id, cloudProvider = endpoint.cloudProvider, region = endpoint.region }) =>
      id === endpoint.id && cloudProvider === endpoint.cloudProvider && region === endpoint.region,
  );
}

/** Whether a list has an endpoint; what an entry leaves out is no contradiction. */
export function isIn(entries: readonly Partial<EndpointView>[], endpoint: EndpointView): boolean {
  const same = (a: string | undefined, b: string): boolean =>
    a === undefined || a.trim().toLowerCase() === b.trim().toLowerCase();
  return entries.some(
    ({ id, cloudProvider, region }) =>
      same(id, endpoint.id) &&
      same(cloudProvider, endpoint.cloudProvider) &&
      same(region, endpoint.region),
  );
}

/**
 * Two looks that show the same, so far apart, prove it: that something is gone, or that a list
 * which is left out is empty.
 */
const TWICE_MS = 55_000;

/** Whether the first and the last of these are far enough apart. */
export function areTwice(looks: readonly Look[]): boolean {
  const [first, last] = [looks[0], looks.at(-1)];
  return first !== undefined && last !== undefined && last.at - first.at >= TWICE_MS;
}
