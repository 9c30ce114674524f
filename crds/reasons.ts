import type { ReadyReason } from '../src/kinds/shared/common-status.ts';

/** What the documents say of a reason of `Ready`, beside who acts (`src/cli/who-acts.ts`). */
export interface ReasonRow {
  readonly ready: 'True' | 'False' | 'Unknown' | 'True or False';
  /** `Reconciling` or `Stalled`, and when; absent: what the table of waits has, or neither. */
  readonly beside?: string;
  readonly means: string;
}

/** The table of reasons is made from it; waits that it names in words are those of `src/waits.ts`. */
export const REASONS: Readonly<Record<ReadyReason, ReasonRow>> = {
  Pending: {
    ready: 'Unknown',
    beside: 'none, or Reconciling',
    means:
      'Not tried yet: the object waits for the rate limit of its key (`--api-rate`, or a pause after a 429: see `pipewright_credential_paused`), an Organization is between two requests, or no operator has reconciled it.',
  },
  Applied: {
    ready: 'True',
    means:
      'The API confirmed the declared state. `status.notReported` names settings that the response omitted.',
  },
  Fetched: {
    ready: 'True',
    means:
      'The record of an Activity is in `status.activity`. The operator does not fetch it again by itself.',
  },
  Planned: {
    ready: 'True or False',
    means:
      'Plan mode: nothing is sent. Ready is True only where the plan is empty; otherwise the message begins with the number of changes.',
  },
  Suspended: {
    ready: 'True or False',
    means:
      'No call is made. Ready is True where the declared state is the one last confirmed, or the record of the Activity was fetched.',
  },
  Rejected: {
    ready: 'False',
    beside: 'Stalled; Activity with 400: Reconciling for 10 min, then Stalled',
    means:
      'HTTP 400, 422 and other 4xx: the API refused the request. The message has its reason. An Organization names the refused endpoints; the other changes go on.',
  },
  Unauthorized: {
    ready: 'False',
    means:
      'HTTP 401: the key is unknown, disabled or for another environment. Meanwhile one trial call at a time is made for all objects of the key.',
  },
  Forbidden: {
    ready: 'False',
    means: 'HTTP 403: the role or the IP allow-list of the key does not permit the request.',
  },
  NotFound: {
    ready: 'False',
    beside: 'Stalled; Activity: Reconciling for 10 min, then Stalled',
    means:
      'HTTP 404 or 410: the pipe, organization or record was not found. The record of an Activity can appear late.',
  },
  Conflict: {
    ready: 'False',
    means: 'HTTP 409, 423 or 425: another operation is changing the pipe or organization.',
  },
  DependencyNotReady: {
    ready: 'False',
    means:
      'HTTP 424: the service of the pipe or record is stopped. For an Organization, the API waits for another service.',
  },
  RateLimited: {
    ready: 'False',
    means: 'HTTP 429: all objects of the key wait until the time that the API gave.',
  },
  Unavailable: { ready: 'False', means: 'No call reached the API, or one that only reads failed.' },
  OutcomeUnknown: {
    ready: 'False',
    means:
      'HTTP 408, 5xx, a reset or a timeout: it is not known whether the request took effect. Settings are sent again, which is safe; after an edit they are sent at once, and once more when the earlier request can no longer take effect (`--api-timeout` and a minute). The list of an organization is read first, and an endpoint is sent again only when the earlier request can no longer take effect.',
  },
  UnexpectedResponse: {
    ready: 'False',
    beside: 'Reconciling; Stalled for 3xx',
    means:
      'The response could not be interpreted, or is a redirect (redirects are never followed).',
  },
  NotConfirmed: {
    ready: 'False',
    beside: 'Reconciling, then Stalled',
    means:
      'The API accepted the change but reports something else: see the message and `status.differences`. It is tried again after 10 s, 1 min and 5 min, then at least every 6 h.',
  },
  SecretNotFound: {
    ready: 'False',
    beside: 'Reconciling in the first 2 min of an object, then Stalled',
    means: 'The Secret that the spec names does not exist in the namespace of the object.',
  },
  SecretInvalid: {
    ready: 'False',
    means: 'The Secret lacks a key, or holds something unusable. The message says which.',
  },
  SecretForbidden: {
    ready: 'False',
    means:
      'The operator may not read the Secret, or it lacks the labels of --secret-selector. The message says which.',
  },
  SpecInvalid: {
    ready: 'False',
    means: 'The stored spec is not valid for the present schema. The message names the fields.',
  },
  TargetConflict: {
    ready: 'False',
    beside: 'Reconciling for 5 min, then Stalled',
    means:
      'Another object owns this pipe or organization: the oldest one whose own key the API has accepted for it.',
  },
  EndpointConflict: {
    ready: 'False',
    means:
      'Organization: the API has the id of a declared endpoint with another provider or region, and that endpoint does not belong to this object.',
  },
  RemovalBlocked: {
    ready: 'False',
    means:
      'Organization: more private endpoints would be removed than `spec.maxPrivateEndpointRemovals` allows. Nothing is sent.',
  },
};
