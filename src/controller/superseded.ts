import { isDeepStrictEqual } from 'node:util';
import { KubeError } from '../kube/client/kube-error.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Kind, Report } from './kind.ts';

/**
 * Whether somebody else has recorded an attempt since the pass began: another process leads, and
 * its word is newer. An older attempt than the one that the pass knew comes from a backup and
 * counts for nothing.
 */
function hasOthersAttempt(
  newer: KubeObject,
  ours: { readonly base: KubeObject; readonly status: object },
): boolean {
  const attempt = lastRequestOf(newer.status);
  const known = lastRequestOf(ours.base.status);
  if (
    !attempt ||
    isDeepStrictEqual(attempt, known) ||
    isDeepStrictEqual(attempt, lastRequestOf(ours.status))
  ) {
    return false;
  }
  return (attempt.time ?? '') >= (known?.time ?? '');
}

function lastRequestOf(status: unknown): { readonly time?: string } | undefined {
  return (status as { readonly lastRequest?: { readonly time?: string } } | undefined)?.lastRequest;
}

/**
 * Whether what is confirmed there is the very state that this visit has confirmed, or, since the
 * visit began, the one that it was about: requests for it are all alike, and it does not matter
 * whose was last.
 */
export function confirmsTheSame(
  newer: KubeObject,
  ours: { readonly base: KubeObject; readonly status: object },
): boolean {
  const [before, own, there] = [ours.base.status, ours.status, newer.status].map(appliedIn);
  if (!there) return false;
  if (own?.requestHash === there.requestHash && !isDeepStrictEqual(own, before)) return true;
  if (isDeepStrictEqual(there, before) || !isAbout(there, newer) || !isAbout(there, ours.base))
    return false;
  // A cluster that was restored gives the numbers of generations once more.
  return isDeepStrictEqual(newer.spec, ours.base.spec);
}

function isAbout({ generation }: Applied, { metadata }: KubeObject): boolean {
  return generation !== undefined && generation === metadata.generation;
}

interface Applied {
  readonly requestHash?: string;
  readonly generation?: number;
}

function appliedIn(status: unknown): Applied | undefined {
  return (status as { readonly applied?: Applied } | undefined)?.applied;
}

/** What a write that failed may have put there needs no leave. */
export function isOnTop(newer: KubeObject, { base, report, tried }: Kept): boolean {
  if (tried !== undefined && isDeepStrictEqual(newer.status, report.status)) return true;
  // A cluster restored from a backup counts generations anew.
  if ((newer.metadata.generation ?? 0) < (base.metadata.generation ?? 0)) return false;
  const isSameCount = newer.metadata.generation === base.metadata.generation;
  if (isSameCount && !isDeepStrictEqual(newer.spec, base.spec)) return false;
  return report.isOnTop?.(newer) ?? !hasOthersAttempt(newer, { base, status: report.status });
}

/**
 * What was said of another spec says nothing of this one, though a restore may have given it the
 * number of that one's generation.
 */
export function unspoken(object: KubeObject): KubeObject {
  const { conditions = [], ...status } = (object.status ?? {}) as {
    readonly conditions?: readonly object[];
  };
  return {
    ...object,
    status: { ...status, conditions: conditions.map((one) => ({ ...one, observedGeneration: 0 })) },
  };
}

export function isRefusedBySchema(error: unknown): boolean {
  return error instanceof KubeError && error.status === 422;
}

export function isChanged(base: KubeObject, newest: KubeObject | undefined): boolean {
  const { generation, annotations } = base.metadata;
  return (
    newest?.metadata.generation !== generation ||
    !isDeepStrictEqual(newest?.metadata.annotations ?? {}, annotations ?? {})
  );
}

/**
 * A result whose status write has not succeeded yet: the remote side has been told, the cluster has
 * not.
 */
export interface Kept {
  readonly kind: Kind;
  readonly report: Report & { readonly status: object };
  /** The object as the pass saw it. */
  readonly base: KubeObject;
  /** The version on top of which it was to be written last. */
  readonly tried?: string;
  /** A write of it had no answer. */
  readonly isUnanswered?: true;
  /** What the step before has learned, and what this one has done nothing about yet. */
  readonly unsaid?: Kept;
}
