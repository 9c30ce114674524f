import type { Fault } from '../simulator/types.ts';
import type { Scene } from './scene.ts';

/**
 * What a row can work on: an object of its own, with a Secret of its name and an organization of
 * its own.
 */
export interface Broken {
  readonly scene: Scene;
  /** Of object, Secret and part of the endpoint's id. */
  readonly name: string;
  readonly organizationId: string;
  readonly key: { readonly id: string; readonly secret: string };
}

/** One way in which the removal of an endpoint cannot come about after the object was deleted. */
export interface DeletionRow {
  readonly name: string;
  /** What `Ready` says after the first attempt. */
  readonly reason: RegExp;
  /** The object is let go before the deadline: the API does not know the organization any more. */
  readonly gone?: true;
  readonly break: (broken: Broken) => Promise<void> | void;
}

function answers(
  name: string,
  fault: Fault,
  reason: RegExp,
  more: Partial<DeletionRow> = {},
): DeletionRow {
  return {
    name,
    reason,
    break: ({ scene, organizationId }) =>
      scene.simulator.always(fault, { pathIncludes: organizationId }),
    ...more,
  };
}

function refused(refusedStatus: number, reason: RegExp): DeletionRow {
  const play = { organization: { remove: 'refused', refusedStatus } } as const;
  return answers(`remove-${refusedStatus}`, { play }, reason);
}

/** The ways, each with the reason that its user sees. */
export const DELETION_ROWS: readonly DeletionRow[] = [
  {
    name: 'secret-gone',
    reason: /^SecretNotFound$/,
    break: ({ scene, name }) => scene.removeSecret(name),
  },
  {
    name: 'secret-empty',
    reason: /^SecretInvalid$/,
    break: ({ scene, name }) => scene.secret(name, { keyId: 'only' }),
  },
  {
    name: 'key-unknown',
    reason: /^Unauthorized$/,
    break: ({ scene, key }) => scene.simulator.setKey(key.id, undefined),
  },
  {
    name: 'key-read-only',
    reason: /^Forbidden$/,
    break: ({ scene, key }) => scene.simulator.setKey(key.id, key.secret, { readOnly: true }),
  },
  answers('http-404', { status: 404, error: 'NOT_FOUND' }, /^NotFound$/, { gone: true }),
  answers('http-410', { status: 410, error: 'GONE' }, /^NotFound$/, { gone: true }),
  answers('http-500', { status: 500, error: 'Internal error' }, /^(OutcomeUnknown|Unavailable)$/),
  answers('http-503-html', { status: 503, body: 'html' }, /^(OutcomeUnknown|Unavailable)$/),
  answers('http-429', { status: 429, headers: { 'x-ratelimit-reset': '60' } }, /^RateLimited$/),
  answers('http-307', { status: 307 }, /^UnexpectedResponse$/),
  answers('no-answer', { transport: 'no-answer' }, /^(OutcomeUnknown|Unavailable)$/),
  answers('reset-before', { transport: 'reset-before' }, /^(OutcomeUnknown|Unavailable)$/),
  answers('no-result', { status: 200, body: 'no-result', applied: false }, /^UnexpectedResponse$/),
  refused(400, /^Rejected$/),
  refused(409, /^Rejected$/),
  refused(422, /^Rejected$/),
  answers('list-absent', { play: { organization: { list: 'absent' } } }, /^NotConfirmed$/),
  answers('remove-ignored', { play: { organization: { remove: 'ignored' } } }, /^NotConfirmed$/),
  answers(
    'cannot-ask',
    { play: { organization: { remove: 'refused', emptyLists: 'bad-request' } } },
    /^(Rejected|NotConfirmed)$/,
  ),
];

/** What a user may have put in the way of any change. */
export const OBSTACLES = [
  { with: 'nothing', spec: {}, reason: 'Applied' },
  {
    with: 'suspend and a cap of 0',
    spec: { suspend: true, maxPrivateEndpointRemovals: 0 },
    reason: 'Suspended',
  },
  {
    with: 'Plan and a cap of 0',
    spec: { mode: 'Plan', maxPrivateEndpointRemovals: 0 },
    reason: 'Planned',
  },
] as const;
