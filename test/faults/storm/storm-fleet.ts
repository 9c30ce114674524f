import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { waitFor } from '../../controlplane/client.ts';
import { strangers } from '../../simulator/organization-types.ts';
import { asAdmin, type Stored } from '../../support/cluster.ts';
import { endpoint, type Org } from '../../support/organizations.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import type { Scene, SeenEvent } from '../../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../../support/scene-objects.ts';
import type { Waiting } from '../clock/long-waits.ts';

export interface FleetOptions {
  readonly scene: Pick<Scene, 'namespace' | 'simulator' | 'psets' | 'orgs'>;
  readonly pipes: number;
  readonly organizations: number;
}

/**
 * Objects of both writing kinds that are edited again and again, each edit with other values for
 * the same fields.
 */
export interface Fleet {
  /** How often every object was written so far, its creation counted. */
  readonly edits: number;
  /** Creates all, or edits all. */
  edit(): Promise<void>;
  /** Deletes one organization, which has to take its endpoints back first. */
  removeOne(): Promise<void>;
  /** Throws with all that is not as the last edit wants it, at the API and in the cluster. */
  check(): Promise<void>;
  /** Waits for that, and does something each time that it is not so yet. */
  converge(timeoutMs: number, meanwhile?: () => Promise<void>): Promise<void>;
  /** The objects that do not say that all is as declared. */
  notDone(): Promise<Waiting[]>;
  /** The version of every object. */
  versions(): Promise<Readonly<Record<string, string>>>;
  /** Names of objects, and part of the path of the calls for each. */
  readonly members: readonly {
    readonly name: string;
    readonly kind: 'pipesettings' | 'organizations';
    readonly path: string;
  }[];
}

interface Member {
  readonly name: string;
  readonly id: string;
  readonly index: number;
}

const THEIRS = strangers(2);

