import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, sameId, specOf, statusOf } from '../record/objects.ts';
import { type PatchView, shown } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { UNTOLD } from './excused-at-rest.ts';
import type { Intents } from './intents.ts';
import { MissedByClockAhead } from './missed.ts';
import { BROUGHT_BACK, HIDDEN, isInPlace, Mistakable, PUT_BACK_MS } from './mistakable.ts';
import { type Instance, type Trails, truthKey } from './trail.ts';

interface Adopted {
  readonly entry: EndpointView;
  readonly until: number;
}

/**
 * I2: no `remove` leaves for what the ledger does not prove to be ours; and what somebody else
 * added is never removed, but where no client can tell.
 */
export class RemovalJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #missed: MissedByClockAhead;
  readonly #mistakable: Mistakable;
  /**
   * By uid of the object and endpoint: what was adopted for it while its spec said so, and until
   * when its ledger had it so.
   */
  readonly #adopted = new Map<string, Map<string, Adopted>>();

  constructor(court: Court, trails: Trails, intents: Intents) {
    this.#court = court;
    this.#trails = trails;
    this.#missed = new MissedByClockAhead(court.life);
    this.#mistakable = new Mistakable(court, trails, { intents, missed: this.#missed });
  }

  see(fact: Fact): void {
    this.#missed.see(fact);
    if (fact.what === 'written' && fact.change.kind.plural === 'organizations')
      this.#learn(fact.change.now);
    if (fact.what === 'leaves' && fact.call.method === 'PATCH') this.#leaves(fact.call);
    // What went is on the trail already.
    if (fact.what === 'done') this.#done(fact.call);
  }

  #learn(thing: Thing): void {
    const { uid } = thing.metadata;
    const adopted = this.#adopted.get(uid) ?? new Map<string, Adopted>();
    this.#adopted.set(uid, adopted);
    const entries = (statusOf(thing).privateEndpoints ?? []).filter(
      ({ origin }) => origin === 'Adopted',
    );
    const held = new Set(entries.map(truthKey));
    for (const [key, { entry, until }] of adopted) {
      if (!held.has(key)) adopted.set(key, { entry, until: Math.min(until, this.#now()) });
    }
    if (specOf(thing).adoptPrivateEndpoints !== true) return;
    for (const entry of entries) adopted.set(truthKey(entry), { entry, until: Infinity });
  }

  #leaves(call: ApiCall): void {
    const { remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
    const known = this.#court.objectsOf(call);
    for (const endpoint of remove) {
      if (known.some((thing) => isOurs(thing, endpoint))) continue;
      this.#court.report(
        'I2 not-in-ledger',
        call.target,
        `${shown(call)} leaves, and no ledger says that ${endpoint.id} is ours`,
      );
    }
  }

  #done(call: ApiCall): void {
    const { moves } = call.executions.at(-1) ?? {};
    if (!moves || moves.removed.length === 0) return;
    const trail = this.#trails.of(call.host, call.target);
    const gone = trail.instances.filter(
      (instance) =>
        instance.gone?.call === call &&
        instance.gone.at === this.#now() &&
        isAskedFor(call, instance),
    );
    for (const instance of gone) this.#judge(call, instance, gone);
  }

  #judge(call: ApiCall, instance: Instance, gone: readonly Instance[]): void {
    if (isInPlace(call, instance) && this.#mistakable.wasHidden(call, instance)) {
      this.#court.excuse(HIDDEN);
      return;
    }
    const objects = this.#court.objectsOf(call);
    const adopted = objects.flatMap(({ metadata }) => this.#adoptedBefore(metadata.uid, instance));
    if (adopted.some((entry) => truthKey(entry) === instance.key)) return;
    if (adopted.some((entry) => this.#mistakable.isShownAs(call, instance.stored, entry))) {
      this.#court.excuse('adopted from a list that leaves out wherein it differs');
      return;
    }
    const { creator } = instance;
    if (creator.by === 'operator') {
      const makers = new Set(
        this.#court.objectsOf(creator.call).map(({ metadata }) => metadata.uid),
      );
      if (objects.some(({ metadata }) => makers.has(metadata.uid))) return;
      if (this.#mistakable.isHidden(call, instance)) {
        this.#court.excuse(HIDDEN);
        return;
      }
      // It was answered before the other one added it: nobody waits for it any longer.
      if (call.executions.length > 1 && call.reply && call.reply.at <= creator.call.leftAt) {
        this.#court.excuse('a call carried out twice');
        return;
      }
      // The other one could not have waited for it.
      if (this.#court.hasLeftUntold(creator.call, call)) {
        this.#court.excuse(UNTOLD);
        return;
      }
      // The ledger is from before the other one added it.
      if (this.#court.life.restores.some((at) => at >= creator.at && at <= call.leftAt)) {
        this.#court.excuse(BROUGHT_BACK);
        return;
      }
      // Another shard is as good as another client.
      const excuse = this.#mistakable.isElsewhere(call, creator.call)
        ? this.#mistakable.excuse(call, instance, gone)
        : undefined;
      if (excuse !== undefined) {
        this.#court.excuse(excuse);
        return;
      }
      this.#court.report(
        'I2 of-another-object',
        call.target,
        `${shown(call)} removes ${shownKey(instance)}, which another object had added`,
      );
      return;
    }
    const excuse = this.#mistakable.excuse(call, instance, gone);
    if (excuse !== undefined) {
      this.#court.excuse(excuse);
      return;
    }
    const { rule, text } = this.#verdict(call, instance);
    this.#court.report(
      rule,
      call.target,
      `${shown(call)} removes ${shownKey(instance)}, which somebody else had added ${text}`,
    );
  }

  #verdict(call: ApiCall, instance: Instance): { readonly rule: string; readonly text: string } {
    const adds = this.#mistakable.addsOf(call, instance);
    const seconds = Math.round(instance.creator.at / 1_000);
    if (adds.length === 0)
      return { rule: 'I2 never-added', text: `at ${seconds} s; no add of it ever left` };
    const wasThere = adds.every(({ leftAt }) => leftAt >= instance.creator.at);
    if (wasThere)
      return {
        rule: 'I2 was-there',
        text: `at ${seconds} s, before the operator sent its own add`,
      };
    return {
      rule: 'I2 came-later',
      text: `at ${seconds} s, when ours was long gone or had never come`,
    };
  }

  /**
   * What was adopted for an object, where this came while that stood there, or so soon after it
   * that nobody can tell the two apart.
   */
  #adoptedBefore(uid: string, { creator }: Instance): EndpointView[] {
    const adopted = [...(this.#adopted.get(uid)?.values() ?? [])];
    return adopted.flatMap(({ entry, until }) =>
      creator.at <= until + PUT_BACK_MS ? [entry] : [],
    );
  }

  #now(): number {
    return this.#court.life.timeline.now;
  }
}

/**
 * What an API loses of one of two changes at once is the doing of neither, unless it names that.
 */
function isAskedFor(call: ApiCall, { stored }: Instance): boolean {
  const { add = [], remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
  return [...add, ...remove].some((endpoint) => sameId(endpoint, stored));
}

/** The ledger has it, in these very words, as added or adopted. */
function isOurs(thing: Thing, endpoint: EndpointView): boolean {
  return (statusOf(thing).privateEndpoints ?? []).some(
    ({ id, cloudProvider, region, origin }) =>
      id === endpoint.id &&
      cloudProvider === endpoint.cloudProvider &&
      region === endpoint.region &&
      (origin === 'Added' || origin === 'Adopted'),
  );
}

function shownKey({ stored }: Instance): string {
  return `${stored.id} (${stored.region})`;
}
