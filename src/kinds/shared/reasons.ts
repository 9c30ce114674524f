import type { Summary } from '../../controller/conditions.ts';
import type { FailureReason } from './failures.ts';

/** Every reason that `Ready` can have. One without a row in `REASONS` does not compile. */
export type ReadyReason =
  | 'Pending'
  | 'Applied'
  | 'Fetched'
  | 'Planned'
  | 'Suspended'
  | FailureReason;

/** What a kind says of an object. */
export interface KindSummary extends Summary {
  readonly reason: ReadyReason;
}

/** Who has to act so that an object becomes Ready. */
export type Actor =
  | 'nobody'
  | 'the operator, by itself'
  | 'the owner of the object'
  | 'the administrator of the operator'
  | 'the owner of the API key';

export interface ReasonRow {
  readonly ready: 'True' | 'False' | 'Unknown' | 'True or False';
  /** `Reconciling` or `Stalled`, and when; absent: what the table of waits has, or neither. */
  readonly beside?: string;
  readonly acts: readonly [Actor, ...Actor[]];
  readonly means: string;
  readonly todo: string;
}

/** For documents: the guide on conditions and the page on messages are made from it. */
export const REASONS: Readonly<Record<ReadyReason, ReasonRow>> = {
  Pending: {
    ready: 'Unknown',
    beside: 'none, or Reconciling',
    acts: ['the operator, by itself', 'the administrator of the operator'],
    means:
      'Not tried yet: the object waits for the rate limit of its key (`--api-rate`, or a pause after a 429: see `pipewright_credential_paused`), an Organization is between two requests, or no operator has reconciled it.',
    todo: 'If it stays so, check that an operator is running and watches this namespace (`--namespaces`, `--selector`).',
  },
  Applied: {
    ready: 'True',
    acts: ['nobody'],
    means:
      'The API confirmed the declared state. `status.notReported` names settings that the response omitted.',
    todo: 'Nothing.',
  },
  Fetched: {
    ready: 'True',
    acts: ['nobody'],
    means:
      'What the object asks for was fetched into its status; an Activity is not fetched again.',
    todo: 'Nothing.',
  },
  Planned: {
    ready: 'True or False',
    acts: ['the owner of the object'],
    means:
      'Plan mode: nothing is sent. Ready is True only where the plan is empty; otherwise the message begins with the number of changes.',
    todo: 'Read `status.plan`, then set `spec.mode` to `Apply` to send it.',
  },
  Suspended: {
    ready: 'True or False',
    acts: ['the owner of the object'],
    means:
      'No call is made. Ready is True where the declared state is the one last confirmed, or what is asked for was fetched.',
    todo: 'Set `spec.suspend` to false to continue.',
  },
  Rejected: {
    ready: 'False',
    beside: 'Stalled; Activity with 400: Reconciling for 10 min, then Stalled',
    acts: ['the owner of the object'],
    means:
      'HTTP 400, 422 and other 4xx: the API refused the request. The message has its reason. An Organization names the refused endpoints; all other changes were applied.',
    todo: 'Correct the spec.',
  },
  Unauthorized: {
    ready: 'False',
    acts: ['the owner of the API key'],
    means:
      'HTTP 401: the key is unknown, disabled or for another environment. Meanwhile one trial call at a time is made for all objects of the key.',
    todo: 'Correct the Secret; it is used at once.',
  },
  Forbidden: {
    ready: 'False',
    acts: ['the owner of the API key'],
    means: 'HTTP 403: the role or the IP allow-list of the key does not permit the request.',
    todo: 'Give the key the role that the message names, or add the address of the operator to its allow-list.',
  },
  NotFound: {
    ready: 'False',
    beside: 'Stalled; Activity: Reconciling for 10 min, then Stalled',
    acts: ['the owner of the object'],
    means:
      'HTTP 404 or 410: the pipe, organization or record was not found. The record of an Activity can appear late.',
    todo: 'Check the ids, the organization of the key, `--api-url`, and that this type of pipe has settings.',
  },
  Conflict: {
    ready: 'False',
    acts: ['the operator, by itself'],
    means: 'HTTP 409, 423 or 425: another operation is changing the pipe or organization.',
    todo: 'Wait.',
  },
  DependencyNotReady: {
    ready: 'False',
    acts: ['the operator, by itself', 'the owner of the object'],
    means: 'HTTP 424: the service that owns the pipe is stopped.',
    todo: 'Start the service; the operator does not start it.',
  },
  RateLimited: {
    ready: 'False',
    acts: ['the operator, by itself'],
    means: 'HTTP 429: all objects of the key wait until the time that the API gave.',
    todo: 'Wait, or lower `--api-rate`.',
  },
  Unavailable: {
    ready: 'False',
    acts: ['the operator, by itself', 'the administrator of the operator'],
    means: 'No call reached the API, or one that only reads failed.',
    todo: 'Wait, or check the network and `--api-url`.',
  },
  OutcomeUnknown: {
    ready: 'False',
    acts: ['the operator, by itself'],
    means:
      'HTTP 408, 5xx, a reset or a timeout: it is not known whether the request took effect. Settings are sent again, which is safe; after an edit they are sent at once, and once more when the earlier request can no longer take effect (`--api-timeout` and a minute). The list of an organization is read first, and an endpoint is sent again only when the earlier request can no longer take effect.',
    todo: 'Wait.',
  },
  UnexpectedResponse: {
    ready: 'False',
    beside: 'Reconciling; Stalled for 3xx',
    acts: ['the operator, by itself', 'the administrator of the operator'],
    means:
      'The response could not be interpreted, or is a redirect (redirects are never followed).',
    todo: 'Check that `--api-url` is the management API.',
  },
  NotConfirmed: {
    ready: 'False',
    beside: 'Reconciling, then Stalled',
    acts: ['the operator, by itself', 'the owner of the object'],
    means:
      'The API accepted the change but reports something else: see the message and `status.differences`. It is checked again after 10 s, 1 min and 5 min.',
    todo: 'If it stays so, declare what the API reports.',
  },
  SecretNotFound: {
    ready: 'False',
    acts: ['the owner of the object'],
    means: 'The Secret that the spec names does not exist in the namespace of the object.',
    todo: 'Create the Secret; the operator continues at once.',
  },
  SecretInvalid: {
    ready: 'False',
    acts: ['the owner of the API key'],
    means: 'The Secret lacks a key, or holds something unusable. The message says which.',
    todo: 'Correct the Secret; it is used at once.',
  },
  SecretForbidden: {
    ready: 'False',
    acts: ['the administrator of the operator'],
    means:
      'The operator may not read the Secret, it lacks the labels of --secret-selector, or the namespace refers to too many. The message says which.',
    todo: 'Add the rule that the message names to a Role of the operator, label the Secret, or use fewer Secrets.',
  },
  SpecInvalid: {
    ready: 'False',
    acts: ['the owner of the object'],
    means: 'The stored spec is not valid for the present schema. The message names the fields.',
    todo: 'Correct the spec.',
  },
  TargetConflict: {
    ready: 'False',
    beside: 'Reconciling for 5 min, then Stalled',
    acts: ['the owner of the object'],
    means:
      'Another object holds this pipe or organization: the oldest one whose own key the API has accepted for it.',
    todo: 'Delete one of the two. Before you delete an Organization with `deletionPolicy: RemovePrivateEndpoints`, set that to `Retain`: else the private endpoints that it owns are removed.',
  },
  EndpointConflict: {
    ready: 'False',
    acts: ['the owner of the object'],
    means:
      'Organization: the API has the id of a declared endpoint with another provider or region, and that endpoint does not belong to this object.',
    todo: 'Correct the entry, or have the other endpoint removed.',
  },
  RemovalBlocked: {
    ready: 'False',
    acts: ['the owner of the object'],
    means:
      'Organization: more private endpoints would be removed than `spec.maxPrivateEndpointRemovals` allows. Nothing is sent.',
    todo: 'List the endpoints again, or raise the limit to at least the number you intend to remove.',
  },
};
