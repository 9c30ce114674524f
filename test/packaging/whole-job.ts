import { waitFor } from '../controlplane/client.ts';
import { asAdmin, change, createOrReplace, type Stored } from '../support/cluster.ts';
import type { Scene } from '../support/scene.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';

const CREDENTIALS = {
  organizationId: ORGANIZATION,
  credentialsSecretRef: { name: 'management-api' },
};
const ENDPOINT = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };

interface Job {
  readonly plural: string;
  readonly spec: object;
  /** `Ready` when all is done. */
  readonly reason: string;
  /** A second spec, whose application is told in an event. */
  readonly second?: object;
}

/** One object of each kind that makes the operator use every right it has. */
export const JOBS: Readonly<Record<string, Job>> = {
  PipeSettings: {
    plural: 'pipesettings',
    spec: {
      ...CREDENTIALS,
      serviceId: SERVICE,
      pipeId: 'whole-job',
      settings: { engine_max_threads: 8 },
    },
    reason: 'Applied',
    second: {
      ...CREDENTIALS,
      serviceId: SERVICE,
      pipeId: 'whole-job',
      settings: { engine_max_threads: 9 },
    },
  },
  Organization: {
    plural: 'organizations',
    // Removing endpoints takes a finalizer, and that the right to patch.
    spec: {
      ...CREDENTIALS,
      privateEndpoints: [ENDPOINT],
      deletionPolicy: 'RemovePrivateEndpoints',
    },
    reason: 'Applied',
  },
  Activity: {
    plural: 'activities',
    spec: { ...CREDENTIALS, activityId: 'whole-job' },
    reason: 'Fetched',
  },
};

interface Seen extends Stored {
  readonly status: {
    readonly observedGeneration: number;
    readonly conditions: readonly {
      readonly type: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

const NAME = 'whole-job';

function collection(scene: Scene, plural: string): string {
  return `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/${plural}`;
}

/** Creates one object of each kind, with what it needs in the simulated API. */
export async function createAll(
  scene: Scene,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  scene.simulator.setActivity(ORGANIZATION, { id: NAME, type: 'create_organization' });
  for (const [kind, { plural, spec }] of Object.entries(JOBS)) {
    const object = {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind,
      metadata: { name: NAME, labels },
      spec,
    };
    await createOrReplace(collection(scene, plural), object);
  }
}

/** Waits until every object is as its job says, and after its second spec again. */
export async function allApplied(scene: Scene): Promise<void> {
  for (const { plural, reason, second } of Object.values(JOBS)) {
    const path = `${collection(scene, plural)}/${NAME}`;
    const done = (): Promise<Seen> =>
      waitFor(() => asAdmin<Seen>('GET', path), {
        what: `${plural} to be ${reason}`,
        until: ({ metadata, status }) =>
          status.observedGeneration === metadata.generation &&
          status.conditions.some((one) => one.type === 'Ready' && one.reason === reason),
      });
    await done();
    if (!second) continue;
    await change(path, (stored) => ({ ...stored, spec: second }));
    await done();
  }
}

/** Waits for an event about a change, deletes all, and waits for the end of the cleanup. */
export async function allDeleted(scene: Scene): Promise<void> {
  await waitFor(() => scene.events(NAME), {
    what: 'an event',
    until: (events) => events.length > 0,
  });
  for (const { plural } of Object.values(JOBS)) {
    const path = collection(scene, plural);
    await asAdmin('DELETE', `${path}/${NAME}`);
    await waitFor(() => asAdmin<{ items: unknown[] }>('GET', path), {
      what: `the deletion in ${plural}`,
      until: ({ items }) => items.length === 0,
    });
  }
}
