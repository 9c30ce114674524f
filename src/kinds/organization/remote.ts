import { encodePath } from '../../api/http/path.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import { type Tuple, tupleKey, tupleOf } from './endpoints/endpoints.ts';
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
  goal: Pick<Goal, 'name' | 'endpoints'>,
): Address {
  const segments = ['v1', 'organizations', organizationId];
  const path = encodePath(segments);
  const endpoints = goal.endpoints?.toSorted((a, b) => (tupleKey(a) < tupleKey(b) ? -1 : 1));
  const declared = canonicalJson({ name: goal.name, privateEndpoints: endpoints });
  return { segments, path, hash: digestOf('PATCH', baseUrl, path, declared) };
}

/** A look: it shows the list and changes nothing. */
export const LOOK_BODY = canonicalJson({ privateEndpoints: { add: [], remove: [] } });

export function nameBody(name: string): string {
  return canonicalJson({ name });
}

/**
 * What is sent for an intent. An add without a description leaves the key out; so does an empty
 * list.
 */
export function changeBody(
  change: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[] },
  goal: Pick<Goal, 'endpoints'>,
): string {
  const described = new Map(
    goal.endpoints?.map((endpoint) => [tupleKey(endpoint), endpoint.description]),
  );
  const add = change.add.map((tuple) => {
    const description = described.get(tupleKey(tuple));
    return {
      ...tupleOf(tuple),
      ...(description !== undefined && description !== '' && { description }),
    };
  });
  const remove = change.remove.map(tupleOf);
  return canonicalJson({
    privateEndpoints: { ...(add.length > 0 && { add }), ...(remove.length > 0 && { remove }) },
  });
}

/** The declared fields that are sent. */
export function declaredKeys(goal: Pick<Goal, 'name' | 'endpoints'>): string[] {
  return [
    ...(goal.name === undefined ? [] : ['name']),
    ...(goal.endpoints ? ['privateEndpoints'] : []),
  ];
}

export function organizationRequest(path: readonly string[], body: string): CallRequest {
  return { operation: UPDATE_ORGANIZATION, method: 'PATCH', path, body };
}
