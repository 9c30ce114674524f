import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, endpointKey, specOf, statusOf } from '../record/objects.ts';
import { type PatchView, shown } from './calls.ts';
import type { Candidate, Court, Judge } from './court.ts';
import type { Intents } from './intents.ts';
import { lookBefore, lookLackingId } from './looks.ts';
import { type Instance, isIn, type Trails, truthKey } from './trail.ts';

/** How far an API may lag behind its own writes. */
const LAG_MS = 30_000;
/** Put back within this time, another's endpoint cannot be told from ours. */
const PUT_BACK_MS = 120_000;
const SETTLED_MS = 60_000;
/** The look that settles comes at a whole second, and waits for its slot. */
const LATE_LOOK_MS = 15_000;
const HIDDEN = 'hidden from the look before our add';

/** I2: no `remove` leaves for what the ledger does not prove to be ours; and what somebody else added is never removed, but where no client can tell. */
export class RemovalJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #intents: Intents;
  /** By uid of the object: the endpoints that were adopted for it while its spec said so. */
  readonly #adopted = new Map<string, Set<string>>();

  constructor(court: Court, trails: Trails, intents: Intents) {
    this.#court = court;
    this.#trails = trails;
    this.#intents = intents;
  }

  see(fact: Fact): void {
    if (fact.what === 'written' && fact.change.kind.plural === 'organizations') this.#learn(fact.change.now);
    if (fact.what === 'leaves' && fact.call.method === 'PATCH') this.#leaves(fact.call);
    // What went is on the trail already.
    if (fact.what === 'done') this.#done(fact.call);
  }

  #learn(thing: Candidate['known']['last']): void {
    if (specOf(thing).adoptPrivateEndpoints !== true) return;
    const { uid } = thing.metadata;
    const adopted = this.#adopted.get(uid) ?? new Set<string>();
    for (const entry of statusOf(thing).privateEndpoints ?? []) {
      if (entry.origin === 'Adopted') adopted.add(truthKey(entry));
    }
    this.#adopted.set(uid, adopted);
  }

  #leaves(call: ApiCall): void {
    const { remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
    const candidates = this.#court.candidates(call);
    for (const endpoint of remove) {
      if (candidates.some((candidate) => isOurs(candidate, endpoint))) continue;
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
    const gone = trail.instances.filter((instance) => instance.gone?.call === call && instance.gone.at === this.#now());
    for (const instance of gone) this.#judge(call, instance, gone);
  }

  #judge(call: ApiCall, instance: Instance, gone: readonly Instance[]): void {
    if (this.#isInPlace(call, instance) && this.#wasHidden(call, instance)) {
      this.#court.excuse(HIDDEN);
      return;
    }
    const candidates = this.#court.candidates(call);
    const isAdopted = candidates.some(({ known }) => this.#adopted.get(known.last.metadata.uid)?.has(instance.key));
    if (isAdopted) return;
    const { creator } = instance;
    if (creator.by === 'operator') {
      const makers = new Set(this.#court.candidates(creator.call).map(({ known }) => known.last.metadata.uid));
      if (candidates.some(({ known }) => makers.has(known.last.metadata.uid))) return;
      if (this.#addsOf(call, instance).some((add) => this.#wasHidden(add, instance))) {
        this.#court.excuse(HIDDEN);
        return;
      }
      // Another shard is as good as another client.
      const excuse = this.#isElsewhere(call, creator.call) ? this.#excuseOther(call, instance, gone) : undefined;
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
    const excuse = this.#excuseOther(call, instance, gone);
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

  /** Where an API goes by ids alone, an add puts its endpoint in the place of another. */
  #isInPlace(call: ApiCall, { stored }: Instance): boolean {
    const { add = [] } = (call.body as PatchView).privateEndpoints ?? {};
    return add.some(({ id }) => id === stored.id);
  }

  /** Nothing but the add itself comes after the look that lacked it. */
  #cameSinceLook(call: ApiCall, { stored, creator }: Instance): boolean {
    const look = lookBefore(call, this.#trails);
    if (!look || isIn(look.entries ?? [], stored)) return false;
    return creator.at >= (look.call.executions[0]?.at ?? look.at) - LAG_MS;
  }

  #excuseOther(call: ApiCall, instance: Instance, gone: readonly Instance[]): string | undefined {
    const isDisplaced = this.#isInPlace(call, instance) && this.#cameSinceLook(call, instance);
    return isDisplaced ? 'in the place of an add of ours, after the look' : this.#excuse(call, instance, gone);
  }

  /** Why no client could have told that this endpoint was not ours. */
  #excuse(call: ApiCall, instance: Instance, gone: readonly Instance[]): string | undefined {
    const { restores } = this.#court.life;
    const trail = this.#trails.of(call.host, call.target);
    const own = trail.instances.filter(
      (other) => other !== instance && other.key === instance.key && this.#countsAsOurs(call, other),
    );
    const isTwin = (other: Instance): boolean =>
      endpointKey(other.stored) === endpointKey(instance.stored) &&
      other.creator.at <= this.#now() &&
      (other.gone === undefined || other.gone.at > instance.creator.at);
    if (own.some(isTwin) || gone.some((other) => own.includes(other))) return 'a twin of ours';
    for (const before of own) {
      const wentAt = before.gone?.at;
      if (wentAt === undefined || wentAt > instance.creator.at) continue;
      const isRestored = restores.some((at) => at >= wentAt && at <= call.leftAt);
      if (isRestored) return 'a ledger from before it went, which a restore has brought back';
      const missed = trail.looks.find(
        ({ call: look, at, entries }) =>
          at >= wentAt && entries && !isIn(entries, before.stored) && !this.#isElsewhere(call, look),
      );
      if (!missed || instance.creator.at <= missed.at + PUT_BACK_MS) return 'put in place of ours';
    }
    return this.#excuseByAdd(call, instance);
  }

  /** It came when an add of ours was on its way, or was about to be: nobody can tell the two apart. */
  #excuseByAdd(call: ApiCall, instance: Instance): string | undefined {
    for (const add of this.#addsOf(call, instance)) {
      const look = lookBefore(add, this.#trails);
      if (!look?.entries || isIn(look.entries, instance.stored)) continue;
      const settledAt = this.#firstLookAfter(add, this.#settledAt(add, instance));
      const seenAt = look.call.executions[0]?.at ?? look.at;
      if (instance.creator.at >= seenAt - LAG_MS && instance.creator.at <= settledAt) return 'added together with ours';
      if (this.#wasHidden(add, instance)) return HIDDEN;
    }
    if (this.#cameUnderItsId(call, instance)) return 'came with our add under its id';
    return this.#cameWithIntent(call, instance) ? 'added while an intent to add it was on record' : undefined;
  }

  /** What an add has left open is settled by the first look after that, some seconds at most. */
  #firstLookAfter(add: ApiCall, settledAt: number): number {
    const { looks } = this.#trails.of(add.host, add.target);
    const look = looks.find(({ call, at, entries }) => at >= settledAt && entries && call.process === add.process);
    const seenAt = look?.call.executions[0]?.at ?? settledAt;
    return seenAt - settledAt <= LATE_LOOK_MS ? Math.max(seenAt, settledAt) : settledAt;
  }

  /** It came between a look that lacked its id and the answer to an add of ours with that id: it counts as ours in other fields. */
  #cameUnderItsId(call: ApiCall, { stored, creator }: Instance): boolean {
    return this.#changesOf(call).some((change) => {
      const before = lookLackingId(change, stored.id, this.#trails);
      if (!before) return false;
      const seenAt = before.call.executions[0]?.at ?? before.at;
      return creator.at >= seenAt - LAG_MS && creator.at <= (change.reply?.at ?? change.leftAt);
    });
  }

  /** Whether nobody who can have made the one call sees those who can have made the other, or did when it was made: shards are merged. */
  #isElsewhere(call: ApiCall, other: ApiCall): boolean {
    const { fleet, knowledge, restores } = this.#court.life;
    const known = knowledge.of(other.process);
    const theirs = this.#court.candidates(other);
    return this.#court.candidates(call).every((mine) => {
      // What a process had been told is forgotten with a restore.
      if (restores.length === 0 && !known.has(mine.key)) return true;
      const { namespace } = mine.known.last.metadata;
      return theirs.every((one) => !fleet.sees(namespace, one.known.last.metadata.namespace));
    });
  }

  /** What the operator added, and what nobody can tell from that. */
  #countsAsOurs(call: ApiCall, other: Instance): boolean {
    if (this.#cameWithIntent(call, other)) return true;
    return other.creator.by === 'operator' && !this.#isElsewhere(call, other.creator.call);
  }

  #cameWithIntent(call: ApiCall, { key, creator }: Instance): boolean {
    const candidates = this.#court.candidates(call);
    return candidates.some(({ known }) => this.#intents.wasOpen(known.last.metadata.uid, key, creator.at));
  }

  /** Until then an add may be at work: one that was taken and is not in the list, too. */
  #settledAt(add: ApiCall, { stored }: Instance): number {
    const { reply } = add;
    const shown = this.#trails.of(add.host, add.target).looks.find(({ call }) => call === add)?.entries;
    const isOver = reply !== undefined && (reply.status >= 400 || (shown !== undefined && isIn(shown, stored)));
    return isOver ? reply.at : add.leftAt + this.#timeoutMs() + SETTLED_MS;
  }

  /** Whether the look before an add lacked what was there. */
  #wasHidden(add: ApiCall, instance: Instance): boolean {
    const look = lookBefore(add, this.#trails);
    return look !== undefined && !isIn(look.entries ?? [], instance.stored) && look.truth.has(instance.key);
  }

  #verdict(call: ApiCall, instance: Instance): { readonly rule: string; readonly text: string } {
    const adds = this.#addsOf(call, instance);
    const seconds = Math.round(instance.creator.at / 1_000);
    if (adds.length === 0) return { rule: 'I2 never-added', text: `at ${seconds} s; no add of it ever left` };
    const wasThere = adds.every(({ leftAt }) => leftAt >= instance.creator.at);
    if (wasThere) return { rule: 'I2 was-there', text: `at ${seconds} s, before the operator sent its own add` };
    return { rule: 'I2 came-later', text: `at ${seconds} s, when ours was long gone or had never come` };
  }

  /** Adds of this endpoint that left before, for an object that this removal can be for. */
  #addsOf(call: ApiCall, { key }: Instance): ApiCall[] {
    return this.#changesOf(call).filter((change) => {
      const { add = [] } = (change.body as PatchView).privateEndpoints ?? {};
      return add.some((endpoint) => truthKey(endpoint) === key);
    });
  }

  #changesOf(call: ApiCall): ApiCall[] {
    const mine = new Set(this.#court.candidates(call).map(({ known }) => known.last.metadata.uid));
    return this.#trails
      .of(call.host, call.target)
      .changes.filter(
        (change) =>
          change.leftAt < call.leftAt &&
          this.#court.candidates(change).some(({ known }) => mine.has(known.last.metadata.uid)),
      );
  }

  #timeoutMs(): number {
    return this.#court.life.world.flags.timeoutSeconds * 1_000;
  }

  #now(): number {
    return this.#court.life.timeline.now;
  }
}

/** The ledger has it, in these very words, as added or adopted. */
function isOurs({ known }: Candidate, endpoint: EndpointView): boolean {
  return (statusOf(known.last).privateEndpoints ?? []).some(
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
