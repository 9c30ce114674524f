import type { Change, Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import { keyOf, REQUESTED_AT, readyOf, specOf, statusOf, targetOfSpec } from '../record/objects.ts';

const SECOND = 1_000;
/** What an edit may wait for: its turn, which is said after 30 s, or another attempt with slow calls. */
const SEEN_MS = 200 * SECOND;
/** A Secret is asked for every 60 s at the latest. */
const TRIED_MS = 150 * SECOND;
const TOLERANCE_MS = 2 * SECOND;
/** Less is no wait between two attempts, of which a few may be: a time that was said before. */
const [HASTY_MS, MOST_HASTY] = [700, 3];

/** Waits that neither a restart nor a Secret ends. */
const WAITING: ReadonlySet<string> = new Set([
  'Unavailable',
  'OutcomeUnknown',
  'RateLimited',
  'Conflict',
  'DependencyNotReady',
  'UnexpectedResponse',
  'NotConfirmed',
]);
const OF_SECRET = ['SecretNotFound', 'SecretInvalid', 'Unauthorized'];

/** What is edited is seen, what is mended is tried, and waits are kept: --cleanup-deadline too. */
export const prompt: Judge = (life, court) => {
  /** When Kubernetes or a process last had trouble; and when anybody last did anything. */
  let disturbedAt = Number.NEGATIVE_INFINITY;
  let actedAt = Number.NEGATIVE_INFINITY;
  const calledAt = new Map<string, number>();
  /** By target: attempts in a row that did not wait. */
  const hasty = new Map<string, number>();
  const secretAt = new Map<string, number>();
  /** By uid: when its status was written last. */
  const statusAt = new Map<string, number>();

  const current = ({ kind, now }: Change): Thing | undefined => {
    const { namespace, name, uid } = now.metadata;
    const stored = life.stored(kind.plural, namespace, name);
    return stored?.metadata.uid === uid ? stored : undefined;
  };

  const edited = (change: Change, at: number): void =>
    void life.timeline.quietlyAt(SEEN_MS, () => {
      const stored = current(change);
      const { generation } = change.now.metadata;
      if (stored?.metadata.generation !== generation || stored?.metadata.deletionTimestamp) return;
      if (disturbedAt > at - SECOND || statusOf(stored).observedGeneration === generation) return;
      const seconds = SEEN_MS / SECOND;
      court.report('prompt late', keyOf(change.kind.plural, change.now), `not after ${seconds} s`);
    });

  const mended = (change: Change, at: number): void =>
    void life.timeline.quietlyAt(TRIED_MS, () => {
      const { namespace, resourceVersion } = change.now.metadata;
      if (current(change)?.metadata.resourceVersion !== resourceVersion) return;
      if (disturbedAt > at || actedAt > at) return;
      for (const { plural, thing } of life.objects()) {
        const { suspend, mode } = specOf(thing);
        const isHeld = suspend || mode === 'Plan' || thing.metadata.namespace !== namespace;
        const target = targetOfSpec(plural, specOf(thing));
        const reason = readyOf(thing)?.reason ?? '';
        if (isHeld || !OF_SECRET.includes(reason) || (calledAt.get(target) ?? 0) > at) continue;
        court.report('prompt missed', keyOf(plural, thing), `${reason}, though its Secret changed`);
      }
    });

  const leaves = (target: string, name: string, at: number): void => {
    const before = calledAt.get(target) ?? 0;
    calledAt.set(target, at);
    const things = life.objectsFor(target);
    const [only] = things;
    if (!only || things.length > 1) return;
    const { metadata } = only;
    const { nextAttemptTime = '', observedGeneration, lastHandledReconcileAt } = statusOf(only);
    const isWaiting =
      WAITING.has(readyOf(only)?.reason ?? '') &&
      observedGeneration === metadata.generation &&
      metadata.annotations?.[REQUESTED_AT] === lastHandledReconcileAt &&
      (secretAt.get(metadata.namespace) ?? 0) < before &&
      (statusAt.get(metadata.uid) ?? 0) > before;
    const inRow = isWaiting && at - before < HASTY_MS ? (hasty.get(target) ?? 0) + 1 : 0;
    hasty.set(target, inRow);
    if (inRow > MOST_HASTY) court.report('prompt hasty', target, `${name} leaves without a wait`);
    if (isWaiting && Date.parse(nextAttemptTime) - life.wall > at + TOLERANCE_MS)
      court.report('prompt early', target, `${name} leaves before ${nextAttemptTime}`);
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'leaves') leaves(fact.call.target, fact.call.name, fact.at);
    if (fact.what === 'act') actedAt = fact.at;
    const isFailed = fact.what === 'asked' && !(fact.ask.status && fact.ask.status < 429);
    if (isFailed || (fact.what === 'process' && fact.did !== 'starts')) disturbedAt = fact.at;
    if (fact.what !== 'written' || fact.change.type === 'DELETED') return;
    const { change, at } = fact;
    const { before, now, kind, by } = change;
    if (kind.plural === 'secrets') {
      secretAt.set(now.metadata.namespace, at);
      mended(change, at);
    }
    if (!kind.schema) return;
    const { deletionTimestamp = '', generation } = now.metadata;
    const deadline = Date.parse(deletionTimestamp) - life.wall + 600 * SECOND;
    const { nextAttemptTime = '', observedGeneration } = statusOf(now);
    const isLate = Date.parse(nextAttemptTime) - life.wall > deadline + TOLERANCE_MS;
    if (by !== 'user' && observedGeneration === generation && at < deadline && isLate)
      court.report('prompt deadline', keyOf(kind.plural, now), 'its next attempt is past it');
    if (by !== 'user') statusAt.set(now.metadata.uid, at);
    else if (before?.metadata.generation !== now.metadata.generation) edited(change, at);
  });
  return {};
};
