import type { HeldFacts } from '../engine/open-kind.ts';
import { isProven } from '../target/proof.ts';
import type { Notebook } from './attempt/notebook.ts';
import type { Notes } from './attempt/notes.ts';
import { sessionUnderWay } from './attempt/session.ts';
import { type DeclaredEndpoint, type Organization, parseSpec } from './resource.ts';

/** What a reconcile knows besides the object itself. */
export interface Facts extends HeldFacts {
  /** What others list that stays when this object is deleted. */
  readonly listedByOthers: readonly DeclaredEndpoint[];
  readonly notes: Notes;
  /** Monotonic ms. */
  readonly monotonic: number;
  readonly cleanupDeadlineMs: number;
}

export interface LoadSources {
  readonly factsOf: (object: Organization, goesOn: boolean) => HeldFacts;
  readonly rivals: (object: Organization) => readonly Organization[];
  readonly notebook: Pick<Notebook, 'of'>;
  readonly cleanupDeadlineMs: number;
  readonly monotonic: () => number;
}

export function load(object: Organization, from: LoadSources): Facts {
  const monotonic = from.monotonic();
  const notes = from.notebook.of(object, monotonic);
  const facts = from.factsOf(object, sessionUnderWay(object, notes, monotonic) !== undefined);
  return {
    ...facts,
    listedByOthers: listedByOthers(object, from.rivals(object), facts.apiHash),
    notes,
    monotonic,
    cleanupDeadlineMs: from.cleanupDeadlineMs,
  };
}

function listedByOthers(
  object: Organization,
  rivals: readonly Organization[],
  apiHash: string,
): readonly DeclaredEndpoint[] {
  return rivals.flatMap((rival) => listedBy(rival, object, apiHash));
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
