import type { Named } from '../life/acts.ts';
import type { Life } from '../life/life.ts';
import { endpoint, organizationSpec, pipeSpec, type Spec } from '../life/specs.ts';
import type { Act, Manner, Mishap, ObjectDraft, World } from '../life/world.ts';
import type { EndpointView } from '../record/facts.ts';
import type { FateName } from './fates.ts';

/** A short story of one object, from its creation to its end. */
export interface Workload {
  readonly name: string;
  readonly world: World;
  readonly acts: readonly Act[];
  readonly subject: Named;
  /** What a user changes in the midst of it, where that is the fate of a call or write. */
  readonly edit: Spec;
  /** How the API answers a call in every telling. */
  readonly given?: ((call: string) => Mishap | undefined) | undefined;
  /** What cannot befall it without a case that concepts.md gives up. */
  readonly not?: readonly FateName[] | undefined;
  /** Another client does what ends otherwise where it meets a mishap: only the judges can tell. */
  readonly isMeddled?: true | undefined;
  /** Who deletes it makes it again at once. */
  readonly isRemade?: true | undefined;
}

export const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';
export const [ONE, TWO, THREE] = [endpoint('psc-1'), endpoint('psc-2'), endpoint('psc-3')];
const NINE = endpoint('psc-9');

export const SECOND = 1_000;
export const PIPE: Named = { plural: 'pipesettings', namespace: 'team-a', name: 'pipe' };
export const ORG: Named = { plural: 'organizations', namespace: 'team-a', name: 'org' };

interface Told extends Pick<Workload, 'given' | 'not' | 'isMeddled' | 'isRemade'> {
  readonly spec: Spec;
  /** By seconds since the beginning. */
  readonly acts?: Readonly<Record<number, (life: Life) => string | undefined>>;
  readonly others?: readonly EndpointView[];
  readonly manner?: Manner['behaviour'];
  readonly beside?: readonly ObjectDraft[];
  /** Two processes, and a Lease. */
  readonly isElected?: true;
}

function workload(name: string, subject: Named, change: Spec, told: Told): Workload {
  const { spec, acts = {}, others = [], manner = {}, beside = [], isElected, ...how } = told;
  const times = Object.keys(acts).map(Number);
  const manners = [{ name, behaviour: manner }];
  return {
    name,
    subject,
    edit: change,
    ...how,
    acts: Object.entries(acts).map(([at, perform]) => ({
      id: `at ${at} s`,
      atMs: Number(at) * SECOND,
      isMishap: false,
      perform,
    })),
    world: {
      seed: `sweep/${name}`,
      flags: { rate: '10/10s', timeoutSeconds: 35, elected: isElected ?? false },
      namespaces: ['team-a', 'team-b'],
      organizations: [{ id: ORGANIZATION, manners, others }],
      pipes: [{ organizationId: ORGANIZATION, pipeId: 'pipe', manners }],
      activities: [],
      keys: ['team-a', 'team-b'].map((namespace) => ({
        namespace,
        id: `sweepers-id-in-${namespace}`,
        secret: `the-sweepers-secret-in-${namespace}`,
      })),
      objects: [{ ...subject, spec, atMs: 5 * SECOND }, ...beside],
      restAt: (Math.max(30, ...times) + 150) * SECOND,
    },
  };
}

export const pipe = (
  name: string,
  told: Omit<Told, 'spec'> & { readonly settings: Spec },
): Workload =>
  workload(
    name,
    PIPE,
    { settings: { ...told.settings, engine_max_insert_threads: 7 } },
    { ...told, spec: pipeSpec(ORGANIZATION, 'pipe', { settings: told.settings }) },
  );

export const organization = (name: string, told: Told): Workload =>
  workload(
    name,
    ORG,
    { privateEndpoints: [ONE, TWO, NINE] },
    { ...told, spec: organizationSpec(ORGANIZATION, told.spec) },
  );
