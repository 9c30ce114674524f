import { randomUUID } from 'node:crypto';
import type { Objection } from './organization-rules.ts';
import { alike } from './organization-spelling.ts';
import type { Organization, OrganizationBehaviour, PrivateEndpoint } from './organization-types.ts';

/** A PATCH body whose shape was found right. */
export interface Patch {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly PrivateEndpoint[];
    readonly remove?: readonly PrivateEndpoint[];
  };
}

/** Entries that went into a list and out of it, however often each. */
export interface EndpointMoves {
  readonly added: readonly PrivateEndpoint[];
  readonly removed: readonly PrivateEndpoint[];
}

/**
 * What became of a PATCH: `after` and the moves hold what was done before the refusal, where there
 * is one.
 */
export interface Outcome extends EndpointMoves {
  readonly after: Organization;
  readonly refused?: Objection;
}

interface Progress extends Partial<EndpointMoves> {
  readonly organization: Organization;
}

type Step = (organization: Organization) => Progress | Objection;

/**
 * Applies name, removes and adds one at a time in the order the behaviour says, up to the first
 * that is refused. `stored` is how an added endpoint gets into the list; what is refused is named
 * as it was sent.
 */
export function applyPatch(
  before: Organization,
  patch: Patch,
  {
    behaviour,
    stored,
  }: { behaviour: OrganizationBehaviour; stored: (endpoint: PrivateEndpoint) => PrivateEndpoint },
): Outcome {
  const removes = (patch.privateEndpoints?.remove ?? []).map((endpoint) =>
    removal(endpoint, behaviour),
  );
  const adds = (patch.privateEndpoints?.add ?? []).map((endpoint) =>
    addition(endpoint, behaviour, stored),
  );
  const lists = behaviour.order === 'remove-first' ? [...removes, ...adds] : [...adds, ...removes];
  const steps = patch.name === undefined ? lists : [naming(patch.name, behaviour.name), ...lists];
  const added: PrivateEndpoint[] = [];
  const removed: PrivateEndpoint[] = [];
  let after = before;
  for (const step of steps) {
    const next = step(after);
    if ('status' in next) return { after, added, removed, refused: next };
    after = next.organization;
    added.push(...(next.added ?? []));
    removed.push(...(next.removed ?? []));
  }
  return { after, added, removed };
}

function naming(name: string, style: OrganizationBehaviour['name']): Step {
  return (organization) => {
    switch (style) {
      case 'kept':
        return { organization: { ...organization, name } };
      case 'trimmed':
        return { organization: { ...organization, name: name.trim() } };
      case 'upper-case':
        return { organization: { ...organization, name: name.toUpperCase() } };
      case 'ignored':
        return { organization };
      case 'bad-request':
        return { status: 400, text: `organization name is not allowed: ${JSON.stringify(name)}` };
      case 'forbidden':
        return { status: 403, text: 'Key may not change the name' };
    }
  };
}

function removal(endpoint: PrivateEndpoint, behaviour: OrganizationBehaviour): Step {
  return (organization) => {
    if (
      behaviour.remove === 'refused' ||
      behaviour.refuseRemoves.some(isIdOf(endpoint, behaviour))
    ) {
      return refusal(endpoint, behaviour, 'is attached to a service');
    }
    if (behaviour.remove === 'ignored') return { organization };
    const present = organization.privateEndpoints;
    const removed = present.filter((other) => alike(other, endpoint, behaviour));
    const rest = present.filter((other) => !removed.includes(other));
    if (removed.length > 0)
      return { organization: { ...organization, privateEndpoints: rest }, removed };
    if (behaviour.removeAbsent === 'ok') return { organization };
    const status = behaviour.removeAbsent === 'not-found' ? 404 : 400;
    return { status, text: wording(endpoint, behaviour, 'does not exist') };
  };
}

function addition(
  endpoint: PrivateEndpoint,
  behaviour: OrganizationBehaviour,
  stored: (endpoint: PrivateEndpoint) => PrivateEndpoint,
): Step {
  return (organization) => {
    if (behaviour.add === 'gone')
      return { status: 410, text: 'private endpoints are attached to services' };
    if (behaviour.add === 'bad-request')
      return { status: 400, text: wording(endpoint, behaviour, 'is not valid') };
    if (behaviour.add === 'refused' || behaviour.refusedIds.some(isIdOf(endpoint, behaviour))) {
      return refusal(endpoint, behaviour, 'is not valid');
    }
    if (behaviour.add === 'ignored') return { organization };
    const present = organization.privateEndpoints;
    if (present.some((other) => alike(other, endpoint, behaviour))) {
      switch (behaviour.addExisting) {
        case 'no-op':
          return { organization };
        case 'upsert': {
          const replaced = present.filter((other) => alike(other, endpoint, behaviour));
          const next = stored(endpoint);
          const privateEndpoints = present.map((other) =>
            replaced.includes(other) ? next : other,
          );
          const gone = replaced.filter((other) => !isSameTuple(other, next));
          const moves = gone.length > 0 ? { added: [next], removed: gone } : {};
          return { organization: { ...organization, privateEndpoints }, ...moves };
        }
        case 'bad-request':
          return { status: 400, text: wording(endpoint, behaviour, 'already exists') };
        case 'conflict':
          return { status: 409, text: wording(endpoint, behaviour, 'already exists') };
        case 'duplicate':
      }
    }
    const most = behaviour.quotas[organization.id] ?? behaviour.maxEndpoints;
    if (present.length >= most) {
      return { status: 422, text: `an organization has at most ${most} private endpoints` };
    }
    const added = [stored(endpoint)];
    return { organization: { ...organization, privateEndpoints: [...present, ...added] }, added };
  };
}

function isSameTuple(a: PrivateEndpoint, b: PrivateEndpoint): boolean {
  return a.id === b.id && a.cloudProvider === b.cloudProvider && a.region === b.region;
}

function refusal(
  endpoint: PrivateEndpoint,
  behaviour: OrganizationBehaviour,
  why: string,
): Objection {
  const own = Object.entries(behaviour.refusedStatuses).find(([id]) =>
    isIdOf(endpoint, behaviour)(id),
  );
  return { status: own?.[1] ?? behaviour.refusedStatus, text: wording(endpoint, behaviour, why) };
}

function isIdOf(
  endpoint: PrivateEndpoint,
  { tuples }: OrganizationBehaviour,
): (id: string) => boolean {
  return (id) => alike({ ...endpoint, id }, endpoint, { matchBy: 'id', tuples });
}

function wording(
  { id }: PrivateEndpoint,
  { refusedText }: OrganizationBehaviour,
  why: string,
): string {
  switch (refusedText) {
    case 'names-id':
      return `private endpoint ${JSON.stringify(id)} ${why}`;
    case 'generic':
      return 'request is not valid';
    case 'longer-id':
      return `private endpoint ${JSON.stringify(`${id}0`)} ${why}`;
    case 'changing':
      return `request is not valid (trace ${randomUUID()})`;
  }
}
