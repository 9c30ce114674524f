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

/** Whether both say that the same declared state was confirmed: then it does not matter whose request was last. */
export function confirmsTheSame(a: unknown, b: unknown): boolean {
  const hash = hashOf(a);
  return hash !== undefined && hash === hashOf(b);
}

function hashOf(status: unknown): string | undefined {
  return (status as { readonly applied?: { readonly requestHash?: string } } | undefined)?.applied?.requestHash;
}
