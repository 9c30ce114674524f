import type { FailureClass } from '../../api/reply/verdict.ts';

const BY_ITSELF = 'The operator tries again by itself';

/** What a user can do about a reply, per class; ends the condition's message. */
const ADVICE: Readonly<Record<FailureClass, string>> = {
  Rejected: 'Change spec.settings to what the API accepts; the API stored nothing',
  Unauthorized:
    'Put a valid, enabled API key in the Secret; it is tried again as soon as the Secret changes',
  Forbidden:
    'Give the API key a role that may change pipes, or add the operator’s address to the key’s allow-list',
  NotFound:
    'Check organizationId, serviceId and pipeId, that the key belongs to this organization, that --api-url is right, and that this type of pipe has settings',
  Conflict: `Something else is changing the pipe. ${BY_ITSELF}`,
  DependencyNotReady: `Start the service that owns the pipe; the operator does not wake it. ${BY_ITSELF}`,
  RateLimited: `The key has used up its calls and is paused for all its objects. ${BY_ITSELF}`,
  Unavailable: `Nothing was sent. ${BY_ITSELF}`,
  OutcomeUnknown: `Whether it took effect is not known; sending it again is safe. ${BY_ITSELF}`,
  UnexpectedResponse: 'Check that --api-url is the management API and not a proxy or a web page',
};

export function advise(reason: FailureClass): string {
  return ADVICE[reason];
}
