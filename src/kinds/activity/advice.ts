import type { FailureClass } from '../../api/reply/verdict.ts';

const BY_ITSELF = 'The operator tries again by itself';
const HARMLESS = `Reading changes nothing. ${BY_ITSELF}`;

/** What a user can do about a reply, per class; ends the condition's message. */
const ADVICE: Readonly<Record<FailureClass, string>> = {
  Rejected:
    'Check organizationId and activityId; they cannot be changed, so create another object with the right ones',
  Unauthorized:
    'Put a valid, enabled API key in the Secret; it is tried again as soon as the Secret changes',
  Forbidden:
    'Give the API key a role that may read activities, or add the operator’s address to the key’s allow-list',
  NotFound: `A record can appear minutes late. ${BY_ITSELF}. Check organizationId and activityId, that the key belongs to this organization, and that --api-url is right`,
  Conflict: `Something else is changing what the record belongs to. ${BY_ITSELF}`,
  DependencyNotReady: `Start the service that the record belongs to; the operator does not wake it. ${BY_ITSELF}`,
  RateLimited: `The key has used up its calls and is paused for all its objects. ${BY_ITSELF}`,
  Unavailable: HARMLESS,
  OutcomeUnknown: HARMLESS,
  UnexpectedResponse: 'Check that --api-url is the management API and not a proxy or a web page',
};

export function advise(reason: FailureClass): string {
  return ADVICE[reason];
}
