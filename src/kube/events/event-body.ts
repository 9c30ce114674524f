import { createHash, randomBytes } from 'node:crypto';
import { apiVersionOf, type KubeObject, microTime, type ResourceType } from '../resource.ts';

export const EVENT: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
};

const CONTROLLER = 'pipewright.dev/pipewright';

/** The API counts bytes, not characters, and refuses the whole event beyond them. */
const NOTE_BYTES = 1_024;
const SHORT_BYTES = 128;

/** Leaves room for a dot and the suffix in the 253 of a name. */
const NAME_PART = 230;

export interface EventInput {
  readonly object: KubeObject & { readonly type: ResourceType };
  readonly type: 'Normal' | 'Warning';
  /** Why, in CamelCase; at most 128 bytes are kept. */
  readonly reason: string;
  /** What was done, in CamelCase; at most 128 bytes are kept. */
  readonly action: string;
  /** For people; cut to 1,024 bytes. */
  readonly note: string;
  /** Sent however many there have been, and also where it repeats one. */
  readonly always?: true;
}

/** An event as the API takes it. */
export interface EventBody {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly note: string;
  readonly [field: string]: unknown;
}

/** The event to send; holds nothing of the object but its identity. */
export function eventBody(
  input: EventInput,
  origin: { readonly instance: string; readonly now: number },
): EventBody {
  const { object, type, reason, action, note } = input;
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: apiVersionOf(EVENT),
    kind: EVENT.kind,
    metadata: {
      namespace,
      name: `${name.slice(0, NAME_PART).replace(/[^a-z0-9]+$/, '')}.${randomBytes(8).toString('hex')}`,
    },
    eventTime: microTime(origin.now),
    reportingController: CONTROLLER,
    reportingInstance: cut(origin.instance, SHORT_BYTES),
    regarding: {
      apiVersion: apiVersionOf(object.type),
      kind: object.type.kind,
      namespace,
      name,
      uid,
      resourceVersion,
    },
    type,
    reason: cut(reason, SHORT_BYTES),
    action: cut(action, SHORT_BYTES),
    note: cut(note, NOTE_BYTES),
  };
}

/** The same for events that say the same of the same object. */
export function contentOf(input: EventInput): string {
  const { object, type, reason, note } = input;
  return createHash('sha256')
    .update(JSON.stringify([object.metadata.uid, type, reason, note]))
    .digest('base64url');
}

/** At most `bytes` of UTF-8, whole characters, with a mark where something is missing. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const mark = '…';
  let left = bytes - Buffer.byteLength(mark);
  let kept = '';
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    kept += character;
  }
  return kept + mark;
}
