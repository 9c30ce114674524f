import type { Organization } from '../../simulator/organization-types.ts';
import type { Dice } from '../../support/dice.ts';
import { endpoint, type Tuple } from '../../support/organization-scene.ts';
import type { Spec } from './walk-draw.ts';
import type { Walker, World } from './walk-world.ts';

/** What this API refuses. */
const REFUSED = 'refused';
const LONGEST_NAME = 40;
/** No more than may be removed at once. */
const IDS = ['a', 'b', 'c', 'd', 'e'] as const;
const THEIRS = { ...endpoint('theirs'), description: '' };

/** Organizations on walks. What others have is never listed here: the simulation has that. */
export const organization: Walker = {
  kind: 'Organization',
  api: { organization: { refusedIds: [REFUSED], longestName: LONGEST_NAME } },
  drawing: {
    own: drawOwn,
    wrong: [
      { name: '' },
      { name: undefined, privateEndpoints: undefined },
      { privateEndpoints: [endpoint('a'), endpoint('a')] },
      { privateEndpoints: [endpoint('with a space')] },
      { privateEndpoints: [{ id: 'a', cloudProvider: 'gcp' }] },
      { privateEndpoints: 'all' },
      { maxPrivateEndpointRemovals: 101 },
      { maxPrivateEndpointRemovals: -1 },
      { deletionPolicy: 'Burn' },
      { adoptPrivateEndpoints: 'perhaps' },
      { organizationId: '7f0e2b1c-0000-4000-8000-000000000000' },
      { mode: 'Dream' },
      { reassertInterval: '9m59s' },
      { credentialsSecretRef: {} },
      { noSuchField: true },
    ],
  },
  // What it has added would be somebody else's for the object made anew.
  mayRecreate: false,
  begin: (world, name) => {
    world.simulator.setOrganization(idOf(world, name), { name: 'Before', add: [THEIRS] });
  },
  theirs(world, name, value) {
    world.simulator.setOrganization(idOf(world, name), {
      add: [{ ...endpoint(`theirs-${value}`), description: '' }],
    });
  },
  held: (world, name) => heldBy(world, name),
  give(world, name, held, changedBy) {
    const { name: heldName, endpoints } = held as Held;
    const isRenamed = changedBy?.['name'] !== undefined && !isTooLong(changedBy);
    world.simulator.setOrganization(idOf(world, name), {
      name: isRenamed ? 'Before' : heldName,
      add: changedBy ? endpoints.filter(isTheirs) : endpoints,
    });
  },
  wants(held, spec) {
    const { endpoints, name } = held as Held;
    const listed = spec['privateEndpoints'] as readonly Tuple[];
    return {
      name: spec['name'] ?? name,
      endpoints: [...listed, ...endpoints.filter(isTheirs)].toSorted(byId),
    };
  },
  isPartlyTaken: true,
  refusal(spec) {
    const isRefused = (spec['privateEndpoints'] as readonly Tuple[]).some(
      ({ id }) => id === REFUSED,
    );
    return isRefused || isTooLong(spec) ? 'Rejected' : undefined;
  },
};

interface Held {
  readonly name: string;
  readonly endpoints: Organization['privateEndpoints'];
}

const isTheirs = ({ id }: Tuple): boolean => id.startsWith('theirs');
const isTooLong = ({ name }: Spec): boolean =>
  typeof name === 'string' && name.length > LONGEST_NAME;
const byId = (a: Tuple, b: Tuple): number => (a.id < b.id ? -1 : 1);

function idOf({ make }: World, name: string): string {
  return make.targetOf(name)['organizationId'] ?? '';
}

function heldBy(world: World, name: string): Held {
  const held = world.simulator.organization(idOf(world, name));
  if (!held) throw new Error(`there is no organization of ${name}`);
  return { name: held.name, endpoints: held.privateEndpoints.toSorted(byId) };
}

/**
 * The last one manages the list and may remove what earlier ones added: what it otherwise leaves is
 * as it was.
 */
function drawOwn(dice: Dice, { last }: { readonly last: boolean }): Spec {
  const ids = dice.some(IDS, 0.5);
  const listed = dice.chance(0.1) ? [...ids, REFUSED] : ids;
  const isListed = last || dice.chance(0.85);
  const name = dice.chance(0.08) ? 'x'.repeat(LONGEST_NAME + 1) : `Name ${dice.below(4)}`;
  return {
    name: !isListed || dice.chance(0.6) ? name : undefined,
    ...(isListed && { privateEndpoints: listed.map((id) => endpoint(id)) }),
    ...(dice.chance(0.3) && { deletionPolicy: 'RemovePrivateEndpoints' }),
    ...(dice.chance(0.2) && { adoptPrivateEndpoints: true }),
    ...(!last && dice.chance(0.2) && { maxPrivateEndpointRemovals: dice.one([0, 1, 100]) }),
  };
}
