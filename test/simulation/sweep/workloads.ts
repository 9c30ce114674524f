import { askForTry, changeAsSomebody, drop, edit, type Named } from '../life/acts.ts';
import type { Life } from '../life/life.ts';
import { endpoint, organizationSpec, pipeSpec, type Spec } from '../life/specs.ts';
import type { Act, Manner, Mishap, World } from '../life/world.ts';
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
  /** What cannot befall it, by section 6 of the contract. */
  readonly not?: FateName;
  /** How the API answers a call in every telling. */
  readonly given?: (call: string) => Mishap | undefined;
}

const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';
const [ONE, TWO, THREE] = [endpoint('psc-1'), endpoint('psc-2'), endpoint('psc-3')];
const NINE = endpoint('psc-9');
const THEIRS = endpoint('theirs-1');
const REMOVE = { deletionPolicy: 'RemovePrivateEndpoints' };

const SECOND = 1_000;
const PIPE: Named = { plural: 'pipesettings', namespace: 'team-a', name: 'pipe' };
const ORG: Named = { plural: 'organizations', namespace: 'team-a', name: 'org' };

interface Told {
  readonly spec: Spec;
  /** By seconds since the beginning. */
  readonly acts?: Readonly<Record<number, (life: Life) => string | undefined>>;
  readonly others?: readonly EndpointView[];
  readonly manner?: Manner['behaviour'];
  readonly given?: Workload['given'];
  readonly not?: FateName;
}

function workload(name: string, subject: Named, change: Spec, told: Told): Workload {
  const { spec, acts = {}, others = [], manner = {}, given, not } = told;
  const times = Object.keys(acts).map(Number);
  const manners = [{ name, behaviour: manner }];
  return {
    name,
    subject,
    edit: change,
    ...(given && { given }),
    ...(not && { not }),
    acts: Object.entries(acts).map(([at, perform]) => ({
      id: `at ${at} s`,
      atMs: Number(at) * SECOND,
      isMishap: false,
      perform,
    })),
    world: {
      seed: `sweep/${name}`,
      flags: { rate: '10/10s', timeoutSeconds: 35, elected: false },
      namespaces: ['team-a'],
      organizations: [{ id: ORGANIZATION, manners, others }],
      pipes: [{ organizationId: ORGANIZATION, pipeId: 'pipe', manners }],
      activities: [],
      keys: [{ namespace: 'team-a', id: 'sweepers-key-id', secret: 'the-sweepers-secret-text' }],
      objects: [{ ...subject, spec, atMs: 5 * SECOND }],
      restAt: (Math.max(30, ...times) + 150) * SECOND,
    },
  };
}

const pipe = (name: string, told: Omit<Told, 'spec'> & { readonly settings: Spec }): Workload =>
  workload(
    name,
    PIPE,
    { settings: { ...told.settings, engine_max_insert_threads: 7 } },
    {
      ...told,
      spec: pipeSpec(ORGANIZATION, 'pipe', { settings: told.settings }),
    },
  );

const organization = (name: string, told: Told): Workload =>
  workload(
    name,
    ORG,
    { privateEndpoints: [ONE, TWO, NINE] },
    {
      ...told,
      spec: organizationSpec(ORGANIZATION, told.spec),
    },
  );

const list =
  (...privateEndpoints: readonly EndpointView[]) =>
  (life: Life) =>
    edit(life, ORG, { privateEndpoints });
const deletes = (life: Life) => drop(life, ORG);

/** Each has what it alone has. */
export const WORKLOADS: readonly Workload[] = [
  pipe('new-pipe', {
    settings: { engine_max_threads: 0, engine_parallel_view_processing: false },
    acts: { 60: (life) => askForTry(life, PIPE, 'once') },
  }),
  pipe('edited-pipe', {
    settings: { engine_max_threads: 4 },
    acts: {
      60: (life) => edit(life, PIPE, { mode: 'Plan' }),
      90: (life) => edit(life, PIPE, { mode: undefined, reassertInterval: '10m' }),
      120: (life) => edit(life, PIPE, { suspend: true }),
      150: (life) => edit(life, PIPE, { suspend: undefined, reassertInterval: undefined }),
    },
  }),
  pipe('failing-pipe', {
    settings: { engine_max_threads: 4, object_storage_concurrency: 3 },
    given: (call) =>
      /^PUT pipe \S+ #[12]$/.test(call)
        ? { text: 'the API fails', answer: { status: call.endsWith('1') ? 503 : 500 } }
        : undefined,
  }),
  organization('new-organization', {
    spec: { privateEndpoints: [ONE, TWO] },
    others: [THEIRS],
    acts: { 60: (life) => askForTry(life, ORG, 'once') },
  }),
  organization('named-organization', {
    spec: { name: 'First', privateEndpoints: [ONE] },
    acts: {
      60: (life) => edit(life, ORG, { name: 'Second' }),
      90: (life) => changeAsSomebody(life, ORGANIZATION, { name: 'Theirs' }),
      95: (life) => askForTry(life, ORG, 'once'),
    },
  }),
  organization('robbed-organization', {
    spec: { privateEndpoints: [ONE, TWO], reassertInterval: '10m', ...REMOVE },
    acts: {
      60: (life) => changeAsSomebody(life, ORGANIZATION, { remove: [ONE] }),
      70: (life) => askForTry(life, ORG, 'once'),
      200: (life) => askForTry(life, ORG, 'twice'),
    },
  }),
  organization('edited-organization', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    others: [THEIRS],
    acts: { 70: list(TWO, THREE), 140: list(), 210: list(ONE) },
  }),
  organization('refused-endpoint', {
    spec: { privateEndpoints: [ONE, TWO, THREE], ...REMOVE },
    manner: { organization: { refusedIds: ['psc-2'], refusedStatus: 409 } },
    acts: { 100: list(ONE, THREE), 200: deletes },
  }),
  organization('deletion', {
    spec: { privateEndpoints: [ONE, TWO, THREE], ...REMOVE },
    others: [THEIRS, TWO],
    acts: { 90: deletes },
  }),
  organization('adoption', {
    spec: { privateEndpoints: [ONE, TWO], adoptPrivateEndpoints: true, ...REMOVE },
    others: [ONE, THEIRS],
    acts: {
      70: (life) => edit(life, ORG, { adoptPrivateEndpoints: undefined }),
      100: (life) => edit(life, ORG, { adoptPrivateEndpoints: true }),
      150: deletes,
    },
  }),
  organization('late-list', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    manner: { organization: { echo: 'lagging', addExisting: 'conflict' } },
    // "a list that hides an entry that was never seen"
    not: 'executed late',
    acts: { 120: list(TWO, THREE), 260: deletes },
  }),
  organization('left-out-list', {
    spec: { name: 'Empty', privateEndpoints: [], ...REMOVE },
    manner: { organization: { list: 'absent-when-empty', tuples: 'upper-id' } },
    acts: { 30: list(ONE), 240: list(), 480: list(TWO), 720: deletes },
  }),
];
