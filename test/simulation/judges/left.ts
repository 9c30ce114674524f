import type { Change } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import { endpointKey, readyOf, specOf, statusOf } from '../record/objects.ts';

/** --cleanup-deadline, less what whole seconds hide. */
const CLEANUP_MS = 10 * 60_000 - 1_000;

/** Nothing of an object that was deleted with RemovePrivateEndpoints is left, but at its deadline. */
export const left: Judge = (life, court) => {
  const gone: { readonly change: Change; readonly at: number }[] = [];
  /** By organization: when a call for it left last. */
  const triedAt = new Map<string, number>();
  /** By organization: what calls of ours have put there. */
  const added = new Set<string>();

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') triedAt.set(fact.call.target, fact.at);
    if (fact.what === 'done')
      for (const one of fact.call.executions.at(-1)?.moves?.added ?? [])
        added.add(`${fact.call.target} ${endpointKey(one)}`);
    if (fact.what === 'other')
      for (const one of [...fact.moves.added, ...fact.moves.removed])
        added.delete(`organization ${fact.organizationId} ${endpointKey(one)}`);
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    if (fact.change.type === 'DELETED') gone.push({ change: fact.change, at: fact.at });
  });

  const judge = ({ before }: Change, at: number): void => {
    const { organizationId = '', deletionPolicy } = specOf(before);
    const { deletionTimestamp = '', name, namespace } = before?.metadata ?? {};
    const isOwner = readyOf(before)?.reason !== 'TargetConflict';
    if (deletionPolicy !== 'RemovePrivateEndpoints' || !isOwner) return;
    const since = Date.parse(deletionTimestamp) - life.wall;
    const target = `organization ${organizationId}`;
    // "once an attempt … has failed, at --cleanup-deadline"
    if (at >= since + CLEANUP_MS && (triedAt.get(target) ?? 0) >= since) return;
    const listed = life
      .objectsFor(target)
      .flatMap((thing) => specOf(thing).privateEndpoints ?? [])
      .map(endpointKey);
    const present = life.api.organizations.of(organizationId)?.privateEndpoints.map(endpointKey);
    const { privateEndpoints = [], pendingChange } = statusOf(before);
    for (const one of [...privateEndpoints, ...(pendingChange?.add ?? [])]) {
      const key = endpointKey(one);
      const isOurs = added.has(`${target} ${key}`) && !('origin' in one && one.origin === 'Found');
      if (isOurs && present?.includes(key) && !listed.includes(key))
        court.report('left behind', `organizations/${namespace}/${name}`, `${one.id} is left`);
    }
  };

  return {
    atEnd: () => {
      for (const { change, at } of gone) judge(change, at);
    },
  };
};
