import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/resource.ts';
import type { Kind, Overtaken, Report } from './kind.ts';

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

/** A request whose object was gone when its reply came. */
interface Note {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly overtaken: Overtaken;
  readonly time: string;
  /** When its reply was there, by the monotonic clock. */
  readonly at: number;
}

/** Most are never heard: nothing comes to stand for what was deleted. So only so many are remembered, and the oldest is let go. */
const MOST_NOTES = 100;

/** Requests that nobody could record any more, until one that stands for the same thing has heard of them. */
export class Unheard {
  #notes: readonly Note[] = [];

  add({ report, ...request }: Pick<Note, 'kind' | 'object' | 'at'> & { readonly report: Report }): void {
    const { overtaken, status } = report;
    const { time } = lastRequestOf(status) ?? {};
    if (!overtaken || time === undefined) return;
    this.#notes = [...this.#notes, { ...request, overtaken, time }].slice(-MOST_NOTES);
  }

  /** A request of this process for that object was answered at that time: of two for the same thing the later began when the earlier was over. */
  answer(kind: Kind, { metadata: { uid } }: KubeObject, at: number): void {
    this.#notes = this.#notes.filter((note) => note.kind !== kind || note.at >= at || !isFor(note, uid));
  }

  /** What an object has to hear: it stands for the same thing, was confirmed, and has sent nothing since. */
  for(kind: Kind, object: KubeObject, now: number): Note | undefined {
    const { uid } = object.metadata;
    for (const note of this.#notes) {
      if (note.kind !== kind || !isFor(note, uid)) continue;
      if (uid === note.object.metadata.uid || note.overtaken(object, now) === undefined) continue;
      if ((lastRequestOf(object.status)?.time ?? '') <= note.time) return note;
      this.drop(note);
    }
    return undefined;
  }

  drop(note: Note): void {
    this.#notes = this.#notes.filter((one) => one !== note);
  }
}

/** Whether the object with this uid stands for what that request was about. */
function isFor({ kind, object }: Note, uid: string): boolean {
  return kind.rivals(object).some(({ metadata }) => metadata.uid === uid);
}