export function createFleet({ scene, pipes, organizations }: FleetOptions): Fleet {
  const { simulator, psets: pipeSettings, orgs } = scene;
  const pipeNames = Array.from({ length: pipes }, (_, index) => `pipe-${index}`);
  const members: Member[] = Array.from({ length: organizations }, (_, index) => ({
    name: `org-${index}`,
    id: randomUUID(),
    index,
  }));
  for (const { id } of members) simulator.setOrganization(id, { name: 'Before', add: [...THEIRS] });
  let edits = 0;
  let gone: Member | undefined;

  const left = (): Member[] => members.filter((one) => one !== gone);

  async function edit(): Promise<void> {
    edits += 1;
    await Promise.all([
      ...pipeNames.map((name, index) =>
        pipeSettings.create(name, { settings: settingsAt(index, edits) }),
      ),
      ...left().map(({ name, id, index }) =>
        orgs.create(name, { organizationId: id, ...wishAt(index, edits) }),
      ),
    ]);
  }

  async function check(): Promise<void> {
    const [psets, listed, told] = await Promise.all([
      pipeSettings.list(),
      orgs.list(),
      toldOf(scene),
    ]);
    const wrong = [
      ...psets.flatMap((one) => notDone(one)),
      ...listed.flatMap((one) => notDone(one, told(one.metadata.name))),
      ...pipeNames.flatMap((name, index) => {
        const held = simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`);
        return differs(name, held, settingsAt(index, edits));
      }),
      ...left().flatMap(({ name, id, index }) => {
        const wish = wishAt(index, edits);
        const held = orgs.held(id);
        const ids = [...wish.privateEndpoints, ...THEIRS].map((one) => one.id).toSorted();
        const listed = held.privateEndpoints.map((one) => one.id).toSorted();
        const isNobodys = told(name);
        return [
          ...differs(`${name} name`, held.name, wish.name),
          ...differs(
            `${name} endpoints`,
            listed.filter((id) => ids.includes(id) || !isNobodys(id)),
            ids,
          ),
        ];
      }),
      ...(gone
        ? differs(
            `${gone.name} endpoints`,
            orgs.ids(gone.id),
            THEIRS.map((one) => one.id),
          )
        : []),
      ...differs('objects', psets.length + listed.length, pipes + left().length),
    ];
    if (wrong.length > 0)
      throw new Error(`${wrong.length} things are not as wanted:\n${wrong.slice(0, 8).join('\n')}`);
  }

  return {
    get edits() {
      return edits;
    },
    edit,
    async removeOne() {
      gone = members[0];
      if (gone) await orgs.remove(gone.name);
    },
    check,
    async converge(timeoutMs, meanwhile) {
      const look = async (): Promise<boolean> => {
        try {
          await check();
        } catch (error) {
          await meanwhile?.();
          throw error;
        }
        return true;
      };
      await waitFor(look, { what: 'all to be as wanted', timeoutMs });
    },
    async notDone() {
      const [psets, listed] = await Promise.all([pipeSettings.list(), orgs.list()]);
      return [
        ...psets.map((one) => ({ one, path: pipeSettings.pathTo(one.metadata.name) })),
        ...listed.map((one) => ({ one, path: orgs.pathTo(one.metadata.name) })),
      ]
        .filter(({ one }) => notDone(one).length > 0)
        .map(({ one: { status }, path }) => ({ path, nextAttemptTime: status.nextAttemptTime }));
    },
    async versions() {
      const all: readonly Stored[] = [...(await pipeSettings.list()), ...(await orgs.list())];
      return Object.fromEntries(
        all.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
      );
    },
    members: [
      ...pipeNames.map((name) => ({ name, kind: 'pipesettings' as const, path: pathOf(name) })),
      ...members.map(({ name, id }) => ({ name, kind: 'organizations' as const, path: id })),
    ],
  };
}

function settingsAt(index: number, edit: number) {
  return {
    engine_max_threads: (index + edit) % 64,
    object_storage_concurrency: 1 + ((index * 7 + edit) % 35),
  };
}

/** Each edit adds one endpoint and drops another. Every other organization has a finalizer. */
function wishAt(index: number, edit: number) {
  return {
    name: `Acme ${index}.${edit}`,
    privateEndpoints: [endpoint(`ours-${edit}`), endpoint(`ours-${edit + 1}`)],
    ...(index % 2 === 0 && { deletionPolicy: 'RemovePrivateEndpoints' }),
  };
}

/** Ready, about this generation, everywhere, with nothing under way. */
function notDone(
  { metadata, status }: Pset | Org,
  isNobodys: (id: string) => boolean = () => false,
): string[] {
  const {
    conditions,
    observedGeneration,
    pendingChange,
    privateEndpoints = [],
  } = status as Org['status'];
  const seen = {
    conditions: conditions.map(
      ({ type, reason, observedGeneration: of }) => `${type} ${reason} ${of}`,
    ),
    observedGeneration,
    pendingChange,
    ledger: privateEndpoints.map(
      ({ id, origin, state }) => `${isNobodys(id) ? 'Added' : origin} ${state}`,
    ),
  };
  const wanted = {
    conditions: [`Ready Applied ${metadata.generation}`],
    observedGeneration: metadata.generation,
    pendingChange: undefined,
    ledger: privateEndpoints.map(() => 'Added Present'),
  };
  return differs(`${metadata.name} (${conditions[0]?.message ?? ''})`, seen, wanted);
}

/**
 * Whether events say of an endpoint that nobody can tell whose it is: such a one is not removed any
 * more.
 */
async function toldOf(
  scene: FleetOptions['scene'],
): Promise<(name: string) => (id: string) => boolean> {
  const path = `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`;
  const { items } = await asAdmin<{ items: SeenEvent[] }>('GET', path);
  const told = items.filter(({ reason }) => reason === 'OwnershipUnknown');
  return (name) => (id) =>
    told.some(({ regarding, note }) => regarding.name === name && note.includes(`${id} (`));
}

function differs(what: string, seen: unknown, wanted: unknown): string[] {
  if (isDeepStrictEqual(seen, wanted)) return [];
  return [`${what}: ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`];
}
