import type { ServedKind } from './kinds.ts';
import { textOf } from './metadata.ts';
import type { Thing } from './objects.ts';
import { badRequest, invalid } from './refusal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Exactly six digits after the point: with three it is refused. */
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/;
const MICRO_TIMES = { leases: ['acquireTime', 'renewTime'], events: ['eventTime'] } as const;
/** Bytes. */
const LONGEST = { note: 1_024, reason: 128, action: 128, reportingInstance: 128 } as const;
const REQUIRED = [
  'eventTime',
  'reportingController',
  'reportingInstance',
  'reason',
  'action',
] as const;

/**
 * Completes an object of a kind that the API server has by itself, and refuses what it would: of
 * its many rules those that the operator's own writes could break, and that a Secret's type is for
 * good.
 */
export function completedBuiltIn(
  kind: ServedKind,
  name: string,
  content: Fields,
  before: Thing | undefined,
): Fields {
  switch (kind.plural) {
    case 'secrets':
      return secret(kind, name, content, before);
    case 'leases':
      checkLease(kind, name, content.spec as Fields | undefined);
      return content;
    case 'events':
      checkEvent(kind, name, content);
      return content;
    default:
      return content;
  }
}

function secret(
  kind: ServedKind,
  name: string,
  content: Fields,
  before: Thing | undefined,
): Fields {
  const type = textOf(content.type) ?? 'Opaque';
  if (before && before.type !== type)
    throw invalid(kind, name, `type: Invalid value: "${type}": field is immutable`);
  return { ...content, type };
}

function checkLease(kind: ServedKind, name: string, spec: Fields = {}): void {
  checkTimes(kind, spec, MICRO_TIMES.leases);
  if (typeof spec.leaseDurationSeconds === 'number' && spec.leaseDurationSeconds <= 0) {
    throw invalid(kind, name, 'spec.leaseDurationSeconds: Invalid value: must be greater than 0');
  }
}

function checkEvent(kind: ServedKind, name: string, content: Fields): void {
  checkTimes(kind, content, MICRO_TIMES.events);
  for (const field of REQUIRED) {
    if (textOf(content[field]) === undefined) throw invalid(kind, name, `${field}: Required value`);
  }
  for (const [field, most] of Object.entries(LONGEST)) {
    if (Buffer.byteLength(textOf(content[field]) ?? '') > most) {
      throw invalid(kind, name, `${field}: Invalid value: can have at most ${most} characters`);
    }
  }
}

function checkTimes(kind: ServedKind, fields: Fields, names: readonly string[]): void {
  const wrong = names.find(
    (name) => typeof fields[name] === 'string' && !MICRO_TIME.test(fields[name]),
  );
  if (wrong === undefined) return;
  throw badRequest(
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: parsing time`,
  );
}
