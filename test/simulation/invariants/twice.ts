import { isDeepStrictEqual } from 'node:util';
import type { Change, Thing } from '../kubernetes/objects.ts';
import type { Life } from '../life/life.ts';
import { keyOf } from '../record/facts.ts';

/**
 * What the writer of a status held, where that went on top of another state of the object: a
 * restore has given the version twice, and maybe the number of the generation. No server refuses
 * the write, and no client can know. Undefined: it held what stood there.
 */
export function heldInstead(
  { kind, type, now, before, by }: Change,
  life: Life,
): Thing | undefined {
  if (life.wentBackFrom === undefined || by === 'user' || type !== 'MODIFIED' || !before)
    return undefined;
  if (isDeepStrictEqual(now.status, before.status)) return undefined;
  const key = keyOf(kind.plural, now);
  const { knowledge, kubernetesSide } = life;
  const held =
    kubernetesSide.heldBySender ??
    knowledge.of(by).get(key)?.last ??
    knowledge.forgottenBy(by).get(key);
  const isSameVersion = held?.metadata.resourceVersion === before.metadata.resourceVersion;
  return isSameVersion && !isDeepStrictEqual(held, before) ? held : undefined;
}

/** A status as its writer meant it: of what it held. */
export function asMeant(change: Change, life: Life): Change {
  const held = heldInstead(change, life);
  if (!held) return change;
  const { metadata, status } = change.now;
  const { resourceVersion } = metadata;
  return {
    ...change,
    before: held,
    now: { ...held, metadata: { ...held.metadata, resourceVersion }, status },
  };
}
