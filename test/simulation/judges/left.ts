import type { Change, Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import { endpointKey, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';

/** --cleanup-deadline, less what whole seconds hide. */
const CLEANUP_MS = 10 * 60_000 - 1_000;

/** Nothing of an object that was deleted with RemovePrivateEndpoints is left, but at its deadline. */
export const left: Judge = (life, court) => {
  /** `listed`: by other objects, when it went or when the last call for it left: these stay. */
  const gone: { readonly change: Change; readonly at: number; readonly listed: string[] }[] = [];
  /** By organization: when a call for it left last, and what objects there were. */
  const tried = new Map<string, { readonly at: number; readonly things: Thing[] }>();
  /** What calls of ours have put there: when they left. */
  const added = new Map<string, number>();

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves')
      tried.set(fact.call.target, { at: fact.at, things: life.objectsFor(fact.call.target) });
    if (fact.what === 'done')
      for (const one of fact.call.executions.at(-1)?.moves?.added ?? [])
        added.set(`${fact.call.target} ${endpointKey(one)}`, fact.call.leftAt);
    if (fact.what === 'other')
      for (const one of [...fact.moves.added, ...fact.moves.removed])
        added.delete(`organization ${fact.organizationId} ${endpointKey(one)}`);
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    if (fact.change.type !== 'DELETED') return;
    const target = targetOfSpec('organizations', specOf(fact.change.before));
    const others = [...life.objectsFor(target), ...(tried.get(target)?.things ?? [])]
      .filter(({ metadata }) => metadata.uid !== fact.change.now.metadata.uid)
      .map(specOf);
    const listed = others.flatMap(({ privateEndpoints = [] }) => privateEndpoints.map(endpointKey));
    gone.push({ change: fact.change, at: fact.at, listed });
  });

  const judge = ({ before }: Change, at: number, listed: readonly string[]): void => {
    const { organizationId = '', deletionPolicy } = specOf(before);
    const { deletionTimestamp = '', name, namespace } = before?.metadata ?? {};
    const isOwner = readyOf(before)?.reason !== 'TargetConflict';
    if (deletionPolicy !== 'RemovePrivateEndpoints' || !isOwner) return;
    const deletedAt = Date.parse(deletionTimestamp) - life.wall;
    const target = `organization ${organizationId}`;
    // "once an attempt … has failed, at --cleanup-deadline"
    if (at >= deletedAt + CLEANUP_MS && (tried.get(target)?.at ?? 0) >= deletedAt) return;
    const present = life.api.organizations.of(organizationId)?.privateEndpoints.map(endpointKey);
    const { privateEndpoints = [], pendingChange } = statusOf(before);
    for (const one of [...privateEndpoints, ...(pendingChange?.add ?? [])]) {
      const key = endpointKey(one);
      const since = added.get(`${target} ${key}`) ?? Number.POSITIVE_INFINITY;
      const isOurs = since < at && !('origin' in one && one.origin === 'Found');
      if (isOurs && present?.includes(key) && !listed.includes(key))
        court.report('left behind', `organizations/${namespace}/${name}`, `${one.id} is left`);
    }
  };

  return {
    atEnd: () => {
      for (const { change, at, listed } of gone) judge(change, at, listed);
    },
  };
};
