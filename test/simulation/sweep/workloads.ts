import {
  askForTry,
  changeAsSomebody,
  drop,
  dropSecret,
  edit,
  type Named,
  putSecret,
} from '../life/acts.ts';
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
  /** How the API answers a call in every telling. */
  readonly given?: ((call: string) => Mishap | undefined) | undefined;
  /** What cannot befall it, by section 6 of the contract. */
  readonly not?: readonly FateName[] | undefined;
  /** Another client does what ends otherwise where it meets a mishap: only the judges can tell. */
  readonly isMeddled?: true | undefined;
  /** Who deletes it makes it again at once. */
  readonly isRemade?: true | undefined;
}

const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';
const [ONE, TWO, THREE] = [endpoint('psc-1'), endpoint('psc-2'), endpoint('psc-3')];
const NINE = endpoint('psc-9');
const THEIRS = endpoint('theirs-1');
const REMOVE = { deletionPolicy: 'RemovePrivateEndpoints' };

const SECOND = 1_000;
const PIPE: Named = { plural: 'pipesettings', namespace: 'team-a', name: 'pipe' };
const ORG: Named = { plural: 'organizations', namespace: 'team-a', name: 'org' };

interface Told extends Pick<Workload, 'given' | 'not' | 'isMeddled' | 'isRemade'> {
  readonly spec: Spec;
  /** By seconds since the beginning. */
  readonly acts?: Readonly<Record<number, (life: Life) => string | undefined>>;
  readonly others?: readonly EndpointView[];
  readonly manner?: Manner['behaviour'];
  /** Another object for the same target, of another namespace. */
  readonly rival?: Spec;
}

function workload(name: string, subject: Named, change: Spec, told: Told): Workload {
  const { spec, acts = {}, others = [], manner = {}, rival, ...how } = told;
  const times = Object.keys(acts).map(Number);
  const manners = [{ name, behaviour: manner }];
  const theirs = {
    ...subject,
    namespace: 'team-b',
    spec: { ...spec, ...rival },
    atMs: 10 * SECOND,
  };
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
      flags: { rate: '10/10s', timeoutSeconds: 35, elected: false },
      namespaces: ['team-a', 'team-b'],
      organizations: [{ id: ORGANIZATION, manners, others }],
      pipes: [{ organizationId: ORGANIZATION, pipeId: 'pipe', manners }],
      activities: [],
      keys: ['team-a', 'team-b'].map((namespace) => ({
        namespace,
        id: `sweepers-id-in-${namespace}`,
        secret: `the-sweepers-secret-in-${namespace}`,
      })),
      objects: [{ ...subject, spec, atMs: 5 * SECOND }, ...(rival ? [theirs] : [])],
      restAt: (Math.max(30, ...times) + 150) * SECOND,
    },
  };
}

const pipe = (name: string, told: Omit<Told, 'spec'> & { readonly settings: Spec }): Workload =>
  workload(
    name,
    PIPE,
    { settings: { ...told.settings, engine_max_insert_threads: 7 } },
    { ...told, spec: pipeSpec(ORGANIZATION, 'pipe', { settings: told.settings }) },
  );

const organization = (name: string, told: Told): Workload =>
  workload(
    name,
    ORG,
    { privateEndpoints: [ONE, TWO, NINE] },
    { ...told, spec: organizationSpec(ORGANIZATION, told.spec) },
  );

const list =
  (...privateEndpoints: readonly EndpointView[]) =>
  (life: Life) =>
    edit(life, ORG, { privateEndpoints });
const deletes = (life: Life) => drop(life, ORG);

const asks = (named: Named, value: string) => (life: Life) => askForTry(life, named, value);
const key = (secret: string) => (life: Life) => {
  putSecret(life, { namespace: 'team-a', name: 'api', id: 'sweepers-id-in-team-a', secret });
  return 'a user writes the Secret team-a/api';
};
const answers = (status: number, headers?: Record<string, string>): Mishap => ({
  text: `the API answers ${status}`,
  answer: { status, ...(headers && { headers }) },
});

