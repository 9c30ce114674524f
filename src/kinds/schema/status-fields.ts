import type * as z from 'zod/mini';
import type { Stored } from './parser.ts';
import * as piece from './schema.ts';
import { choice, fields, integer, list, optional, scalar, text, timestamp } from './schema.ts';

/**
 * Fields of `status` that several kinds share. Bounds are for what we write; a reply is cut to
 * them, and nothing taken from one has a format or a closed set of words, because one value out of
 * bounds makes the API server refuse the whole status.
 */

const MOST = Number.MAX_SAFE_INTEGER;
const generation = integer('metadata.generation that was sent.', 0, MOST);
const observed = (what: string) =>
  integer(`metadata.generation that this ${what} describes. -1: not reconciled yet.`, -1, MOST);
const confirmed = timestamp('When it was confirmed.');
export const digest = (about: string) => text(about, 80);
const HASH =
  'Hash of the HTTP method, the URL and the declared fields. For a pipe, these are the body of the request.';
const VERIFIED =
  'Present once the API has accepted the key. If several objects name the same pipe or organization, the one created first among those with verified owns it; the others wait.';

/** Of the reply that a field speaks of. */
export const httpStatus = integer('HTTP status code of the response.', 0, 999);
export const requestId = text('requestId of the response; quote it to the API provider.', 128);
const FAILED =
  'Number of failed attempts in a row. Another kind of failure starts at 1 again. Absent: none.';
export const attempts = integer(FAILED, 0, 2 ** 31 - 1);

const CONDITIONS =
  'Ready is always listed. Reconciling or Stalled is listed only while it is True.';
const REASON =
  'The cause in one word. All reasons: https://github.com/pipewright/pipewright/blob/main/deploy/guides/troubleshooting.md';
const condition = fields('One condition.', {
  type: text('Ready, Reconciling (the operator continues) or Stalled (a person must act).', 64),
  status: choice('True, False or Unknown.', ['True', 'False', 'Unknown']),
  reason: text(REASON, 64),
  message: text('What happened and what to do, in one line.', 1024),
  observedGeneration: observed('condition'),
  lastTransitionTime: timestamp('When status last changed.'),
});

/** What an outcome means, of those that do not say so themselves. */
export const OUTCOMES = {
  Unavailable: 'nothing reached the API, or a read failed',
  Unknown: 'it is not known whether the call took effect',
} as const;

const lastRequest = fields('The last call for this object.', {
  operation: text('The operation that was called.', 64),
  requestId: optional(requestId),
  httpStatus: optional(httpStatus),
  outcome: choice(
    `Succeeded, Rejected (the API refused the request), RateLimited (HTTP 429), Busy (it cannot be done now: HTTP 409, 423, 424 or 425), Unavailable (${OUTCOMES.Unavailable}) or Unknown (${OUTCOMES.Unknown}).`,
    ['Succeeded', 'Rejected', 'RateLimited', 'Busy', 'Unavailable', 'Unknown'],
  ),
  time: timestamp('When the call ended.'),
  message: optional(text('What the API or the connection said.', 1024)),
});

/** The part of `status` that every kind has. */
export const commonStatus = {
  observedGeneration: observed('status'),
  conditions: list(CONDITIONS, 2, condition, 'type'),
  lastRequest,
  attempts,
  nextAttemptTime: timestamp('When the operator next acts by itself. Absent: never.'),
  lastHandledReconcileAt: text(
    'Last value of the annotation pipewright.dev/reconcile-requested-at that the operator acted on, cut at 256 characters.',
    256,
  ),
};

export function statusOf<Shape extends piece.Pieces>(own: Shape) {
  const about = 'What the operator did and what the API reported. Only the operator writes it.';
  return piece.someOf(about, { ...commonStatus, ...own });
}

/** What an object shows before its first reconcile, so that no status is not taken for success. */
export const pendingStatus = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message:
        'Not tried yet: no operator has reconciled this object, or it waits for the rate limit of its API key',
      observedGeneration: -1,
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
};

/** How many entries its lists have. */
type Counts = 'keys' | 'differences' | 'planRequests' | 'planChanges' | 'historyChanges';
/** In code points. */
type Lengths = 'field' | 'historyValue' | 'body';

/** The part of `status` that kinds have which write to the API. */
export function writeStatus(most: Readonly<Record<Counts | Lengths, number>>) {
  // In differences, drift and plan.
  const longest = 64;
  const field = text('Name of the field.', most.field);
  const change = (max: number) => ({
    field,
    from: optional(scalar('The value before. Absent: none, or it is not known.', max)),
    to: optional(scalar('The value after. Absent: there is none.', max)),
  });
  const changes = (about: string, max: number, value: number) =>
    list(about, max, fields('One field.', change(value)));
  const seen = timestamp('When it was seen.');
  const drifted = fields('One change.', { ...change(longest), time: seen });
  const difference = fields('One field.', {
    field,
    declared: scalar('The value in spec.', longest),
    reported: scalar('The value in the response; a list or object as JSON text.', longest),
  });
  const body = `Body as JSON; cut at ${most.body} characters, and then ends in an ellipsis.`;
  const request = fields('One request.', {
    method: choice('HTTP method.', ['GET', 'PUT', 'PATCH']),
    path: text('Path of the request.', 1024),
    body: optional(text(body, most.body)),
  });
  const changed = `The fields that changed, the first ${most.historyChanges}; values are cut at ${most.historyValue} characters.`;
  const write = fields('One confirmed write that changed something.', {
    time: confirmed,
    generation,
    requestId: optional(requestId),
    changes: changes(changed, most.historyChanges, most.historyValue),
  });
  const requests = `The requests in the order in which they would be sent, at most ${most.planRequests}.`;
  return {
    verified: fields(VERIFIED, {
      time: timestamp('When the API last accepted the key.'),
      apiHash: digest('Hash of the address of the API.'),
    }),
    applied: fields('The last time that the API confirmed the declared state.', {
      time: confirmed,
      generation,
      requestId: optional(requestId),
      requestHash: digest(HASH),
      keys: list('The declared fields that were sent.', most.keys, field),
    }),
    differences: list('Declared fields that differ at the API.', most.differences, difference),
    notReported: list('Declared fields that the response omitted.', most.differences, field),
    drift: list('The last 12 changes by others between two responses, newest last.', 12, drifted),
    plan: fields('In mode Plan: what Apply would send.', {
      time: timestamp('When the plan was made.'),
      basis: choice(
        'What the changes are compared with: the last response, or nothing, as nothing is known.',
        ['LastResponse', 'Unknown'],
      ),
      hash: digest('Hash as in applied.requestHash; equal to it once this plan is confirmed.'),
      requests: list(requests, most.planRequests, request),
      changes: changes('The fields that would change.', most.planChanges, longest),
    }),
    history: list('The last 10 confirmed changes, newest last.', 10, write),
  };
}

export type LastRequest = Stored<z.output<typeof lastRequest>>;
type StoredAs<Fields extends piece.Pieces> = {
  readonly [Name in keyof Fields]?: Stored<z.output<Fields[Name]>> | undefined;
};
export type CommonStatus = StoredAs<typeof commonStatus>;
export type WriteStatus = StoredAs<ReturnType<typeof writeStatus>>;
