import type { Judge } from '../oracles/court.ts';
import { type ApiCall, endpointsOf } from '../record/facts.ts';
import { endpointKey, keyOf, specOf, statusOf } from '../record/objects.ts';

/** So long what appears counts as what was lost or sent. */
const SETTLE_MS = 15 * 60_000;
/** An observation is at most so much older than the pending change that it led to. */
const OBSERVATION_MS = 45_000;

/** An endpoint at the API, and whose it is. */
interface Present {
  readonly by: 'operator' | 'other';
  readonly since: number;
  /** It took the place of one of ours that somebody removed: when. */
  readonly oursGoneAt: number | undefined;
}

/** When the operator put on record that it adds this endpoint, and the calls that left for it. */
interface Intended {
  readonly at: number;
  readonly calls: ApiCall[];
}

/** What somebody else has put there is not removed. */
export const others: Judge = (life, court) => {
  const present = new Map<string, Present>();
  const oursGone = new Map<string, number>();
  const intended = new Map<string, Intended[]>();
  for (const { id, others: theirs } of life.world.organizations)
    for (const one of theirs)
      present.set(`${id} ${endpointKey(one)}`, { by: 'other', since: 0, oursGoneAt: undefined });

  /**
   * concepts.md: "They add the same endpoint between our observation and the first list that shows
   * our add", "longer where … the list lags", "replace our endpoint by an equal one between two
   * observations", "within 15 minutes of a change of ours that was saved and never sent, or whose
   * answer was lost". An add that was refused is none of these.
   */
  const isMistakable = (key: string, { since, oursGoneAt }: Present): boolean => {
    if (oursGoneAt !== undefined && since - oursGoneAt <= SETTLE_MS) return true;
    const hides = life.lags(key.slice(0, 36));
    return (intended.get(key) ?? []).some(({ at, calls }) => {
      const from = at - (hides ? SETTLE_MS : OBSERVATION_MS);
      const isRefused = calls.length > 0 && calls.every(wasRefused);
      return since >= from && since <= at + SETTLE_MS && !isRefused;
    });
  };

  /** What an object has listed while it adopts. */
  const adopted = new Set<string>();
  const isAdopted = ({ target }: ApiCall, key: string): boolean =>
    life.objectsFor(target).some((thing) => {
      const entry = statusOf(thing).privateEndpoints?.find((one) => key.endsWith(endpointKey(one)));
      const isSaid = entry?.origin === 'Adopted' && specOf(thing).adoptPrivateEndpoints === true;
      return isSaid && adopted.has(key);
    });

  life.chronicle.listen((fact) => {
    if (fact.what === 'other') {
      const { moves, organizationId: id, at } = fact;
      for (const one of moves.removed) {
        const key = `${id} ${endpointKey(one)}`;
        if (present.get(key)?.by === 'operator') oursGone.set(key, at);
        present.delete(key);
      }
      for (const one of moves.added) {
        const key = `${id} ${endpointKey(one)}`;
        present.set(key, { by: 'other', since: at, oursGoneAt: oursGone.get(key) });
      }
    }
    if (fact.what === 'leaves') {
      for (const one of endpointsOf(fact.call.body).add) {
        const last = intended.get(keyIn(fact.call, endpointKey(one)))?.at(-1);
        last?.calls.push(fact.call);
      }
    }
    if (fact.what === 'done') {
      const { call, at } = fact;
      const moves = call.executions.at(-1)?.moves;
      const asked = new Set(endpointsOf(call.body).remove.map(endpointKey));
      for (const one of moves?.removed ?? []) {
        const key = keyIn(call, endpointKey(one));
        const held = present.get(key);
        present.delete(key);
        // An add may take the place of another entry with its id.
        if (!asked.has(endpointKey(one)) || held?.by !== 'other') continue;
        if (isMistakable(key, held)) continue;
        if (!isAdopted(call, key))
          court.report('others removed', call.target, `${call.name} removed ${one.id} of others`);
      }
      const ours = { by: 'operator', since: at, oursGoneAt: undefined } as const;
      for (const one of moves?.added ?? []) present.set(keyIn(call, endpointKey(one)), ours);
    }
    if (fact.what === 'written' && fact.change.kind.plural === 'organizations') {
      const { now, before } = fact.change;
      const { organizationId, adoptPrivateEndpoints, privateEndpoints = [] } = specOf(now);
      for (const one of adoptPrivateEndpoints ? privateEndpoints : [])
        adopted.add(`${organizationId} ${endpointKey(one)}`);
      const { pendingChange } = statusOf(now);
      if (!pendingChange || pendingChange.time === statusOf(before).pendingChange?.time) return;
      for (const one of pendingChange.add ?? []) {
        const key = `${specOf(now).organizationId} ${endpointKey(one)}`;
        intended.set(key, [...(intended.get(key) ?? []), { at: fact.at, calls: [] }]);
      }
    }
  });

  return {
    atEnd: () => {
      for (const { plural, thing } of life.objects()) {
        const { organizationId } = specOf(thing);
        if (plural !== 'organizations') continue;
        for (const one of statusOf(thing).privateEndpoints ?? []) {
          const key = `${organizationId} ${endpointKey(one)}`;
          const held = present.get(key);
          const isOurs = one.origin === 'Added' && one.state === 'Present';
          if (isOurs && held?.by === 'other' && !isMistakable(key, held))
            court.report('others claimed', keyOf(plural, thing), `${one.id} is of others`);
        }
      }
    },
  };
};

function wasRefused({ reply }: ApiCall): boolean {
  return reply !== undefined && reply.status >= 400 && reply.status < 500 && reply.status !== 408;
}

function keyIn({ target }: ApiCall, key: string): string {
  return `${target.split(' ')[1]} ${key}`;
}