/** Each has what it alone has. */
export const WORKLOADS: readonly Workload[] = [
  pipe('new-pipe', {
    settings: { engine_max_threads: 0, engine_parallel_view_processing: false },
    acts: { 60: asks(PIPE, 'once') },
    isRemade: true,
  }),
  pipe('edited-pipe', {
    settings: { engine_max_threads: 4 },
    acts: {
      60: (life) => edit(life, PIPE, { settings: { engine_max_threads: 9 } }),
      180: (life) => edit(life, PIPE, { mode: 'Plan' }),
      210: (life) => edit(life, PIPE, { mode: undefined, reassertInterval: '10m' }),
      240: (life) => edit(life, PIPE, { suspend: true }),
      270: (life) => edit(life, PIPE, { suspend: undefined, reassertInterval: undefined }),
    },
  }),
  pipe('failing-pipe', {
    settings: { engine_max_threads: 4, object_storage_concurrency: 3 },
    given: (call) => [503, 500, 424].map((one) => answers(one))[Number(call.split('#')[1]) - 1],
  }),
  organization('named-organization', {
    spec: { name: 'First', privateEndpoints: [ONE] },
    acts: {
      60: (life) => edit(life, ORG, { name: 'Second' }),
      90: (life) => changeAsSomebody(life, ORGANIZATION, { name: 'Theirs' }),
      95: asks(ORG, 'once'),
    },
    // "a lost rename … landing after a later one"
    not: ['executed late'],
  }),
  organization('robbed-organization', {
    spec: { privateEndpoints: [ONE, TWO], reassertInterval: '10m', ...REMOVE },
    acts: {
      60: (life) => changeAsSomebody(life, ORGANIZATION, { remove: [ONE] }),
      70: asks(ORG, 'once'),
      200: asks(ORG, 'twice'),
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
  organization('deletion-after-its-secret', {
    spec: { privateEndpoints: [ONE], ...REMOVE },
    acts: { 85: (life) => void dropSecret(life, 'team-a', 'api'), 90: deletes },
    // "What this process never read is lost"
    not: ['crash before', 'crash after'],
  }),
  organization('deletion-in-an-outage', {
    spec: { privateEndpoints: [ONE], ...REMOVE },
    acts: {
      60: (life) => life.processes.scaleDown(720 * SECOND),
      70: deletes,
      800: () => undefined,
    },
    // The deadline is over: one failure lets it go.
    isMeddled: true,
  }),
  organization('adoption', {
    spec: { privateEndpoints: [ONE, TWO], adoptPrivateEndpoints: true, ...REMOVE },
    others: [ONE, THEIRS],
    acts: {
      70: (life) => edit(life, ORG, { adoptPrivateEndpoints: undefined }),
      100: (life) => edit(life, ORG, { adoptPrivateEndpoints: true }),
      130: (life) => edit(life, ORG, { adoptPrivateEndpoints: undefined }),
      170: deletes,
    },
  }),
  organization('late-list', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    manner: { organization: { echo: 'lagging', addExisting: 'conflict' } },
    acts: { 120: list(TWO, THREE), 260: deletes },
    // "a list that hides an entry that was never seen"
    not: ['executed late'],
  }),
  organization('left-out-list', {
    spec: { name: 'Empty', privateEndpoints: [], ...REMOVE },
    manner: { organization: { list: 'absent-when-empty', tuples: 'upper-id' } },
    acts: { 30: list(ONE), 240: list(), 480: list(TWO), 720: deletes },
  }),
  organization('emptied-list', {
    spec: { privateEndpoints: [ONE], ...REMOVE },
    manner: { organization: { list: 'absent-when-empty' } },
    acts: {
      60: (life) => changeAsSomebody(life, ORGANIZATION, { remove: [ONE] }),
      70: asks(ORG, 'once'),
      900: asks(ORG, 'twice'),
    },
    isMeddled: true,
  }),
  organization('slow-answers', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    acts: { 300: deletes },
    given: () => ({ text: 'its answer takes 32 s', fate: { backMs: 32 * SECOND } }),
  }),
  organization('suspended-and-resumed', {
    spec: { privateEndpoints: [ONE], ...REMOVE },
    acts: {
      40: (life) => edit(life, ORG, { privateEndpoints: [], maxPrivateEndpointRemovals: 0 }),
      50: (life) => edit(life, ORG, { privateEndpoints: [ONE], maxPrivateEndpointRemovals: 5 }),
      60: (life) => edit(life, ORG, { suspend: true }),
      1_000: (life) => changeAsSomebody(life, ORGANIZATION, { add: [ONE] }),
      1_020: (life) => edit(life, ORG, { suspend: undefined }),
      1_080: deletes,
    },
    isMeddled: true,
  }),
  organization('wrong-key', {
    spec: { privateEndpoints: [ONE] },
    acts: { 2: key('what-the-api-does-not-take'), 480: key('the-sweepers-secret-in-team-a') },
  }),
  organization('two-keys', {
    spec: { privateEndpoints: [ONE] },
    rival: { privateEndpoints: [TWO] },
    given: (call) => (call.endsWith('#1') ? answers(429, { 'retry-after': '300' }) : undefined),
    isMeddled: true,
  }),
];
