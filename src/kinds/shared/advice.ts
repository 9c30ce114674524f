import type { FailureClass } from '../../api/reply/verdict.ts';

/** What a user can do about a failed call, per class; ends the condition's message. */
export type Advice = Readonly<Record<FailureClass, string>>;

export const BY_ITSELF = 'The operator tries again by itself';

const SHARED = {
  Unauthorized:
    'Put a valid, enabled API key in the Secret; the operator tries again as soon as the Secret changes',
  Conflict: BY_ITSELF,
  RateLimited: `Calls with this key are paused for all objects that use it. ${BY_ITSELF}`,
  UnexpectedResponse: 'Check that --api-url is the management API and not a proxy or a web page',
} as const satisfies Partial<Advice>;

/** A kind says only what is its own. */
export function adviceWith(own: Omit<Advice, keyof typeof SHARED>): Advice {
  return { ...SHARED, ...own };
}

/** About HTTP 403; `may` as in "change pipes". */
export function grantRole(may: string): string {
  return `Give the API key a role that may ${may}, or add the operator’s address to the key’s allow-list`;
}

/** About HTTP 404; `ids` are the fields of spec. */
export function checkIds(ids: string): string {
  return `Check ${ids}, that the key belongs to this organization, and that --api-url is right`;
}
