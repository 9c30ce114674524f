import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { Memory } from '../engine/api-call.ts';
import { generationOf, requestedAt } from '../status/common-status.ts';
import { type Due, whenDue } from '../status/due.ts';
import { type SecretFacts, secretFactsOf } from '../status/tried-secret.ts';
import { isProven } from '../target/proof.ts';
import { type StandingSources, standingOf } from '../target/standing.ts';
import type { Standing } from '../target/target.ts';
import type { Notebook } from './attempt/notebook.ts';
import type { Notes } from './attempt/notes.ts';
import { sessionOf } from './attempt/session.ts';
import { type DeclaredEndpoint, type Organization, parseSpec } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts extends SecretFacts {
  /** What decides which of the objects for this organization may act. */
  readonly standing: Standing;
  /** What others list that stays when this object is deleted. */
  readonly listedByOthers: readonly DeclaredEndpoint[];
  readonly notes: Notes;
  /** A write for the same target stands in no status: what the API holds may be that. */
  readonly owed: boolean;
  /** The limiter holds a slot for the object. */
  readonly hasSlot?: boolean;
  /** Monotonic ms. */
  readonly monotonic: number;
  /** Normalised base address of the API. */
  readonly baseUrl: string;
  /** Identifies that API in `status.proof`. */
  readonly apiHash: string;
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;
  readonly cleanupDeadlineMs: number;
  /** `--plan-only`. */
  readonly planOnly: boolean;
}

/**
 * Files objects under the organization they stand for, whether or not the rest of their spec is
 * valid.
 */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as { organizationId?: unknown } | undefined;
  return typeof spec?.organizationId === 'string' ? spec.organizationId : undefined;
}

type Given = 'baseUrl' | 'apiHash' | 'cleanupDeadlineMs' | 'planOnly';

export interface LoadSources extends StandingSources<Organization>, Pick<Facts, Given> {
  readonly memory: Memory;
  readonly notebook: Notebook;
  readonly hasSlot: (storeKey: string) => boolean;
  readonly monotonic: () => number;
}

export function load(object: Organization, from: LoadSources): Facts {
  const { baseUrl, apiHash, cleanupDeadlineMs, planOnly } = from;
  const monotonic = from.monotonic();
  const notes = from.notebook.of(object, monotonic);
  return {
    standing: standingOf(object, from),
    listedByOthers: from.rivals(object).flatMap((rival) => listedBy(rival, object, apiHash)),
    notes,
    ...secretFactsOf(object, from),
    owed: from.memory.unrecorded.isOwed(targetOf(object), {
      key: keyOf(object),
      uid: object.metadata.uid,
      goesOn: notes.session !== undefined && sessionOf(object, notes, monotonic) === notes.session,
    }),
    hasSlot: from.hasSlot(keyOf(object)),
    monotonic,
    baseUrl,
    apiHash,
    atWorkMs: from.notebook.atWorkMs,
    cleanupDeadlineMs,
    planOnly,
  };
}

/**
 * Anybody may write anybody's ids into an object, so one of another namespace has a say only where
 * it is proven.
 */
function listedBy(
  rival: Organization,
  object: Organization,
  apiHash: string,
): readonly DeclaredEndpoint[] {
  const { uid, namespace, deletionTimestamp } = rival.metadata;
  if (uid === object.metadata.uid || deletionTimestamp) return [];
  if (namespace !== object.metadata.namespace && !isProven(rival.status, apiHash)) return [];
  const parsed = parseSpec(rival);
  return parsed.ok ? (parsed.spec.privateEndpoints ?? []) : [];
}

/** Whether its time has come. `reassertMs` undefined: never for that reason alone. */
export function dueOf(
  object: Organization,
  { secret, triedSecret, hasSlot }: Facts,
  asked: {
    readonly confirmed: boolean;
    readonly reassertMs?: number | undefined;
    readonly now: number;
  },
): Due {
  return whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status: object.status,
    requested: requestedAt(object),
    secret,
    triedSecret,
    hasSlot,
    reassertMs: asked.reassertMs,
    confirmed: asked.confirmed,
    now: asked.now,
  });
}
