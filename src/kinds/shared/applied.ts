import type { Event } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { WriteStatus } from '../schema/status-fields.ts';
import { timestamp } from './canonical.ts';
import {
  type CommonStatus,
  failureBefore,
  generationOf,
  quoting,
  saying,
} from './common-status.ts';
import { reassertedAt } from './due.ts';
import type { FailureReport } from './failure-report.ts';
import type { FieldChange } from './preview.ts';

/** What the API has confirmed. */
export interface Confirmation {
  readonly object: KubeObject & { readonly status?: WriteStatus };
  readonly spec: { readonly reassertInterval?: string | undefined };
  readonly message: string;
  readonly requestId: string | undefined;
  readonly requestHash: string;
  /** The declared fields that were sent. */
  readonly keys: readonly string[];
  /** What this attempt changed, in words; undefined: nothing, or it was said before. */
  readonly changed: string | undefined;
  /** What the API has in a field, in words. */
  readonly reported: (key: string) => string;
  readonly now: number;
}

/** The declared state is confirmed: Ready, until the spec changes or it is to be sent again. */
export function reportApplied(
  confirmation: Confirmation,
): FailureReport & { readonly status: CommonStatus & WriteStatus } {
  const { object, spec, message, requestId, requestHash, keys, now } = confirmation;
  const time = timestamp(now);
  const nextAttempt = reassertedAt(object, Date.parse(time), spec.reassertInterval);
  const summary = { ready: 'True', reason: 'Applied', message } as const;
  const { status, next } = saying(object, { summary, now, nextAttempt });
  const applied = { time, generation: generationOf(object), requestId, requestHash, keys };
  const events = [...appliedEvents(confirmation), ...unmanagedEvents(confirmation)];
  return { status: { ...status, applied }, next, events };
}

/** Nothing for a first plain success: the object says it already. */
function appliedEvents({ object, changed, requestId }: Confirmation): readonly Event[] {
  const failure = failureBefore(object);
  const isNews = changed !== undefined && object.status?.applied !== undefined;
  if (failure === undefined && !isNews) return [];
  const after = failure === undefined ? '' : ` after ${failure}`;
  const note = `Applied ${changed ?? 'the declared state'}${after}${quoting(requestId)}`;
  return [{ type: 'Normal', reason: 'Applied', note }];
}

/** What was declared before and is no more. */
function unmanagedEvents({ object, keys, reported }: Confirmation): readonly Event[] {
  const gone = object.status?.applied?.keys.filter((key) => !keys.includes(key)) ?? [];
  if (gone.length === 0) return [];
  const left = gone.map((key) => `${key} (${reported(key)})`).join(', ');
  const note = `No longer in spec, so no longer managed; the API keeps what it has: ${left}`;
  return [{ type: 'Normal', reason: 'NoLongerManaged', note }];
}

/** `status.drift` with what was found now; the newest that it holds. */
export function withDrift(
  before: WriteStatus['drift'] = [],
  found: readonly FieldChange[],
  now: number,
): WriteStatus['drift'] {
  const time = timestamp(now);
  const all = [...before, ...found.map((change) => ({ ...change, time }))];
  return all.length > 0 ? all.slice(-12) : undefined;
}

/** `status.history` with what a reply has confirmed; the newest that it holds. */
export function withHistory(
  before: WriteStatus['history'],
  changes: readonly FieldChange[],
  reply: { readonly object: KubeObject; readonly requestId: string | undefined; now: number },
): WriteStatus['history'] {
  if (changes.length === 0) return before;
  const { object, requestId, now } = reply;
  const entry = { time: timestamp(now), generation: generationOf(object), requestId, changes };
  return [...(before ?? []), entry].slice(-10);
}
