import { waitFor } from '../../controlplane/client.ts';
import { endpoint, type Org } from '../../support/organizations.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { type Label, NAME } from './crash-calls.ts';
import type { CrashScene, Plural, Present } from './crash-scene.ts';

/** One thing a user does, and every call that it costs where nothing goes wrong. */
export interface Workload {
  readonly plural: Plural;
  readonly calls: readonly Label[];
  /** How many events there are of it. */
  readonly events: number;
  /**
   * How long the API may be at work on a call. Where that is waited for it is short, but not
   * shorter than a busy machine may take.
   */
  readonly apiTimeoutMs: number;
  /** What was before; the operator runs. */
  prepare(scene: CrashScene): Promise<unknown>;
  act(scene: CrashScene): Promise<unknown>;
  finished(scene: CrashScene): Promise<unknown>;
}

const MANAGED = 'management-api';
/**
 * Another process has to start first, many of them at once, and with a Lease to wait until it has
 * run out.
 */
const PATIENCE_MS = 60_000;
const BEFORE = { settings: { engine_max_threads: 8, streaming_max_insert_wait_ms: 5_000 } };
const AFTER = { settings: { engine_max_threads: 16, object_storage_concurrency: 4 } };

const declare = (spec: Readonly<Record<string, unknown>>) => (scene: CrashScene) =>
  scene.psets.create(NAME, spec);
const applied = (scene: CrashScene): Promise<unknown> =>
  scene.psets.until(NAME, 'Applied', PATIENCE_MS);
const nothing = (): Promise<void> => Promise.resolve();

async function declared(scene: CrashScene): Promise<void> {
  await declare(BEFORE)(scene);
  await applied(scene);
}

/** The key in use is another one, and the API refuses the one before. */
async function rotate(scene: CrashScene): Promise<void> {
  await scene.newKey(MANAGED);
  scene.simulator.setKey(scene.key.id, undefined);
}

/** What users do to settings, keys and records. */
export const SETTINGS_WORKLOADS = {
  'a new PipeSettings': {
    plural: 'pipesettings',
    apiTimeoutMs: 30_000,
    calls: ['secret', 'put', 'result'],
    events: 0,
    prepare: nothing,
    act: declare(BEFORE),
    finished: applied,
  },
  'a change of its settings': {
    plural: 'pipesettings',
    apiTimeoutMs: 30_000,
    calls: ['put', 'result'],
    // Of the change, and of the setting that is no longer managed.
    events: 2,
    prepare: declared,
    act: declare(AFTER),
    finished: applied,
  },
  'a Secret rotated because the API refuses the key in it': {
    plural: 'pipesettings',
    apiTimeoutMs: 30_000,
    calls: ['secret', 'put', 'result'],
    events: 1,
    async prepare(scene) {
      scene.simulator.setKey(scene.key.id, undefined);
      await declare(BEFORE)(scene);
      const { status } = await scene.psets.until(NAME, 'Unauthorized');
      // A process that starts later knows which came first by their seconds alone.
      const refused = Date.parse(status.lastRequest?.time ?? '');
      await waitFor(() => Date.now() >= refused + 1_000, {
        what: 'the second of the refusal to pass',
      });
      await waitFor(() => scene.events(NAME), {
        what: 'the event of the refusal',
        until: ({ length }) => length > 0,
      });
    },
    act: (scene) => scene.newKey(MANAGED),
    finished: applied,
  },
  'a new Activity': {
    plural: 'activities',
    apiTimeoutMs: 30_000,
    calls: ['secret', 'get', 'result'],
    events: 0,
    async prepare({ acts }) {
      acts.record(NAME);
    },
    act: ({ acts }) => acts.create(NAME),
    finished: ({ acts }) => acts.until(NAME, 'Fetched'),
  },
} satisfies Record<string, Workload>;

/** What costs nothing, with the operator there and without. */
export const FREE_WORKLOADS = {
  'a Secret rotated while all is well': {
    plural: 'pipesettings',
    apiTimeoutMs: 30_000,
    calls: [],
    events: 0,
    prepare: declared,
    act: rotate,
    finished: nothing,
  },
  'the deletion of a PipeSettings': {
    plural: 'pipesettings',
    apiTimeoutMs: 30_000,
    calls: [],
    events: 0,
    prepare: declared,
    act: (scene) => scene.psets.remove(NAME),
    finished: nothing,
  },
} satisfies Record<string, Workload>;

const NAMED = { name: 'Acme Data' };
const list = (...ids: string[]) => ({ privateEndpoints: ids.map((id) => endpoint(id)) });

