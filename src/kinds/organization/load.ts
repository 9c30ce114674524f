import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secret-state.ts';
import type { Secrets } from '../../kube/secrets.ts';
import type { Store } from '../../kube/store.ts';
import type { Memory } from '../attempt.ts';
import { generationOf } from '../common-status.ts';
import { secretNameOf } from '../credentials.ts';
import type { Holder } from '../target.ts';
import { type Tuple, tupleKey } from './endpoints.ts';
import { inheritance } from './inheritance.ts';
import type { Memo, Memos } from './memo.ts';
import type { Predecessors } from './predecessors.ts';
import { type DeclaredEndpoint, type LedgerEntry, type Organization, parseSpec } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts {
  /** Which object for this organization may act; the object itself, or another. */
  readonly holder: Holder;
  /** What the holder has in its ledger of the endpoints that this object lists; empty for the holder itself. */
  readonly inherited: readonly LedgerEntry[];
  /** What objects list that wait for this one to go. */
  readonly awaited: readonly DeclaredEndpoint[];
  /** Endpoints of this object among them that those have not taken into their ledger yet. */
  readonly unclaimed: readonly Tuple[];
  readonly memo: Memo;
  readonly secret: SecretState;
  /** Version of the Secret that this process last tried for the object. */
  readonly triedSecret: string | undefined;
  /** The pacer holds a slot for the object. */
  readonly hasSlot?: boolean;
  /** Normalised base address of the API. */
  readonly baseUrl: string;
  readonly apiTimeoutMs: number;
  readonly cleanupDeadlineMs: number;
}

/** Files objects under the organization they stand for, whether or not the rest of their spec is valid. */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as { organizationId?: unknown } | undefined;
  return typeof spec?.organizationId === 'string' ? spec.organizationId : undefined;
}

export interface LoadSources extends Pick<Facts, 'baseUrl' | 'apiTimeoutMs' | 'cleanupDeadlineMs'> {
  readonly store: Pick<Store<Organization>, 'byIndex'>;
  readonly secrets: Pick<Secrets, 'state'>;
  readonly memory: Memory;
  readonly memos: Pick<Memos, 'of'>;
  readonly predecessors: Pick<Predecessors, 'of'>;
  readonly hasSlot: (storeKey: string) => boolean;
}

export function load(object: Organization, from: LoadSources): Facts {
  const { memory, baseUrl, apiTimeoutMs, cleanupDeadlineMs } = from;
  const key = keyOf(object);
  const target = targetOf(object);
  const rivals = target === undefined ? [object] : from.store.byIndex('target', target);
  const holder =
    from.predecessors.of(object) ?? (rivals.length > 1 ? holderOf(rivals, hasActed(memory)) : undefined) ?? object;
  const isHolder = holder.metadata.uid === object.metadata.uid;
  const { uid, namespace, name } = holder.metadata;
  const secretName = secretNameOf(object);
  return {
    holder: { uid, namespace, name },
    inherited: isHolder ? [] : inheritance(object, holder, apiTimeoutMs),
    awaited: isHolder ? rivals.flatMap((rival) => (rival === object ? [] : listedBy(rival))) : [],
    unclaimed: isHolder ? rivals.flatMap((rival) => (rival === object ? [] : unclaimedBy(rival, object))) : [],
    memo: memoFor(from.memos.of(object), generationOf(object)),
    secret: secretName === undefined ? { state: 'unknown' } : from.secrets.state(object.metadata.namespace, secretName),
    triedSecret: memory.triedSecret.get(key),
    hasSlot: from.hasSlot(key),
    baseUrl,
    apiTimeoutMs,
    cleanupDeadlineMs,
  };
}

function hasActed({ underWay }: Memory): (object: Organization) => boolean {
  return ({ status, ...object }) =>
    status?.applied !== undefined || status?.pendingChange !== undefined || underWay.has(keyOf(object));
}

/** Of those that waited for an object that is gone: who has something to take over from it and has not done so. */
export function heirsOf(gone: Organization, rivals: readonly Organization[], memory: Memory): Organization[] {
  if (holderOf([gone, ...rivals], hasActed(memory)) !== gone) return [];
  return rivals.filter((rival) => unclaimedBy(rival, gone).length > 0);
}

function listedBy(rival: Organization): readonly DeclaredEndpoint[] {
  if (rival.metadata.deletionTimestamp) return [];
  const parsed = parseSpec(rival);
  return parsed.ok ? (parsed.spec.privateEndpoints ?? []) : [];
}

/** What the waiting object lists of the holder's and does not yet know to be its own, should the holder go. */
function unclaimedBy(rival: Organization, { status }: Organization): readonly Tuple[] {
  const { privateEndpoints = [], pendingChange } = status ?? {};
  const ours = new Set([
    ...privateEndpoints.filter(({ origin }) => origin !== 'Found').map(tupleKey),
    ...(pendingChange?.add ?? []).map(tupleKey),
  ]);
  const claimed = (rival.status?.privateEndpoints ?? []).filter(({ origin }) => origin !== 'Found');
  const known = new Set(claimed.map(tupleKey));
  return listedBy(rival).filter((endpoint) => ours.has(tupleKey(endpoint)) && !known.has(tupleKey(endpoint)));
}

/** What was being taken apart for another spec is of no use. */
function memoFor(memo: Memo, generation: number): Memo {
  if (!memo.apart || memo.apart.generation === generation) return memo;
  const { apart: _, ...rest } = memo;
  return rest;
}

/** One that has acted keeps the organization; among equals the oldest. */
function holderOf(
  objects: readonly Organization[],
  acted: (object: Organization) => boolean,
): Organization | undefined {
  const rank = ({ metadata, ...object }: Organization): string =>
    JSON.stringify([!acted({ metadata, ...object }), metadata.creationTimestamp, metadata.uid]);
  return objects.reduce<Organization | undefined>(
    (first, object) => (!first || rank(object) < rank(first) ? object : first),
    undefined,
  );
}
