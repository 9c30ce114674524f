import type { KubeObject } from '../../kube/resource.ts';
import { type CommonStatus, isReady, readyOf } from '../status/common-status.ts';
import { type SecretSources, secretFactsOf } from '../status/tried-secret.ts';
import { claimOf } from './claim.ts';
import type { Contests } from './contests.ts';
import type { Departed } from './departed.ts';
import type { Locks } from './locks.ts';
import { type Claim, judgeTarget, type Standing } from './target.ts';

export interface StandingSources<T extends KubeObject> extends SecretSources {
  readonly targetOf: (object: T) => string | undefined;
  readonly rivals: (object: T) => readonly T[];
  readonly mayAct: (object: T) => boolean;
  readonly locks: Pick<Locks, 'remainingMs' | 'atWorkMs'>;
  readonly contests: Contests;
  readonly departed: Pick<Departed, 'of'>;
  /** Configured namespaces that nobody has listed yet. */
  readonly unlisted: () => readonly string[];
  readonly apiHash: string;
}

/** Gathers what `judgeTarget` needs for this object. */
export function standingOf<T extends KubeObject>(object: T, from: StandingSources<T>): Standing {
  const { uid } = object.metadata;
  const target = from.targetOf(object);
  const rivals = from.rivals(object).filter(({ metadata }) => metadata.uid !== uid);
  const [own, ...others] = [object, ...rivals].map((one) => claimFor(one, from)) as [
    Claim,
    ...Claim[],
  ];
  const isContest = others.length > 0 && ![own, ...others].some(({ proven }) => proven);
  if (!isContest) from.contests.end(target);
  return {
    own,
    others,
    waits: readyOf(object.status as CommonStatus | undefined)?.reason === 'TargetConflict',
    unlisted: from.unlisted().length > 0,
    atWorkMs: from.locks.atWorkMs,
    departed: target === undefined ? undefined : from.departed.of(target, uid),
    unsettledMs: target === undefined ? undefined : from.locks.remainingMs(target, uid),
    courtesyMs: isContest && target !== undefined ? from.contests.courtesyMs(target) : 0,
  };
}

/**
 * Asked right before its call leaves: while its Secret was read or it stood in line, another one
 * may have come to hold the target.
 */
export function stillHolds<T extends KubeObject>(
  object: T | undefined,
  from: StandingSources<T>,
  now: number,
): boolean {
  return object !== undefined && judgeTarget(standingOf(object, from), now).holds;
}

function claimFor<T extends KubeObject>(object: T, from: StandingSources<T>): Claim {
  return claimOf(object, {
    apiHash: from.apiHash,
    mayAct: from.mayAct(object),
    ...secretFactsOf(object, from),
  });
}

/**
 * Whether it waits for its turn without a word: what was confirmed for this generation stays so
 * while it waits to be sent again, and by the word that its key was refused it comes after the
 * others.
 */
export function keepsItsWord(object: KubeObject, { own }: Pick<Standing, 'own'>): boolean {
  return own.refused || isReady(object);
}
