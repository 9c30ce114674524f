import type { Objection } from './organization-rules.ts';
import type { Organization, OrganizationBehaviour, PrivateEndpoint } from './organization-types.ts';

/** A PATCH body whose shape was found right. */
export interface Patch {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly PrivateEndpoint[];
    readonly remove?: readonly PrivateEndpoint[];
  };
}

/** What became of a PATCH: `after` holds what was done before the refusal, where there is one. */
export interface Outcome {
  readonly after: Organization;
  readonly refused?: Objection;
}

type Step = (organization: Organization) => Organization | Objection;

/** Applies name, removes and adds one at a time in the order the behaviour says, up to the first that is refused. */
export function applyPatch(before: Organization, patch: Patch, behaviour: OrganizationBehaviour): Outcome {
  const removes = (patch.privateEndpoints?.remove ?? []).map((endpoint) => removal(endpoint, behaviour));
  const adds = (patch.privateEndpoints?.add ?? []).map((endpoint) => addition(endpoint, behaviour));
  const lists = behaviour.order === 'remove-first' ? [...removes, ...adds] : [...adds, ...removes];
  const steps = patch.name === undefined ? lists : [naming(patch.name, behaviour.name), ...lists];
  let after = before;
  for (const step of steps) {
    const next = step(after);
    if ('status' in next) return { after, refused: next };
    after = next;
  }
  return { after };
}

function naming(name: string, style: OrganizationBehaviour['name']): Step {
  return (organization) => {
    switch (style) {
      case 'kept':
        return { ...organization, name };
      case 'trimmed':
        return { ...organization, name: name.trim() };
      case 'upper-case':
        return { ...organization, name: name.toUpperCase() };
      case 'ignored':
        return organization;
      case 'bad-request':
        return { status: 400, text: `organization name is not allowed: ${JSON.stringify(name)}` };
      case 'forbidden':
        return { status: 403, text: 'Key may not change the name' };
    }
  };
}

function removal(endpoint: PrivateEndpoint, behaviour: OrganizationBehaviour): Step {
  return (organization) => {
    if (behaviour.remove === 'ignored') return organization;
    const present = organization.privateEndpoints;
    const rest = present.filter((other) => !alike(other, endpoint, behaviour.matchBy));
    if (rest.length < present.length) return { ...organization, privateEndpoints: rest };
    if (behaviour.removeAbsent === 'ok') return organization;
    const status = behaviour.removeAbsent === 'not-found' ? 404 : 400;
    return { status, text: `private endpoint ${JSON.stringify(endpoint.id)} does not exist` };
  };
}

function addition(endpoint: PrivateEndpoint, behaviour: OrganizationBehaviour): Step {
  return (organization) => {
    const shownId = JSON.stringify(endpoint.id);
    if (behaviour.add === 'gone') return { status: 410, text: 'private endpoints are attached to services' };
    if (behaviour.add === 'bad-request' || behaviour.refusedIds.includes(endpoint.id)) {
      return { status: 400, text: `private endpoint ${shownId} is not valid` };
    }
    if (behaviour.add === 'ignored') return organization;
    const present = organization.privateEndpoints;
    const exists = present.some((other) => alike(other, endpoint, behaviour.matchBy));
    if (exists) {
      switch (behaviour.addExisting) {
        case 'no-op':
          return organization;
        case 'upsert':
          return {
            ...organization,
            privateEndpoints: present.map((other) => (alike(other, endpoint, behaviour.matchBy) ? endpoint : other)),
          };
        case 'bad-request':
          return { status: 400, text: `private endpoint ${shownId} already exists` };
        case 'conflict':
          return { status: 409, text: `private endpoint ${shownId} already exists` };
        case 'duplicate':
      }
    }
    if (present.length >= behaviour.maxEndpoints) {
      return { status: 422, text: `an organization has at most ${behaviour.maxEndpoints} private endpoints` };
    }
    return { ...organization, privateEndpoints: [...present, endpoint] };
  };
}

function alike(a: PrivateEndpoint, b: PrivateEndpoint, by: OrganizationBehaviour['matchBy']): boolean {
  if (a.id !== b.id) return false;
  return by === 'id' || (a.cloudProvider === b.cloudProvider && a.region === b.region);
}
