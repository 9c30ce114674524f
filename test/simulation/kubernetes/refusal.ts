import type { ServedKind } from './kinds.ts';

/** What the server answers instead of doing the work. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  /** The Status object that stands in the body. */
  body(): object {
    const { status: code, reason, message } = this;
    return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code };
  }
}

export function notFound(kind: ServedKind, name: string): Refusal {
  return new Refusal(404, 'NotFound', `${nameOf(kind, name)} not found`);
}

export function alreadyExists(kind: ServedKind, name: string): Refusal {
  return new Refusal(409, 'AlreadyExists', `${nameOf(kind, name)} already exists`);
}

export function conflict(kind: ServedKind, name: string): Refusal {
  const why = 'the object has been modified; please apply your changes to the latest version';
  const message = `Operation cannot be fulfilled on ${nameOf(kind, name)}: ${why}`;
  return new Refusal(409, 'Conflict', message);
}

export function invalid(kind: ServedKind, name: string, problem: string): Refusal {
  return new Refusal(422, 'Invalid', `${nameOf(kind, name)} is invalid: ${problem}`);
}

function nameOf({ plural, group }: ServedKind, name: string): string {
  return `${group === '' ? plural : `${plural}.${group}`} "${name}"`;
}
