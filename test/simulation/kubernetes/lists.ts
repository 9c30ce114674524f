import { type Backup, listOf, type Objects, type Thing } from './objects.ts';
import { badRequest, expired, Refusal } from './refusal.ts';
import { listKind, listVersion, type Selection } from './selection.ts';

/**
 * Where a list goes on: after which object, as of which revision. It is all that a token says, as
 * with the real one.
 */
interface Place {
  readonly rv: number;
  readonly after: string;
}

/** Lists in pages: what follows a page is that of the moment of the first one. */
export class Lists {
  readonly #objects: Objects;
  /** Most objects on a page, whatever the client asks for; a server may give fewer than that. */
  largestPage = Number.POSITIVE_INFINITY;

  /** Where lists come from a server that is behind the storage: what it knows. */
  old: Backup | undefined;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  page(selection: Selection, query: URLSearchParams, accept: string): object {
    const { kind, listed, metadataOnly } = selection;
    const token = query.get('continue') ?? '';
    const { revision, left } =
      token === '' ? this.#first(selection) : this.#next(selection, placeIn(token));
    const limit = Math.min(
      Number(query.get('limit') ?? 0) || Number.POSITIVE_INFINITY,
      this.largestPage,
    );
    const page = left.slice(0, limit);
    const last = page.at(-1);
    const next = left.length > page.length && last ? this.#tokenAfter(last, revision) : undefined;
    return {
      kind: listKind(kind, accept),
      apiVersion: listVersion(kind, accept),
      metadata: {
        resourceVersion: String(revision),
        ...(next !== undefined && { continue: next }),
      },
      items: page.length === 0 && metadataOnly ? null : page.map(listed),
    };
  }

  #first({ kind, namespace, fits }: Selection): { revision: number; left: readonly Thing[] } {
    if (this.old)
      return {
        revision: this.old.revision,
        left: listOf(this.old.objects, kind, namespace).filter(fits),
      };
    return {
      revision: this.#objects.revision,
      left: this.#objects.list(kind, namespace).filter(fits),
    };
  }

  #next(
    { kind, namespace, fits }: Selection,
    { rv, after }: Place,
  ): { revision: number; left: readonly Thing[] } {
    const { revision } = this.#objects;
    if (rv > revision) throw tooLarge(rv, revision);
    const kept = this.#objects.listAt(rv, kind, namespace);
    if (!kept)
      throw expired(
        'The provided continue parameter is too old to display a consistent list result.',
      );
    const start = kept.findIndex((thing) => placeOf(thing) === after) + 1;
    return { revision: rv, left: kept.slice(start).filter(fits) };
  }

  #tokenAfter(last: Thing, rv: number): string {
    if (rv === this.#objects.revision) this.#objects.keep();
    const place: Place = { rv, after: placeOf(last) };
    return Buffer.from(JSON.stringify(place)).toString('base64url');
  }
}

function placeOf({ metadata }: Thing): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function placeIn(token: string): Place {
  try {
    const { rv, after } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Place>;
    if (typeof rv === 'number' && typeof after === 'string') return { rv, after };
  } catch {
    // Said below, as for any other token that is none of ours.
  }
  throw badRequest('continue key is not valid');
}

/** A token from before the server went back to a backup: its version is still to come. */
function tooLarge(rv: number, revision: number): Refusal {
  const message = `Timeout: Too large resource version: ${rv}, current: ${revision}`;
  return new Refusal(504, 'Timeout', message, { retryAfterSeconds: 1 });
}
