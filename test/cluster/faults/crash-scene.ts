import { randomUUID } from 'node:crypto';
import { change } from '../../support/cluster.ts';
import { endpoint, inventoryOf, list, type Org, type Patch } from '../../support/organizations.ts';
import type { Passing } from '../../support/proxy.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { isNow, type Pset } from '../../support/scene-objects.ts';

/** What the operator asks of both APIs for one object, in the order of an attempt. */
export type Label = 'look' | 'finalizer' | 'name' | 'pending' | 'change' | 'put' | 'status';

/** What befalls a call: `before` it has reached the server, when it is `done`, or `answered`. */
export type Fate =
  | `killed ${'before' | 'done' | 'answered'}`
  | `cut ${'before' | 'done'}`
  | 'conflict'
  | 'edited'
  | 'deleted';

/** The object of one row, with a target of its own. */
export interface Subject {
  readonly name: string;
  readonly organizationId: string;
}

const API = { organization: { addExisting: 'conflict' } } as const;

/** A scene in which something befalls the first call with a label for one object. */
export async function openCrashScene() {
  let trap:
    | { label: Label; subject: Subject; spring: (call: Passing) => Promise<void> }
    | undefined;
  const take = async (call: Passing): Promise<void> => {
    if (trap && labelOf(call, trap.subject) === trap.label) {
      const { spring } = trap;
      trap = undefined;
      return spring(call);
    }
    await call.forward();
    await call.reply();
  };
  const scene = await openScene({
    simulator: API,
    clock: true,
    kube: { take },
    api: { take },
    // Its own time is hours ahead of that of the API server, which dates deletions.
    flags: ['--api-timeout', '10s', '--cleanup-deadline', '24h'],
  });

  async function kill(): Promise<void> {
    await scene.operator().kill();
    scene.kube().cut();
    scene.api().cut();
    await scene.start();
  }

  const fates: Record<Fate, (call: Passing, subject: Subject) => Promise<unknown>> = {
    'killed before': kill,
    'killed done': async (call) => [await call.forward(), await kill()],
    'killed answered': async (call) => [await call.forward(), await call.reply(), await kill()],
    'cut before': async (call) => call.sever(),
    'cut done': async (call) => [await call.forward(), call.sever()],
    conflict: (call, subject) => meanwhile(call, touch(scene, call, subject)),
    edited: (call, subject) => meanwhile(call, edit(scene, subject)),
    deleted: (call, { name }) => meanwhile(call, scene.orgs.remove(name)),
  };
  return {
    scene,
    subject: (name: string): Subject => ({ name, organizationId: randomUUID() }),
    /** Resolves when that has befallen the object's next call with this label. */
    befalls(fate: Fate, label: Label, subject: Subject): Promise<unknown> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const spring = (call: Passing) => fates[fate](call, subject).then(resolve, reject);
      trap = { label, subject, spring };
      return promise;
    },
  };
}

async function meanwhile(call: Passing, work: Promise<void>): Promise<void> {
  await work;
  await call.forward();
  await call.reply();
}

/** Somebody else writes to the object, nothing that concerns the operator. */
function touch(scene: Scene, { path }: Passing, { name }: Subject): Promise<void> {
  const objects = path.includes('/organizations/') ? scene.orgs : scene.psets;
  return change(objects.pathTo(name), (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, labels: { touched: 'true' } },
  }));
}

/** What a new Organization declares. */
const DECLARED = {
  name: 'Acme',
  ...list('a', 'b'),
  deletionPolicy: 'RemovePrivateEndpoints',
};

function edit(scene: Scene, { name, organizationId }: Subject): Promise<void> {
  return scene.orgs.create(name, { organizationId, ...DECLARED, ...list('a', 'b', 'c') });
}

export function newOrganization(scene: Scene, { name, organizationId }: Subject): Promise<void> {
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  return scene.orgs.create(name, { organizationId, ...DECLARED });
}

/** Which call this is for the object; undefined: none, or one of no interest. */
function labelOf({ path, method, body }: Passing, subject: Subject): Label | undefined {
  if (path.endsWith(`/organizations/${subject.organizationId}`)) {
    const { name, privateEndpoints: { add = [], remove = [] } = {} } = body as Patch;
    if (name !== undefined) return 'name';
    return add.length + remove.length > 0 ? 'change' : 'look';
  }
  if (path.endsWith(`/pipes/${subject.name}/settings`)) return 'put';
  if (!path.startsWith('/apis/pipewright.dev') || method === 'GET') return undefined;
  if (path.endsWith(`/${subject.name}`)) return 'finalizer';
  if (!path.endsWith(`/${subject.name}/status`)) return undefined;
  const { pendingChange, nextAttemptTime } = (body as Org).status;
  // One that stands since an answer was lost has a time for the next look.
  return pendingChange && nextAttemptTime === undefined ? 'pending' : 'status';
}

/** Every add and removal that arrived at the API, in order of their ids. */
export function itemsOf({ orgs }: Scene, { organizationId }: Subject): string[] {
  const items = orgs
    .patches(organizationId)
    .flatMap(({ privateEndpoints = {} }) => [
      ...(privateEndpoints.add ?? []).map(({ id }) => `+${id}`),
      ...(privateEndpoints.remove ?? []).map(({ id }) => `-${id}`),
    ]);
  return items.toSorted();
}

/** The object when all is done, undefined where it is gone. */
export function untilAtRest(scene: Scene, objects: Pick<Scene['psets'], 'list'>, name: string) {
  return scene.passUntil(
    `${name} to be gone or Applied`,
    async () => (await objects.list()).find(({ metadata }) => metadata.name === name),
    (object) => !object || (isNow(object, 'Applied') && !isBeingDeleted(object)),
  );
}

const isBeingDeleted = ({ metadata }: Pset): boolean => metadata.deletionTimestamp !== undefined;

/** What users read of it, without times and ids. */
export function shown(object: Pset | undefined): unknown {
  if (!object) return 'gone';
  const { status, metadata } = object;
  const { conditions, pendingChange, attempts, settings, organization } = status as Org['status'];
  const plain = (text: string): string => text.replace(/ ?\(request [^)]+\)/, '');
  return {
    finalizers: (metadata as Org['metadata']).finalizers ?? [],
    conditions: conditions.map((one) => `${one.type}=${one.status} ${plain(one.message)}`),
    inventory: inventoryOf(object),
    settings,
    name: organization?.name,
    left: [pendingChange, attempts].filter((one) => one !== undefined),
  };
}
