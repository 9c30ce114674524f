import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/resource.ts';

/**
 * Whether somebody else has recorded an attempt since the pass began: another process leads, and its word is newer.
 * An older attempt than the one that the pass knew comes from a backup and counts for nothing.
 */
export function hasOthersAttempt(
  newer: KubeObject,
  ours: { readonly base: KubeObject; readonly status: object },
): boolean {
  const attempt = lastRequestOf(newer.status);
  const known = lastRequestOf(ours.base.status);
  if (!attempt || isDeepStrictEqual(attempt, known) || isDeepStrictEqual(attempt, lastRequestOf(ours.status))) {
    return false;
  }
  return (attempt.time ?? '') >= (known?.time ?? '');
}

function lastRequestOf(status: unknown): { readonly time?: string } | undefined {
  return (status as { readonly lastRequest?: { readonly time?: string } } | undefined)?.lastRequest;
}

/**
 * Whether what is confirmed there is the very state that this visit has confirmed, or, since the visit began, the one that it was
 * about: requests for it are all alike, and it does not matter whose was last.
 */
export function confirmsTheSame(
  newer: KubeObject,
  ours: { readonly base: KubeObject; readonly status: object },
): boolean {
  const [before, own, there] = [ours.base.status, ours.status, newer.status].map(appliedIn);
  if (!there) return false;
  if (own?.requestHash === there.requestHash && !isDeepStrictEqual(own, before)) return true;
  if (isDeepStrictEqual(there, before) || !isAbout(there, newer) || !isAbout(there, ours.base)) return false;
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
