import { alike } from '../../simulator/organization-spelling.ts';
import type { OrganizationBehaviour } from '../../simulator/organization-types.ts';
import type { Thing } from '../kubernetes/objects.ts';
import { isUsable } from '../life/canaries.ts';
import { behaviourOf } from '../life/traits.ts';
import {
  type EndpointView,
  type Plural,
  type SpecView,
  sameEndpoint,
  sameId,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { Court } from './court.ts';
import type { ProofJudge } from './proofs.ts';
import type { RepeatJudge } from './repeats.ts';
import { type Trails, truthKey } from './trail.ts';

/**
 * Of several things that keep the declared state from being there one gives the reason; each was
 * tried, and the condition names the others too.
 */
export const TELLS_ALL: ReadonlySet<string> = new Set([
  'Rejected',
  'NotConfirmed',
  'EndpointConflict',
]);

/**
 * How an object may end, by what the world is like: which reasons are true of it, and what the API
 * would take.
 */
export class Rightful {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #repeats: RepeatJudge;
  readonly #proofs: ProofJudge;

  constructor(
    court: Court,
    trails: Trails,
    { repeats, proofs }: { readonly repeats: RepeatJudge; readonly proofs: ProofJudge },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#repeats = repeats;
    this.#proofs = proofs;
  }

  reasons(plural: Plural, thing: Thing): ReadonlySet<string> {
    const spec = specOf(thing);
    if (spec.suspend) return new Set(['Suspended']);
    if (plural === 'activities' && statusOf(thing).activity) return new Set(['Fetched']);
    const waits = this.#mayWait(plural, thing) ? ['TargetConflict'] : [];
    // What was confirmed stays so, whatever becomes of the key.
    const stays = this.#court.isConfirmed(thing) ? ['Applied'] : [];
    if (spec.mode === 'Plan') return new Set(['Planned', ...waits]);
    // Where the declared name is the look (one refused look is enough for that) none leaves while
    // too much would be removed, so nobody can be told what has become of its key.
    const asksNobody =
      plural === 'organizations' && spec.name !== undefined && removesTooMuch(thing);
    const blocked = asksNobody ? ['RemovalBlocked'] : [];
    const own = this.#ownReasons(plural, thing, spec);
    return new Set([...own, ...waits, ...stays, ...blocked]);
  }

  /** Whether the API would take this endpoint, were it added by itself. */
  takes(thing: Thing, endpoint: EndpointView): boolean {
    const behaviour = this.behaviour(thing);
    if (isNamed(behaviour.refusedIds, endpoint, behaviour)) return false;
    return !this.#present(thing).some(({ stored }) => sameId(stored, endpoint));
  }

  /**
   * Whether an endpoint that is not there is NotConfirmed, whatever is refused beside it: it was
   * sent in vain, or is not sent because the list is unknown.
   */
  isUnconfirmed(thing: Thing, endpoint: EndpointView): boolean {
    return this.#repeats.isSpent(thing, 'add', endpoint) || this.#hidesAll(thing);
  }

  /** Whether adds have any effect, and can be seen to. */
  canAdd(thing: Thing): boolean {
    const { add = 'honoured' } = this.behaviour(thing);
    return add === 'honoured' && this.#showsList(thing);
  }

  changesNames(thing: Thing): boolean {
    return this.behaviour(thing).name !== undefined;
  }

  /** Whether the list could be read if only a name were declared. */
  needsName(thing: Thing): boolean {
    const { emptyLists = 'ok' } = this.behaviour(thing);
    return emptyLists !== 'ok' && specOf(thing).name === undefined && this.#showsList(thing);
  }

  /** Whether neither a look nor the declared name in its place shows anything. */
  cannotLook(thing: Thing): boolean {
    const { emptyLists = 'ok', name } = this.behaviour(thing);
    return emptyLists !== 'ok' && (specOf(thing).name === undefined || name === 'bad-request');
  }

  #ownReasons(plural: Plural, thing: Thing, spec: SpecView): readonly string[] {
    const key = this.#keyOf(thing);
    if (key === undefined) return ['SecretNotFound'];
    if (key === 'unusable') return ['SecretInvalid'];
    const refusal = this.#court.life.api.refusal(
      key.keyId,
      key.secret,
      spec.organizationId ?? '',
    )?.status;
    if (refusal === 401) return ['Unauthorized'];
    if (refusal === 403) return ['Forbidden'];
    if (refusal === 404) return ['NotFound'];
    switch (plural) {
      case 'pipesettings':
        return this.#pipeReasons(spec);
      case 'activities':
        return this.#activityReasons(spec);
      case 'organizations':
        return this.#organizationReasons(thing, spec);
    }
  }

  #pipeReasons({ pipeId, settings = {} }: SpecView): readonly string[] {
    const draft = this.#court.life.world.pipes.find((pipe) => pipe.pipeId === pipeId);
    const { ranges = {}, clamp = {}, notApplicable = [], echo } = behaviourOf(draft?.traits ?? []);
    const outside = (bounds: Readonly<Record<string, readonly [number, number]>>): boolean =>
      Object.entries(bounds).some(([name, [least, most]]) => {
        const value = settings[name];
        return typeof value === 'number' && (value < least || value > most);
      });
    if (outside(ranges) || notApplicable.some((name) => settings[name] !== undefined))
      return ['Rejected'];
    if (outside(clamp)) return ['NotConfirmed'];
    return echo === 'stale' ? ['Applied', 'NotConfirmed'] : ['Applied'];
  }

  #activityReasons({ activityId }: SpecView): readonly string[] {
    const { world, timeline, purged } = this.#court.life;
    const draft = world.activities.find((one) => one.activityId === activityId);
    const isThere =
      draft?.fromMs !== undefined && draft.fromMs <= timeline.now && !purged.has(activityId ?? '');
    return isThere ? ['Fetched'] : ['NotFound', 'Rejected'];
  }

  #organizationReasons(thing: Thing, spec: SpecView): readonly string[] {
    const behaviour = this.behaviour(thing);
    const found = new Set<string>();
    const { name: names, add: adds, entries, echo, refusedIds, refuseRemoves } = behaviour;
    if (spec.name !== undefined) {
      if (names === 'upper-case' || names === 'ignored') found.add('NotConfirmed');
      if (names === 'bad-request') found.add('Rejected');
    }
    const declared = spec.privateEndpoints;
    // What was sent for an earlier spec, and lost, only a list could settle.
    const isBlind = !this.#showsList(thing) || this.#hidesAll(thing);
    if (statusOf(thing).pendingChange && isBlind) found.add('OutcomeUnknown');
    if (declared === undefined) return found.size > 0 ? [...found, 'Applied'] : ['Applied'];
    const present = this.#present(thing);
    const missing = declared.filter((one) => !present.some(({ key }) => key === truthKey(one)));
    if (!this.#showsList(thing)) {
      const hidden = ['Applied', 'NotConfirmed', 'Rejected', 'OutcomeUnknown'];
      if (this.cannotLook(thing)) hidden.push('Unavailable');
      // Two looks without a list count as an empty one, and then all that is declared is sent.
      if (adds === 'gone' && declared.length > 0) hidden.push('NotFound');
      return hidden;
    }
    const clashes = (one: EndpointView): boolean =>
      present.some(({ stored, key }) => sameId(stored, one) && key !== truthKey(one));
    if ([...declared, ...ours(thing)].some(clashes)) found.add('EndpointConflict');
    // Where the API keeps it under other fields and it is not this object's, nobody can tell it
    // from another one.
    const isKeptOtherwise = (one: EndpointView): boolean =>
      present.some(
        ({ stored, key }) =>
          key === truthKey(one) && !sameEndpoint(stored, one) && !this.owns(thing, stored),
      );
    if (declared.some(isKeptOtherwise)) found.add('EndpointConflict');
    // One of others under the same id might go with ours: ours is not removed beside it.
    const hasStranger = (one: EndpointView): boolean =>
      present.some(({ stored }) => sameId(stored, one) && !this.owns(thing, stored));
    if (ours(thing).some(hasStranger)) found.add('EndpointConflict');
    const open = missing.filter((one) => !clashes(one));
    if (open.length > 0 && adds === 'ignored') found.add('NotConfirmed');
    if (open.some((one) => this.#repeats.isSpent(thing, 'add', one))) found.add('NotConfirmed');
    // Where entries show no regions, another one of the same id looks like it.
    const looksLike = (one: EndpointView, { key, stored }: (typeof present)[number]): boolean =>
      key === truthKey(one) || (entries === 'no-regions' && sameId(stored, one));
    const left = unlisted(thing).filter((one) =>
      present.some((instance) => looksLike(one, instance)),
    );
    if (left.some((one) => this.#repeats.isSpent(thing, 'remove', one))) found.add('NotConfirmed');
    if (open.length > 0 && adds === 'gone')
      for (const reason of ['Rejected', 'NotFound', 'NotConfirmed']) found.add(reason);
    if (open.some((one) => isNamed(refusedIds, one, behaviour)))
      for (const reason of ['Rejected', 'Conflict']) found.add(reason);
    if (unlisted(thing).some((one) => isNamed(refuseRemoves, one, behaviour)))
      for (const reason of ['Rejected', 'Conflict']) found.add(reason);
    if (removesTooMuch(thing)) found.add('RemovalBlocked');
    if (this.cannotLook(thing)) {
      for (const reason of ['Rejected', 'OutcomeUnknown', 'Unavailable', 'Applied'])
        found.add(reason);
    }
    if (echo === 'stale') for (const reason of ['Applied', 'NotConfirmed']) found.add(reason);
    if (this.#hidesAll(thing)) found.add('NotConfirmed');
    return found.size > 0 ? [...found] : ['Applied'];
  }

  /**
   * Another object may rightfully stand before this one: it could act itself, or it holds what it
   * was once confirmed for.
   */
  #mayWait(plural: Plural, thing: Thing): boolean {
    const target = targetOfSpec(plural, specOf(thing));
    if (plural === 'activities') return false;
    const rivals = this.#court.life.objectsOf(plural).filter((rival) => {
      if (
        rival.metadata.uid === thing.metadata.uid ||
        targetOfSpec(plural, specOf(rival)) !== target
      )
        return false;
      return this.#court.life.fleet.sees(rival.metadata.namespace, thing.metadata.namespace);
    });
    // Where neither could act it does not matter who waits.
    if (rivals.length > 0 && !this.#couldAct(thing)) return true;
    return rivals.some((rival) => this.#couldAct(rival) || this.#court.isProven(rival));
  }

  #couldAct(thing: Thing): boolean {
    const { suspend, mode, organizationId } = specOf(thing);
    const key = this.#keyOf(thing);
    if (suspend || mode === 'Plan' || key === undefined || key === 'unusable') return false;
    return this.#court.life.api.takes(key.keyId, key.secret, organizationId ?? '');
  }

  /**
   * The key in the Secret that an object refers to, as it stands in the cluster; undefined: there
   * is no Secret.
   */
  #keyOf(
    thing: Thing,
  ): { readonly keyId: string; readonly secret: string } | 'unusable' | undefined {
    const name = specOf(thing).credentialsSecretRef?.name ?? '';
    const stored = this.#court.life.stored('secrets', thing.metadata.namespace, name);
    if (!stored) return undefined;
    const data = (stored.data ?? {}) as Readonly<Record<string, string>>;
    const [keyId, secret] = [data.keyId ?? data.username, data.keySecret ?? data.password].map(
      decoded,
    );
    if (keyId === undefined || secret === undefined) return 'unusable';
    return isUsable(keyId, 'id') && isUsable(secret, 'secret') ? { keyId, secret } : 'unusable';
  }

  #present(thing: Thing): ReturnType<Trails['present']> {
    return this.#trails.present(
      this.#court.life.apiHost,
      targetOfSpec('organizations', specOf(thing)),
    );
  }

  /**
   * How many entries the last list had that a status of this object can tell of: after one with
   * any, none at all says nothing. Also of another API, where nobody knows any more that it was
   * that one.
   */
  #lastShown(thing: Thing): number {
    const { uid } = thing.metadata;
    const hosts = [this.#court.life.apiHost, this.#proofs.endedAt(uid)];
    for (const host of hosts) {
      if (host === undefined) continue;
      const { looks } = this.#trails.of(host, targetOfSpec('organizations', specOf(thing)));
      const last = looks.findLast(({ call, entries }) => entries && this.#court.isTold(call, uid));
      if (last?.entries) return last.entries.length;
    }
    return 0;
  }

  /**
   * Whether nobody can tell that nothing is there: a list of nothing but a null has no entry that
   * can be read, and says as little as none.
   */
  #hidesAll(thing: Thing): boolean {
    const { list, entries } = this.behaviour(thing);
    const hidesEmpty = list === 'absent-when-empty' || entries === 'null-among';
    return hidesEmpty && this.#present(thing).length === 0 && this.#lastShown(thing) > 0;
  }

  #showsList(thing: Thing): boolean {
    const { list = 'as-is' } = this.behaviour(thing);
    return list !== 'absent' && list !== 'null';
  }

  /** Whether the ledger has it as this object's, in these very letters. */
  owns(thing: Thing, { id, cloudProvider, region }: EndpointView): boolean {
    return ours(thing).some(
      (one) => one.id === id && one.cloudProvider === cloudProvider && one.region === region,
    );
  }

  behaviour(thing: Thing) {
    const { organizationId } = specOf(thing);
    return behaviourOf(
      this.#court.life.world.organizations.find(({ id }) => id === organizationId)?.traits ?? [],
    );
  }
}

/** Whether an API has the id of an endpoint among these, in the letters that it keeps of it. */
function isNamed(
  ids: readonly string[] = [],
  endpoint: EndpointView,
  { tuples = 'as-sent' }: Partial<OrganizationBehaviour>,
): boolean {
  return ids.some((id) => alike({ ...endpoint, id }, endpoint, { matchBy: 'id', tuples }));
}

function ours(thing: Thing): EndpointView[] {
  return (statusOf(thing).privateEndpoints ?? []).filter(
    ({ origin }) => origin === 'Added' || origin === 'Adopted',
  );
}

/** What is this object's and not declared, where the spec has a list. */
function unlisted(thing: Thing): EndpointView[] {
  const { privateEndpoints: declared } = specOf(thing);
  return declared
    ? ours(thing).filter((entry) => !declared.some((one) => truthKey(one) === truthKey(entry)))
    : [];
}

function removesTooMuch(thing: Thing): boolean {
  return unlisted(thing).length > (specOf(thing).maxPrivateEndpointRemovals ?? 5);
}

/** A value of a Secret, without the line end that an editor leaves. */
function decoded(encoded: string | undefined): string | undefined {
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, 'base64')
        .toString('utf8')
        .replace(/[\r\n]+$/, '');
}
