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

/** Whether this visit has confirmed the very state that is confirmed there too: then it does not matter whose request was last. */
export function confirmsTheSame(
  newer: KubeObject,
  ours: { readonly base: KubeObject; readonly status: object },
): boolean {
  const confirmed = appliedIn(ours.status);
  if (!confirmed || isDeepStrictEqual(confirmed, appliedIn(ours.base.status))) return false;
  return confirmed.requestHash === appliedIn(newer.status)?.requestHash;
}

function appliedIn(status: unknown): { readonly requestHash?: string } | undefined {
  return (status as { readonly applied?: { readonly requestHash?: string } } | undefined)?.applied;
}
