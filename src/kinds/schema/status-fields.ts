import type * as z from 'zod/mini';
import type { Stored } from './definition.ts';
import {
  choice,
  fields,
  integer,
  list,
  listByKey,
  optional,
  scalar,
  text,
  timestamp,
} from './schema.ts';

/**
 * Fields of `status` that several kinds share. Bounds are for what we write; a reply is cut to
 * them, and nothing taken from one has a format, a pattern or a closed set of words, because one
 * value out of bounds makes the API server refuse the whole status.
 */

const generation = (about: string, min = 0) =>
  integer({ about, min, max: Number.MAX_SAFE_INTEGER });
/** Of the reply that a field speaks of. */
export const requestId = optional(
  text({
    about: 'requestId of the response; quote it when you contact the support of the API.',
    max: 128,
  }),
);
export const httpStatus = optional(
  integer({ about: 'HTTP status code of the response.', min: 0, max: 999 }),
);
const digest = (about: string) => text({ about, max: 80 });

const condition = fields('One condition.', {
  type: text({
    about:
      'Ready is the summary. Reconciling: the operator continues by itself. Stalled: a person must act.',
    max: 64,
  }),
  status: choice('True, False or Unknown.', ['True', 'False', 'Unknown']),
  reason: text({ about: 'The cause in one word. crds/messages.md lists all reasons.', max: 64 }),
  message: text({ about: 'What happened and what to do, in one line.', max: 1024 }),
  observedGeneration: generation('The generation that this condition describes.', -1),
  lastTransitionTime: timestamp('When status last changed.'),
});

/** What an outcome means, of those that do not say so themselves. */
export const OUTCOMES = {
  Unavailable: 'nothing reached the API, or a read failed',
  Unknown: 'it is not known whether the call took effect',
} as const;

const lastRequest = fields(
  'The last call for this object. A field that the response omitted is absent.',
  {
    operation: text({ about: 'The operation that was called.', max: 64 }),
    requestId,
    httpStatus,
    outcome: choice(
      `Succeeded, Rejected, RateLimited, Busy, Unavailable (${OUTCOMES.Unavailable}) or Unknown (${OUTCOMES.Unknown}).`,
      ['Succeeded', 'Rejected', 'RateLimited', 'Busy', 'Unavailable', 'Unknown'],
    ),
    time: timestamp('When the call ended.'),
    message: optional(text({ about: 'What the API or the connection said.', max: 1024 })),
  },
);

/** The part of `status` that every kind has. */
export const commonStatus = {
  observedGeneration: optional(
    generation('The generation that this status describes; -1 before the first reconcile.', -1),
  ),
  conditions: optional(
    listByKey('Ready, and Reconciling or Stalled while they are True.', 2, 'type', condition),
  ),
  lastRequest: optional(lastRequest),
  attempts: optional(
    integer({
      about: 'Consecutive failed attempts with the present kind of failure.',
      min: 0,
      max: 2_147_483_647,
    }),
  ),
  nextAttemptTime: optional(
    timestamp('When the operator next acts by itself. Absent: nothing is scheduled.'),
  ),
  lastHandledReconcileAt: optional(
    text({
      about:
        'The last value of the annotation pipewright.dev/reconcile-requested-at that was acted on, its first 256 characters.',
      max: 256,
    }),
  ),
};

/**
 * What a fresh object shows before the first reconcile, so that no reader takes "no status" for
 * success.
 */
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

/** How many entries a list has, and how many code points a field name and a value in them. */
interface Bounds {
  readonly most: number;
  readonly field: number;
  readonly value: number;
}

const fieldName = (max: number) => text({ about: 'Name of the field.', max });

const proofFields = fields(
  'The API has accepted the key of this object for its pipe or organization. Of several objects for the same pipe or organization only one with this proof can manage it.',
  {
    time: timestamp('When the API last accepted the key.'),
    apiHash: digest('Hash of the address of the API.'),
    unusableSince: optional(
      timestamp(
        'Since when the key, the Secret or the spec has been unusable; after 24 hours the proof ends.',
      ),
    ),
  },
);

