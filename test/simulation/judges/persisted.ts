import type { Judge } from '../oracles/court.ts';
import { type ApiCall, type EndpointView, endpointsOf } from '../record/facts.ts';
import { endpointKey, keyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';

/** When a process put a change on record, and whether it has left since. */
interface Pending {
  readonly by: string;
  readonly target: string;
  readonly time: string | undefined;
  readonly text: string;
  hasLeft: boolean;
  readonly at: number;
  /** The process has been told that it stands. */
  isTold: boolean;
}

/**
 * A change is on record before it leaves, and one that did not leave is taken back; one call at a
 * time for a target.
 */
export const persisted: Judge = (life, court) => {
  const inFlight = new Map<string, ApiCall>();
  /** By object. */
  const pending = new Map<string, Pending>();

  const leaves = (call: ApiCall): void => {
    if (call.method === 'GET') return;
    const slot = `${call.process} ${call.target}`;
    const other = inFlight.get(slot);
    if (other)
      court.report('persisted twice', call.target, `${call.name} leaves beside ${other.name}`);
    inFlight.set(slot, call);
    const { add, remove } = endpointsOf(call.body);
    if (add.length + remove.length === 0) return;
    const text = textOf(add, remove);
    const known = [...pending.values()].filter(
      (one) => one.target === call.target && one.text === text,
    );
    if (known.length === 0)
      court.report('persisted nowhere', call.target, `${call.name} (${text}) is on no record`);
    for (const one of known) one.hasLeft = true;
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') leaves(fact.call);
    if (fact.what === 'answered' || fact.what === 'unanswered') {
      const slot = `${fact.call.process} ${fact.call.target}`;
      if (inFlight.get(slot) === fact.call) inFlight.delete(slot);
    }
    if (fact.what === 'asked' && fact.ask.status === 200 && fact.ask.path.endsWith('/status'))
      for (const one of pending.values())
        if (fact.ask.leftAt <= one.at && fact.ask.body.includes(`"${one.time}"`)) one.isTold = true;
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    const { now, before, by, type } = fact.change;
    // Who deletes it has told nobody yet: what left just then was on record.
    if (by === 'user' || type === 'DELETED') return;
    const key = keyOf('organizations', now);
    const { pendingChange } = statusOf(now);
    if (!pendingChange) {
      pending.delete(key);
      return;
    }
    const { time, add, remove } = pendingChange;
    const text = textOf(add, remove);
    const known = pending.get(key);
    if (known?.text !== text || known.time !== time) {
      const target = targetOfSpec('organizations', specOf(now));
      pending.set(key, { by, target, time, text, hasLeft: false, at: fact.at, isTold: false });
    } else if (known.by === by && known.isTold && !known.hasLeft && isStatus(now, before))
      court.report('persisted unsent', key, `${text} never left, and ${by} keeps it on record`);
  });
  return {};
};

/** A finalizer that is put on or taken off says nothing of the change. */
function isStatus(now: { status?: unknown }, before: { status?: unknown } | undefined): boolean {
  return JSON.stringify(now.status) !== JSON.stringify(before?.status);
}

function textOf(add: readonly EndpointView[] = [], remove: readonly EndpointView[] = []): string {
  return `+${add.map(endpointKey).sort().join()} -${remove.map(endpointKey).sort().join()}`;
}
