import { queueKey } from '../../controller/controller.ts';
import type { Housekeeping } from '../../controller/kind.ts';
import type { Store } from '../../kube/cache/store.ts';
import {
  isSameDeclaration,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '../../kube/resource.ts';
import { recordsIn } from '../status/common-status.ts';
import type { CallFacts } from '../status/due.ts';
import { secretFactsOf } from '../status/tried-secret.ts';
import type { Locks } from '../target/locks.ts';
import { apiHashOf, hasWorked } from '../target/proof.ts';
import { type StandingSources, standingOf, stillHolds } from '../target/standing.ts';
import type { Standing } from '../target/target.ts';
import type { Unrecorded } from '../target/unrecorded.ts';
import type { Calls, Memory } from './api-call.ts';
import type { KindContext } from './context.ts';
import { createKindStore, type KindStore, type KindStoreOptions } from './kind-store.ts';

/** What a kind is made of, before it says anything of its own. */
export interface OpenKind<T extends KubeObject> {
  /** For `defineKind`: what every kind answers the controller in the same way. */
  readonly basics: Housekeeping & { readonly store: Store<T> };
  readonly calls: Calls;
  readonly factsOf: (object: T) => CallFacts;
}

/** A kind that only reads: its objects do not disturb one another. */
export function openKind<T extends KubeObject>(
  type: ResourceType,
  context: KindContext,
  status: KindStoreOptions<T>['status'],
): OpenKind<T> {
  const { kind } = type;
  const stored = createKindStore<T>({ kind, context, status, targetOf: () => undefined });
  return around(type, context, stored);
}

/** What is known of an object whose target others may stand for too. */
export interface HeldFacts extends CallFacts {
  /** What decides which of the objects for this target may act. */
  readonly standing: Standing;
  /**
   * Some object's write for the same target may have reached the API, and no status tells of it.
   * Until somebody sends or looks again, what was confirmed last may not be what the API holds.
   */
  readonly hasUnrecordedWrite: boolean;
  /** Normalised base address of the API. */
  readonly baseUrl: string;
  /** Identifies that API in `status.proof`. */
  readonly apiHash: string;
  /** `--plan-only`: nothing is sent for any object. */
  readonly planOnly: boolean;
}

export interface HeldKind<T extends KubeObject> extends Omit<OpenKind<T>, 'factsOf'> {
  readonly locks: Locks;
  readonly unrecorded: Unrecorded;
  /** Who stands for the same target, the object itself among them. */
  readonly rivals: (object: T) => readonly T[];
  /**
   * `goesOn`: this reconcile is a later step of the same attempt, and its status will tell of what
   * the earlier step has sent; see Unrecorded.
   */
  readonly factsOf: (object: T, goesOn?: boolean) => HeldFacts;
}

/** A kind that changes something: of several objects for one target only one holds it. */
export function openHeldKind<T extends KubeObject>(
  type: ResourceType,
  context: KindContext,
  of: Pick<KindStoreOptions<T>, 'status' | 'targetOf' | 'onStatus'> & {
    /** Its stored spec can be read. */
    readonly isValid: (object: T) => boolean;
  },
): HeldKind<T> {
  const { secrets, planOnly, clock } = context;
  const { baseUrl } = context.api;
  const { targetOf } = of;
  const apiHash = apiHashOf(baseUrl);
  const unlisted = (): readonly string[] => context.unlisted(type.plural);
  const stored = createKindStore<T>({ kind: type.kind, context, unlisted, ...of });
  const { store, rivals, locks, unrecorded } = stored;
  const open = around(type, context, stored);
  const sources: StandingSources<T> = {
    ...stored,
    secrets,
    memory: open.calls.memory,
    targetOf,
    mayAct: (rival) => !planOnly && of.isValid(rival),
    unlisted,
    apiHash,
  };
  return {
    ...open,
    locks,
    unrecorded,
    rivals,
    calls: {
      ...open.calls,
      stillWanted: (object) =>
        open.calls.stillWanted(object) &&
        stillHolds(store.get(keyOf(object)), sources, clock.now()),
    },
    factsOf: (object, goesOn = false) => {
      const { uid } = object.metadata;
      const target = targetOf(object);
      unrecorded.reconciles({ key: keyOf(object), uid, target, goesOn });
      return {
        ...open.factsOf(object),
        standing: standingOf(object, sources),
        hasUnrecordedWrite: unrecorded.has(target, uid),
        baseUrl,
        apiHash,
        planOnly,
      };
    },
  };
}

/** Calls and housekeeping around a store. */
function around<T extends KubeObject>(
  type: ResourceType,
  { api, limiter, readCredential, secrets, clock }: KindContext,
  { store, locks, unrecorded }: Pick<KindStore<T>, 'store' | 'locks' | 'unrecorded'>,
): OpenKind<T> {
  const apiHash = apiHashOf(api.baseUrl);
  const limiterKey = (key: string): string => queueKey(type.kind, key);
  const memory: Memory = { openCalls: new Map(), triedSecret: new Map(), unrecorded };
  const endCall = (key: string, isTold = false): void => {
    const call = memory.openCalls.get(key);
    if (!call) return;
    memory.openCalls.delete(key);
    locks.end(call.target, call.uid, { ...call, isTold });
  };
  return {
    calls: {
      api,
      limiter,
      readCredential,
      hasWorked: (object, secretVersion) => hasWorked(object, { secretVersion, apiHash }),
      memory,
      locks,
      monotonic: () => clock.monotonic(),
      limiterKey,
      stillWanted: (object) => isSameWish(object, store.get(keyOf(object))),
    },
    factsOf: (object) => ({
      ...secretFactsOf(object, { secrets, memory }),
      hasSlot: limiter.hasSlot(limiterKey(keyOf(object))),
    }),
    basics: {
      type,
      store,
      recordsIn,
      recorded(key, how) {
        const isUnknown = memory.openCalls.get(key)?.isUnknown ?? false;
        // Those who are woken because it was lost find the target free.
        endCall(key, how === 'written');
        if (how === 'lost') unrecorded.lost(key);
        else unrecorded.told(key, isUnknown || how === 'same');
      },
      release(key, isOpen) {
        limiter.release(limiterKey(key));
        if (!isOpen) endCall(key);
      },
      forget(key) {
        limiter.forget(limiterKey(key));
        memory.triedSecret.delete(key);
        unrecorded.lost(key);
      },
      takeOver() {
        // What the last attempt on record was made with is known only to the process that made it.
        memory.triedSecret.clear();
        unrecorded.takeOver();
      },
    },
  };
}

/** Suspend and mode are part of the spec. */
function isSameWish(object: KubeObject, now: KubeObject | undefined): boolean {
  return now?.metadata.uid === object.metadata.uid && isSameDeclaration(object, now);
}