/** Looks until the object is so, and lets the time pass that the operator waits. */
function untilIt(
  { passWait }: CrashScene,
  what: string,
  until: (object: Present | undefined) => boolean,
): Promise<unknown> {
  return waitFor(async () => ({ object: await passWait() }), {
    what,
    until: ({ object }) => until(object),
    timeoutMs: PATIENCE_MS,
  });
}

const accepted = (scene: CrashScene): Promise<unknown> =>
  untilIt(scene, `${NAME} to be Applied`, (object) => {
    const { conditions = [], lastHandledReconcileAt } = (object?.status ?? {}) as Partial<
      Org['status']
    >;
    const [ready] = conditions;
    const requested = object?.metadata.annotations?.['pipewright.dev/reconcile-requested-at'];
    return (
      ready?.reason === 'Applied' &&
      ready.observedGeneration === object?.metadata.generation &&
      requested === lastHandledReconcileAt
    );
  });

async function named(scene: CrashScene): Promise<void> {
  await scene.orgs.create(NAME, { ...NAMED, ...list('a', 'b') });
  await accepted(scene);
}

/** Another edit in place of the one that is being made. */
export function withdrawing({ orgs }: CrashScene): Promise<void> {
  return orgs.create(NAME, { ...NAMED, ...list('b', 'e') });
}

/** A first contact, with a finalizer where the policy is to remove. */
export function firstContact(policy: 'Retain' | 'RemovePrivateEndpoints') {
  return ({ orgs }: CrashScene): Promise<void> =>
    orgs.create(NAME, { deletionPolicy: policy, ...list('a', 'b') });
}

/** What users do to an organization; the API has one endpoint of somebody else from the start. */
export const ORGANIZATION_WORKLOADS = {
  'an edit that adds two endpoints and removes one': {
    plural: 'organizations',
    apiTimeoutMs: 5_000,
    calls: ['look', 'intent', 'change', 'result'],
    events: 1,
    prepare: named,
    act: ({ orgs }) => orgs.create(NAME, { ...NAMED, ...list('b', 'c', 'd') }),
    finished: accepted,
  },
  'first contact with a name and an endpoint': {
    plural: 'organizations',
    apiTimeoutMs: 5_000,
    calls: ['secret', 'look', 'name', 'intent', 'change', 'result'],
    events: 0,
    prepare: nothing,
    act: ({ orgs }) => orgs.create(NAME, { ...NAMED, ...list('a') }),
    finished: accepted,
  },
  'a name that was changed elsewhere': {
    plural: 'organizations',
    apiTimeoutMs: 5_000,
    calls: ['look', 'name', 'result'],
    events: 2,
    prepare: named,
    async act({ orgs, simulator }) {
      simulator.setOrganization(ORGANIZATION, { name: 'Elsewhere' });
      await orgs.request(NAME);
    },
    async finished(scene) {
      await waitFor(() => scene.orgs.held().name, {
        what: 'the name to be put back',
        until: (name) => name === NAMED.name,
      });
      await accepted(scene);
    },
  },
  'first contact with two endpoints and a finalizer': {
    plural: 'organizations',
    apiTimeoutMs: 5_000,
    calls: ['secret', 'look', 'finalizer', 'intent', 'change', 'result'],
    events: 0,
    prepare: nothing,
    act: firstContact('RemovePrivateEndpoints'),
    finished: accepted,
  },
  'a deletion that takes two endpoints back': {
    plural: 'organizations',
    apiTimeoutMs: 5_000,
    calls: ['look', 'intent', 'change', 'finalizer'],
    events: 1,
    async prepare(scene) {
      await firstContact('RemovePrivateEndpoints')(scene);
      await accepted(scene);
    },
    act: ({ orgs }) => orgs.remove(NAME),
    finished: (scene) => untilIt(scene, `${NAME} to be gone`, (object) => object === undefined),
  },
} satisfies Record<string, Workload>;

/** Somebody else's, by all that can be known: the API has refused to add them. */
export const REFUSED: Workload = {
  plural: 'organizations',
  apiTimeoutMs: 5_000,
  calls: ['look', 'intent', 'change', 'result', 'look', 'result'],
  events: 1,
  prepare: named,
  act({ orgs, simulator }) {
    const match = { bodyIncludes: '"add":[{' };
    simulator.next({ status: 409, applied: true }, { match });
    return orgs.create(NAME, { ...NAMED, ...list('a', 'b', 'c', 'd') });
  },
  finished: accepted,
};
