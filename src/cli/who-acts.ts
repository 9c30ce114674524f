import type { ReadyReason } from '../kinds/shared/common-status.ts';

const NOBODY = 'nobody';
export const OPERATOR = 'the operator, by itself';
const OWNER = 'the owner of the object';
const KEY_OWNER = 'the owner of the API key';
const ADMINISTRATOR = 'the administrator of the operator';

/** Who acts so that an object becomes Ready, else who, and what to do. */
export interface Acting {
  readonly acts: readonly string[];
  /** Markdown. */
  readonly todo: string;
}

/** By reason of `Ready`; one without a row does not compile. Documents are made from it too. */
export const WHO_ACTS: Readonly<Record<ReadyReason, Acting>> = {
  Pending: {
    acts: [OPERATOR, ADMINISTRATOR],
    todo: 'If it stays so, check that an operator is running and watches this namespace (`--namespaces`, `--selector`).',
  },
  Applied: { acts: [NOBODY], todo: 'Nothing.' },
  Fetched: { acts: [NOBODY], todo: 'Nothing.' },
  Planned: { acts: [OWNER], todo: 'Read `status.plan`, then set `spec.mode` to `Apply`.' },
  Suspended: { acts: [OWNER], todo: 'Set `spec.suspend` to false to continue.' },
  Rejected: { acts: [OWNER], todo: 'Correct the spec.' },
  Unauthorized: { acts: [KEY_OWNER], todo: 'Correct the Secret; it is used within a minute.' },
  Forbidden: {
    acts: [KEY_OWNER],
    todo: 'Give the key the role that the message names, or add the address of the operator to its allow-list.',
  },
  NotFound: {
    acts: [OWNER],
    todo: 'Check the ids, the organization of the key, `--api-url` and, for a PipeSettings, that this type of pipe has settings.',
  },
  Conflict: { acts: [OPERATOR], todo: 'Wait.' },
  DependencyNotReady: { acts: [OPERATOR, OWNER], todo: 'Start the service; Organization: wait.' },
  RateLimited: { acts: [OPERATOR], todo: 'Wait, or lower `--api-rate`.' },
  Unavailable: { acts: [OPERATOR, ADMINISTRATOR], todo: 'Check the network and `--api-url`.' },
  OutcomeUnknown: { acts: [OPERATOR], todo: 'Wait.' },
  UnexpectedResponse: { acts: [OPERATOR, ADMINISTRATOR], todo: 'Check `--api-url`.' },
  NotConfirmed: { acts: [OPERATOR, OWNER], todo: 'If it stays so, declare what the API reports.' },
  SecretNotFound: { acts: [OWNER], todo: 'Create the Secret; it is used within a minute.' },
  SecretInvalid: { acts: [KEY_OWNER], todo: 'Correct the Secret; it is used within a minute.' },
  SecretForbidden: {
    acts: [ADMINISTRATOR],
    todo: 'Add the rule that the message names to a Role of the operator, or add the labels that it names to the Secret.',
  },
  SpecInvalid: { acts: [OWNER], todo: 'Correct the spec.' },
  TargetConflict: {
    acts: [OWNER],
    todo: 'Delete one of the two objects. If that is an Organization, first set its `deletionPolicy` to `Retain`; otherwise private endpoints that it owns may be removed.',
  },
  EndpointConflict: { acts: [OWNER], todo: 'Declare what the API has, or have it removed there.' },
  RemovalBlocked: { acts: [OWNER], todo: 'List the endpoints again, or raise the limit.' },
};
