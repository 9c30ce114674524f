import type { HeldFacts } from '../engine/open-kind.ts';
import { isProven } from '../target/proof.ts';
import type { Notebook } from './attempt/notebook.ts';
import type { Notes } from './attempt/notes.ts';
import { sessionOf } from './attempt/session.ts';
import { type DeclaredEndpoint, type Organization, parseSpec } from './resource.ts';

/** What a reconcile knows besides the object itself. */
export interface Facts extends HeldFacts {
  /** What others list that stays when this object is deleted. */
  readonly listedByOthers: readonly DeclaredEndpoint[];
  readonly notes: Notes;
  /** Monotonic ms. */
  readonly monotonic: number;
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;
  readonly cleanupDeadlineMs: number;
}

export interface LoadSources {
  readonly factsOf: (object: Organization, goesOn: boolean) => HeldFacts;
  readonly rivals: (object: Organization) => readonly Organization[];
  readonly notebook: Pick<Notebook, 'of' | 'atWorkMs'>;
  readonly cleanupDeadlineMs: number;
  readonly monotonic: () => number;
}

export function load(object: Organization, from: LoadSources): Facts {
  const monotonic = from.monotonic();
  const notes = from.notebook.of(object, monotonic);
  const goesOn =
    notes.session !== undefined && sessionOf(object, notes, monotonic) === notes.session;
  const facts = from.factsOf(object, goesOn);
  return {
    ...facts,
    listedByOthers: from.rivals(object).flatMap((rival) => listedBy(rival, object, facts.apiHash)),
    notes,
    monotonic,
    atWorkMs: from.notebook.atWorkMs,
    cleanupDeadlineMs: from.cleanupDeadlineMs,
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
