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
import { endpoint, organizationSpec, pipeSpec } from '../life/specs.ts';
import type { Mishap } from '../life/world.ts';
import type { EndpointView } from '../record/facts.ts';
import * as workload from './workload.ts';

const { ONE, ORG, ORGANIZATION, organization, PIPE, pipe, SECOND, THREE, TWO } = workload;
const THEIRS = endpoint('theirs-1');
const REMOVE = { deletionPolicy: 'RemovePrivateEndpoints' };

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
const gaveUp = (status: number): Mishap => ({
  text: `a gateway answers ${status}, and the work is done`,
  answer: { status, applied: true },
});
const FREEZES: Mishap = {
  text: 'both processes stand still for 20 s',
  acts: {
    when: 'asks',
    run: ({ processes }) => void processes.all.map((one) => one.freeze(20 * SECOND)),
  },
};

/** Each has what it alone has. */
export const WORKLOADS: readonly workload.Workload[] = [
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
      200: (life) => edit(life, PIPE, { mode: undefined, reassertInterval: '10m' }),
      240: (life) => edit(life, PIPE, { suspend: true }),
      270: (life) => edit(life, PIPE, { suspend: undefined, reassertInterval: undefined }),
      300: (life) => edit(life, PIPE, { settings: { engine_max_threads: 8 } }),
    },
  }),
  pipe('failing-pipe', {
    settings: { engine_max_threads: 4, object_storage_concurrency: 3 },
    given: (call) => [503, 500, 424].map((one) => answers(one))[Number(call.split('#')[1]) - 1],
  }),
  organization('organization-behind-a-gateway', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    acts: { 200: deletes },
    given: (call) => (call.endsWith('#2') ? gaveUp(408) : undefined),
  }),
  organization('named-organization', {
    spec: { name: 'First', privateEndpoints: [ONE] },
    given: (call) => {
      const number = Number(call.split('#')[1]);
      if (number > 6) return undefined;
      return number > 3 ? { text: 'HTML', answer: { status: 500, body: 'html' } } : answers(503);
    },
    acts: {
      120: (life) => edit(life, ORG, { name: 'Second' }),
      150: (life) => changeAsSomebody(life, ORGANIZATION, { name: 'Theirs' }),
      155: asks(ORG, 'once'),
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
  organization('adoption-of-what-goes', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    others: [ONE],
    acts: {
      60: (life) => edit(life, ORG, { adoptPrivateEndpoints: true, privateEndpoints: [TWO] }),
    },
    isMeddled: true,
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
      100: (life) => changeAsSomebody(life, ORGANIZATION, { remove: [ONE] }),
      110: asks(ORG, 'once'),
      900: asks(ORG, 'twice'),
    },
    isMeddled: true,
  }),
  organization('slow-answers', {
    spec: { privateEndpoints: [ONE, TWO], ...REMOVE },
    acts: { 133: deletes },
    // The first list is too old when it comes; a lost add may land while the last one is on its way.
    given: (call) => {
      const seconds = call.endsWith('#1') ? 32 : 29;
      return { text: `its answer takes ${seconds} s`, fate: { backMs: seconds * SECOND } };
    },
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
    beside: [
      {
        ...ORG,
        namespace: 'team-b',
        spec: organizationSpec(ORGANIZATION, { privateEndpoints: [TWO] }),
        atMs: 10 * SECOND,
      },
      {
        ...PIPE,
        spec: pipeSpec(ORGANIZATION, 'pipe', { settings: { engine_max_threads: 4 } }),
        atMs: 5 * SECOND,
      },
    ],
    given: (call) => {
      if (!call.endsWith('#1')) return undefined;
      const [wait, backMs] = call.startsWith('PUT') ? ['20', 2 * SECOND] : ['300', SECOND];
      return { ...answers(429, { 'retry-after': wait }), fate: { backMs } };
    },
    isMeddled: true,
  }),
  organization('frozen-leader', {
    spec: { privateEndpoints: [ONE] },
    given: (call) => (call.endsWith('#2') ? FREEZES : undefined),
    isElected: true,
    isMeddled: true,
  }),
];
