import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../controlplane/audit.ts';
import { waitFor } from '../controlplane/client.ts';
import type { Call } from '../simulator/types.ts';
import { asAdmin, change, createOrReplace } from './cluster.ts';
import { ORGANIZATION, type Pset, type Scene } from './scene.ts';
import { writesOf } from './watching.ts';

/**
 * An Activity as the API server gives it to its users; written down apart from the operator's own
 * types.
 */
export type Act = Omit<Pset, 'status'> & {
  readonly metadata: { readonly creationTimestamp: string };
  readonly status: Pset['status'] & { readonly activity?: Readonly<Record<string, string>> };
};

/** What tests do with the Activities of a scene. */
export interface Activities {
  /** Where an object is, for requests to the API server. */
  pathTo(name: string): string;
  /**
   * The record that the API has from now on, under the id of the same name; all ten fields unless
   * told otherwise.
   */
  record(id: string, more?: RecordOptions): Readonly<Record<string, string>>;
  /**
   * Creates an object or replaces its spec. Its record has its name, unless the spec says
   * otherwise.
   */
  create(name: string, spec?: Readonly<Record<string, unknown>>): Promise<void>;
  get(name: string): Promise<Act>;
  /**
   * Waits until `Ready` speaks of the present generation with this reason, and gives the object.
   */
  until(name: string, reason: string): Promise<Act>;
  /** Waits until the object fits. */
  untilIt(name: string, what: string, fits: (object: Act) => boolean): Promise<Act>;
  /** Sets the one-shot annotation to a new value, and gives that. */
  request(name: string): Promise<string>;
  /** The calls for a record. */
  calls(id: string): Call[];
  /** Writes to one object, events about it not counted. */
  writes(name: string): Promise<AuditEntry[]>;
}

export interface RecordOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly lateCalls?: number;
  readonly lateMs?: number;
}

export function activitiesOf(scene: Pick<Scene, 'namespace' | 'simulator' | 'user'>): Activities {
  const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/activities`;
  const pathTo = (name: string): string => `${collection}/${name}`;
  const acts: Activities = {
    pathTo,
    record(id, { fields, ...late } = {}) {
      const record = fullRecord(id);
      scene.simulator.setActivity(ORGANIZATION, { ...(fields ?? record), id }, late);
      return record;
    },
    create(name, spec = {}) {
      const object = {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: 'Activity',
        metadata: { name },
        spec: {
          organizationId: ORGANIZATION,
          activityId: name,
          credentialsSecretRef: { name: 'management-api' },
          ...spec,
        },
      };
      return createOrReplace(collection, object);
    },
    get: (name) => asAdmin<Act>('GET', pathTo(name)),
    until: (name, reason) =>
      acts.untilIt(name, reason, ({ metadata, status }) =>
        status.conditions.some(
          (one) =>
            one.type === 'Ready' &&
            one.reason === reason &&
            one.observedGeneration === metadata.generation,
        ),
      ),
    untilIt: (name, what, until) =>
      waitFor(() => acts.get(name), { what: `${name}: ${what}`, until }),
    async request(name) {
      const value = randomUUID();
      const annotations = { 'pipewright.dev/reconcile-requested-at': value };
      await change(pathTo(name), (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, annotations },
      }));
      return value;
    },
    calls: (id) => scene.simulator.calls().filter(({ path }) => path.endsWith(`/activities/${id}`)),
    async writes(name) {
      const writes = await writesOf(scene.user);
      return writes.filter((entry) => entry.resource === 'activities' && entry.name === name);
    },
  };
  return acts;
}

/** All ten fields, each with a value that is found nowhere else. */
function fullRecord(id: string): Readonly<Record<string, string>> {
  return {
    id,
    createdAt: '2026-02-28T23:59:58.123Z',
    type: 'create_organization',
    actorType: 'user',
    actorId: `actor-${id}-9c41`,
    actorDetails: `jane.roe+${id}@example.org`,
    actorIpAddress: '203.0.113.77',
    organizationId: ORGANIZATION,
    serviceId: `service-of-${id}`,
    userAgent: `Mozilla/5.0 (canary ${id})`,
  };
}
