import type { OrganizationBehaviour } from './manners.ts';
import type { Objection, Patch } from './organization-rules.ts';
import type { EndpointMoves, Organization, PrivateEndpoint } from './organization-types.ts';

/** What became of a PATCH: up to the refusal, where there is one. */
interface Outcome {
  readonly after: Organization;
  readonly moves: EndpointMoves;
  readonly refusal?: Objection;
}

type Done = Partial<EndpointMoves> & { readonly next: Organization };
type Step = (organization: Organization) => Done | Objection;

/** Does name, removals and adds, in this order and one at a time, up to one that is refused. */
export function applyPatch(
  before: Organization,
  { name, privateEndpoints: { add = [], remove = [] } = {} }: Patch,
  behaviour: OrganizationBehaviour,
): Outcome {
  const steps: readonly Step[] = [
    (organization) => ({ next: name === undefined ? organization : { ...organization, name } }),
    ...remove.map((one) => removal(one, behaviour)),
    ...add.map((one) => addition(one, behaviour)),
  ];
  const moves = { added: [] as PrivateEndpoint[], removed: [] as PrivateEndpoint[] };
  let after = before;
  for (const step of steps) {
    const done = step(after);
    if ('status' in done) return { after, moves, refusal: done };
    after = done.next;
    moves.added.push(...(done.added ?? []));
    moves.removed.push(...(done.removed ?? []));
  }
  return { after, moves };
}

function removal(endpoint: PrivateEndpoint, behaviour: OrganizationBehaviour): Step {
  return (organization) => {
    const { refuseRemoves, refusedStatus, addExisting } = behaviour;
    if (refuseRemoves.some((id) => isLike(endpoint, id, behaviour)))
      return refusal(endpoint, behaviour, refusedStatus, 'is attached to a service');
    const { privateEndpoints } = organization;
    const removed = privateEndpoints.filter((one) => isLike(one, endpoint.id, behaviour));
    if (removed.length === 0 && addExisting === 'conflict')
      return refusal(endpoint, behaviour, 404, 'does not exist');
    const rest = privateEndpoints.filter((one) => !removed.includes(one));
    return { next: { ...organization, privateEndpoints: rest }, removed };
  };
}

function addition(endpoint: PrivateEndpoint, behaviour: OrganizationBehaviour): Step {
  return (organization) => {
    const { refusedIds, refusedStatus, addExisting } = behaviour;
    if (refusedIds.some((id) => isLike(endpoint, id, behaviour)))
      return refusal(endpoint, behaviour, refusedStatus, 'is not valid');
    const { privateEndpoints } = organization;
    const stored = spelledAs(endpoint, behaviour);
    const there = privateEndpoints.find((one) => isLike(one, endpoint.id, behaviour));
    if (!there) {
      const longer = [...privateEndpoints, stored];
      return { next: { ...organization, privateEndpoints: longer }, added: [stored] };
    }
    if (addExisting === 'conflict') return refusal(endpoint, behaviour, 409, 'already exists');
    if (addExisting === 'no-op') return { next: organization };
    const replaced = privateEndpoints.map((one) => (one === there ? stored : one));
    const isSame = there.id === stored.id && placeOf(there) === placeOf(stored);
    const moves = isSame ? {} : { added: [stored], removed: [there] };
    return { next: { ...organization, privateEndpoints: replaced }, ...moves };
  };
}

function refusal(
  { id }: PrivateEndpoint,
  { refusedText }: OrganizationBehaviour,
  status: number,
  why: string,
): Objection {
  const isNamed = refusedText === 'names-id';
  return { status, text: isNamed ? `private endpoint "${id}" ${why}` : 'request is not valid' };
}

function spelledAs(endpoint: PrivateEndpoint, { tuples }: OrganizationBehaviour): PrivateEndpoint {
  const { id, region } = endpoint;
  if (tuples === 'upper-id') return { ...endpoint, id: id.toUpperCase() };
  return tuples === 'upper-region' ? { ...endpoint, region: region.toUpperCase() } : endpoint;
}

/** Ids are unique in a list, in the spelling in which they are stored. */
function isLike(one: PrivateEndpoint, id: string, { tuples }: OrganizationBehaviour): boolean {
  return tuples === 'upper-id' ? one.id.toUpperCase() === id.toUpperCase() : one.id === id;
}

function placeOf({ cloudProvider, region }: PrivateEndpoint): string {
  return `${cloudProvider}/${region}`;
}
