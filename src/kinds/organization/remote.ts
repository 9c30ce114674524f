import { encodePath } from '../../api/http/path.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import type { Change } from './decide.ts';
import { sameKey, tupleOf } from './endpoints/endpoints.ts';
import type { Goal } from './goal.ts';

export const UPDATE_ORGANIZATION = 'UpdateOrganization';

/** Where an organization's requests go, and what identifies the declared state there. */
export interface Address {
  readonly segments: readonly string[];
  readonly path: string;
  /**
   * Of API, organization and declared state; `status.applied.requestHash`. The order of the list is
   * no part of it.
   */
  readonly hash: string;
}

export function addressOf(
  baseUrl: string,
  organizationId: string,
  { name, endpoints }: Pick<Goal, 'name' | 'endpoints'>,
): Address {
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
export function changeBody(change: Change, { endpoints }: Pick<Goal, 'endpoints'>): string {
  const described = new Map(endpoints?.map((one) => [sameKey(one), one.description]));
  const add = change.add.map((tuple) => {
    const description = described.get(sameKey(tuple));
    return { ...tupleOf(tuple), description: description === '' ? undefined : description };
  });
  const remove = change.remove.map(tupleOf);
  const filled = <Item>(list: readonly Item[]) => (list.length > 0 ? list : undefined);
  return canonicalJson({ privateEndpoints: { add: filled(add), remove: filled(remove) } });
}

/** The declared fields that are sent. */
export function declaredKeys({ name, endpoints }: Pick<Goal, 'name' | 'endpoints'>): string[] {
  return [...(name === undefined ? [] : ['name']), ...(endpoints ? ['privateEndpoints'] : [])];
}

/** `write`: it is sent to change something. */
export function organizationRequest(
  path: readonly string[],
  body: string,
  write: boolean,
): CallRequest {
  const operation = UPDATE_ORGANIZATION;
  return { operation, method: 'PATCH', path, body, write, of: 'organization' };
}
