import type { ServedKind } from './kinds.ts';

/** What stands in `details` of a Status object. */
type Details = Readonly<Record<string, unknown>>;

/** What the server answers instead of doing the work. */
export class Refusal extends Error {
  readonly status: number;
  /** '' where the server gives none. */
  readonly reason: string;
  readonly #details: Details | undefined;

  constructor(status: number, reason: string, message: string, details?: Details) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.#details = details;
  }

  /** The Status object that stands in the body. */
  body(): object {
    const { status, reason, message } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason !== '' && { reason }),
      ...(this.#details && { details: this.#details }),
      code: status,
    };
  }
}

export function notFound(kind: ServedKind, name: string): Refusal {
  return new Refusal(
    404,
    'NotFound',
    `${resourceName(kind)} "${name}" not found`,
    detailsOf(kind, name),
  );
}

export function noSuchPath(): Refusal {
  return new Refusal(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(kind: ServedKind, name: string): Refusal {
  return new Refusal(
    409,
    'AlreadyExists',
    `${resourceName(kind)} "${name}" already exists`,
    detailsOf(kind, name),
  );
}

export function conflict(kind: ServedKind, name: string): Refusal {
  return cannotBeDone(
    kind,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** The uid in a write is not that of the stored object; '' stands for that of none. */
export function otherUid(
  kind: ServedKind,
  name: string,
  uids: { readonly sent: string; readonly stored: string },
): Refusal {
  return cannotBeDone(
    kind,
    name,
    `Precondition failed: UID in precondition: ${uids.sent}, UID in object meta: ${uids.stored}`,
  );
}

function cannotBeDone(kind: ServedKind, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`;
  return new Refusal(409, 'Conflict', message, detailsOf(kind, name));
}

export function invalid(kind: ServedKind, name: string, problem: string): Refusal {
  const what = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const details = { ...detailsOf(kind, name === '' ? undefined : name), kind: kind.kind };
  return new Refusal(422, 'Invalid', `${what} "${name}" is invalid: ${problem}`, details);
}

/** A PUT without a version, or a patch that takes it off. */
export function versionMissing(kind: ServedKind, name: string): Refusal {
  const problem = 'metadata.resourceVersion: Invalid value: 0: must be specified for an update';
  return new Refusal(
    422,
    'Invalid',
    `${resourceName(kind)} "${name}" is invalid: ${problem}`,
    detailsOf(kind, name),
  );
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, 'BadRequest', message);
}

export function expired(message: string): Refusal {
  return new Refusal(410, 'Expired', message);
}

function detailsOf({ plural, group }: ServedKind, name: string | undefined): Details {
  return { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind: plural };
}

function resourceName({ plural, group }: ServedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}
