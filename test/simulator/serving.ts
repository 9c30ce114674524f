import type { ApiKeys, Credential } from './api-keys.ts';
import { isOperations, lateWork, worksOnArrival } from './fault-script.ts';
import type { Limits } from './rate-limits.ts';
import type { Work } from './replies.ts';
import { organizationOf, type ReadRequest, route, type Stores } from './routing.ts';
import type { Fault } from './types.ts';

/** All that decides what a call comes to, however it got here. */
export interface Service {
  readonly keys: ApiKeys;
  readonly limits: Limits;
  readonly stores: Stores;
}

export interface Served {
  /** what is to happen to the call */
  readonly fault: Fault | undefined;
  /**
   * what the operation did, or why the call did not get to it; undefined where the answer comes
   * without either
   */
  readonly done: Work | undefined;
  /** work that is left to do, so long after the answer */
  readonly late?: { readonly ms: number; readonly work: () => Work };
}

/**
 * Lets a call that has arrived whole through to its operation, unless its key, the limit or a fault
 * forbids it. `faultFor` is asked once, with whether keys and limits let the call through.
 */
export function serve(
  { keys, limits, stores }: Service,
  { credential, ...request }: ReadRequest & { readonly credential: Credential | undefined },
  faultFor: (admitted: boolean) => Fault | undefined,
): Served {
  const { method, path } = request;
  const keyId = credential?.keyId ?? '';
  const refusal =
    keys.refuse(credential, { method, organizationId: organizationOf(path) }) ??
    limits.refuse(keyId);
  const fault = faultFor(refusal === undefined);
  const work = (): Work => route(request, stores, fault?.play);
  const ms = lateWork(fault);
  const onArrival = worksOnArrival(fault);
  if (refusal !== undefined)
    return { fault, done: onArrival ? { reply: refusal, applied: false } : undefined };
  if (onArrival || ms !== undefined || (fault !== undefined && isOperations(fault)))
    limits.count(keyId);
  return {
    fault,
    done: onArrival ? work() : undefined,
    ...(ms !== undefined && { late: { ms, work } }),
  };
}

/** What a body says as JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
