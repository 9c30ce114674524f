import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/resource.ts';
import type { Kind, Report, StatusRecords } from './kind.ts';

/** A result that no status tells of yet: the remote side knows it, the cluster does not. */
export interface PendingResult {
  readonly kind: Kind;
  readonly report: Report & { readonly status: object };
  /** The object as the reconcile saw it. */
  readonly base: KubeObject;
  /** The version on top of which it was last tried to be written. */
  readonly triedOn?: string;
  /** A write of it had no answer that could be read, so it may have been carried out. */
  readonly mayBeStored?: true;
  /** What the step before it learned; written in its place where this result is superseded. */
  readonly before?: PendingResult;
}

/** The result as it is written where no next step follows any more. */
export function withLastWord(result: PendingResult): PendingResult {
  const { lastWord, ...report } = result.report;
  if (!lastWord) return result;
  // The events of a status that may stand have not been sent.
  const notices = [...(report.notices ?? []), ...(lastWord.notices ?? [])];
  return { ...result, report: { ...report, ...lastWord, notices } };
}

/** Whether the result's status may go on top of this version of its object. */
export function mayReplace(found: KubeObject, result: PendingResult): boolean {
  const { base, report, triedOn } = result;
  // Written before, and only the answer got lost.
  if (triedOn !== undefined && isDeepStrictEqual(found.status, report.status)) return true;
  // A cluster restored from a backup counts generations anew, so the numbers alone say nothing.
  const generation = found.metadata.generation ?? 0;
  const generationThen = base.metadata.generation ?? 0;
  if (generation < generationThen) return false;
  if (generation === generationThen && !isDeepStrictEqual(found.spec, base.spec)) return false;
  return report.isOnTop?.(found) ?? !hasOthersAttempt(found, result);
}

/**
 * Whether somebody else has recorded an attempt since the reconcile began: another process leads,
 * and its word is newer. An older attempt than the one that stood there then comes from a backup
 * and counts for nothing.
 */
function hasOthersAttempt(found: KubeObject, { kind, base, report }: PendingResult): boolean {
  const { attempt } = kind.recordsIn(found.status);
  const { attempt: before } = kind.recordsIn(base.status);
  const { attempt: own } = kind.recordsIn(report.status);
  if (!attempt || isDeepStrictEqual(attempt, before) || isDeepStrictEqual(attempt, own))
    return false;
  return (attempt.time ?? '') >= (before?.time ?? '');
}

/**
 * Whether what is confirmed there is the very state that this result confirms, or, since the
 * reconcile began, the one that it was about: requests for it are all alike, and it does not matter
 * whose was last.
 */
export function confirmsTheSame(
  found: KubeObject,
  { kind, base, report }: Pick<PendingResult, 'kind' | 'base' | 'report'>,
): boolean {
  const { confirmed } = kind.recordsIn(found.status);
  const { confirmed: before } = kind.recordsIn(base.status);
  const { confirmed: own } = kind.recordsIn(report.status);
  if (!confirmed) return false;
  if (own?.requestHash === confirmed.requestHash && !isDeepStrictEqual(own, before)) return true;
  if (isDeepStrictEqual(confirmed, before)) return false;
  // A cluster that was restored gives the numbers of generations once more.
  return (
    isOfGeneration(confirmed, found) &&
    isOfGeneration(confirmed, base) &&
    isDeepStrictEqual(found.spec, base.spec)
  );
}

function isOfGeneration(
  { generation }: NonNullable<StatusRecords['confirmed']>,
  { metadata }: KubeObject,
): boolean {
  return generation !== undefined && generation === metadata.generation;
}

/**
 * The object with conditions that count for no generation: they were said of another spec, though a
 * restore may have given that one's number to this one.
 */
export function withStaleConditions(object: KubeObject): KubeObject {
  const { conditions = [], ...status } = (object.status ?? {}) as {
    readonly conditions?: readonly object[];
  };
  const stale = conditions.map((condition) => ({ ...condition, observedGeneration: 0 }));
  return { ...object, status: { ...status, conditions: stale } };
}

/** Whether the user has said something new since. */
export function isEdited(base: KubeObject, newest: KubeObject | undefined): boolean {
  const { generation, annotations } = base.metadata;
  return (
    newest?.metadata.generation !== generation ||
    !isDeepStrictEqual(newest?.metadata.annotations ?? {}, annotations ?? {})
  );
}
