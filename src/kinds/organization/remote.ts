import { encodePath } from '../../api/http/path.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import { type Change, filled, sameKey, tupleOf } from './endpoints.ts';
import type { Goal } from './goal.ts';
import type { PendingChange } from './resource.ts';

export const UPDATE_ORGANIZATION = 'UpdateOrganization';

/** One PATCH; an observation has a name where the API shows the list in no other way. */
export interface Request {
  readonly type: 'observe' | 'name' | 'change';
  readonly name?: string | undefined;
  readonly change?: PendingChange;
}

/** What spec declares: all that a request is made from. */
type DeclaredGoal = Pick<Goal, 'name' | 'endpoints'>;

/**
 * Where an organization's requests go. `hash` is `status.applied.requestHash`: of API, organization
 * and declared state, in which the order of the list is no part.
 */
export function addressOf(
  baseUrl: string,
  organizationId: string,
  { name, endpoints }: DeclaredGoal,
) {
  const segments = ['v1', 'organizations', organizationId];
  const path = encodePath(segments);
  const privateEndpoints = endpoints?.toSorted((a, b) => (sameKey(a) < sameKey(b) ? -1 : 1));
  const declared = canonicalJson({ name, privateEndpoints });
  return { segments, path, hash: digestOf('PATCH', baseUrl, path, declared) };
}

/** Shows name and list, and changes nothing. */
export const OBSERVE_BODY = canonicalJson({ privateEndpoints: { add: [], remove: [] } });

export function nameBody(name: string): string {
  return canonicalJson({ name });
}

/** An add without a description leaves the key out; so does an empty list. */
export function changeBody(change: Change, { endpoints }: DeclaredGoal): string {
  const described = new Map(endpoints?.map((one) => [sameKey(one), one.description]));
  const add = change.add.map((tuple) => {
    const description = described.get(sameKey(tuple));
    return { ...tupleOf(tuple), description: description === '' ? undefined : description };
  });
  const remove = change.remove.map(tupleOf);
  return canonicalJson({ privateEndpoints: { add: filled(add), remove: filled(remove) } });
}

export function callOf(
  { type, name, change }: Request,
  { segments: path, goal }: { readonly segments: readonly string[]; readonly goal: DeclaredGoal },
): CallRequest {
  const body = change
    ? changeBody(change, goal)
    : name === undefined
      ? OBSERVE_BODY
      : nameBody(name);
  const write = type !== 'observe' || name !== undefined;
  const operation = UPDATE_ORGANIZATION;
  return { operation, method: 'PATCH', path, body, write, of: 'organization' };
}