/** `status.proof`, of the kinds whose targets can be held. */
export const proof = optional(proofFields);

/** `status.applied`: the last confirmed write. */
export function applied(bounds: Omit<Bounds, 'value'>) {
  return fields('The last time that the API confirmed the declared state.', {
    time: timestamp('When it was confirmed.'),
    generation: generation('The generation that was sent.'),
    requestId,
    requestHash: digest(
      'Hash of the method, the address and what was declared, which for pipes is the body of the request.',
    ),
    responseHash: optional(digest('Hash of the result in the response.')),
    secretResourceVersion: optional(
      text({ about: 'Version of the Secret that was used.', max: 128 }),
    ),
    keys: list(
      'The declared fields that were sent. A field that is missing here is misspelled in spec.',
      bounds.most,
      fieldName(bounds.field),
    ),
  });
}

/** `status.differences`. */
export function differences(bounds: Bounds) {
  return list(
    'Declared fields that the API reported with another value.',
    bounds.most,
    fields('One field.', {
      field: fieldName(bounds.field),
      declared: scalar({ about: 'The value in spec.', max: bounds.value }),
      reported: scalar({
        about: 'The value in the response; a list or an object as JSON text.',
        max: bounds.value,
      }),
    }),
  );
}

/** `status.notReported`. */
export function notReported(bounds: Omit<Bounds, 'value'>) {
  return list('Declared fields that the response omitted.', bounds.most, fieldName(bounds.field));
}

/** `status.drift`. */
export function drift(bounds: Bounds) {
  return list(
    'Fields that changed between two responses and were not changed by the operator, newest last.',
    bounds.most,
    fields('One change.', { ...change(bounds), time: timestamp('When it was seen.') }),
  );
}

/** What a plan is compared with. */
const PLAN_BASES = {
  LastResponse: 'the last response of the API',
  Unknown: 'nothing, because the state at the API is not known',
} as const;

/** `status.plan`; `body` is the longest text of a request's body. */
export function plan(bounds: Bounds & { readonly requests: number; readonly body: number }) {
  return fields('In mode Plan: what Apply would send.', {
    time: timestamp('When the plan was made.'),
    basis: choice(
      `What the changes are compared with: ${PLAN_BASES.LastResponse}, or ${PLAN_BASES.Unknown}.`,
      ['LastResponse', 'Unknown'],
    ),
    hash: digest(
      'Hash of the method, the address and what is declared, which for pipes is the body of the request; equal to applied.requestHash once that is confirmed.',
    ),
    requests: list(
      'The requests, in order; where there are more than fit, the first.',
      bounds.requests,
      fields('One request.', {
        method: choice('HTTP method.', ['GET', 'PUT', 'PATCH']),
        path: text({ about: 'Path of the request.', max: 1024 }),
        body: optional(
          text({
            about: 'The JSON text of the body; one that is too long is cut and ends in ….',
            max: bounds.body,
          }),
        ),
      }),
    ),
    changes: list(
      'The fields that would change.',
      bounds.most,
      fields('One field.', change(bounds)),
    ),
  });
}

/** `status.history`; `most` bounds the changes of one entry. */
export function history(bounds: Bounds) {
  return list(
    'The last 10 confirmed changes, newest last.',
    10,
    fields('One confirmed write that changed something.', {
      time: timestamp('When it was confirmed.'),
      generation: generation('The generation that was sent.'),
      requestId,
      changes: list('What it changed.', bounds.most, fields('One field.', change(bounds))),
    }),
  );
}

/** `from` and `to` are absent where the field was. */
function change(bounds: Bounds) {
  return {
    field: fieldName(bounds.field),
    from: optional(
      scalar({
        about: 'The value before. Absent: there was none, or it is not known.',
        max: bounds.value,
      }),
    ),
    to: optional(scalar({ about: 'The value after. Absent: there is none.', max: bounds.value })),
  };
}

export type Proof = Stored<z.output<typeof proofFields>>;
export type LastRequest = Stored<z.output<typeof lastRequest>>;
