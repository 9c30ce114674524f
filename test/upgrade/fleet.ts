import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type LeaderStage, pass, type Replica } from '../faults/leader/leader-stage.ts';
import type { Activities } from '../support/activities.ts';
import { endpoint, type Org, type Organizations } from '../support/organizations.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import type { Losses } from './losses.ts';

const PATIENCE_MS = 240_000;

/** What each organization has from the start that no object adds. */
const OTHERS = ['theirs', 'found'];

/** How often objects whose changes are lost are changed: once in each roll. */
const ROLLS = [1, 2, 3, 4];
const numbered = (name: string): string[] => ROLLS.map((roll) => `${name}-${roll}`);

export const STILL_PIPES = ['still-0', 'still-1', 'still-2', 'still-3'];
const BUSY_PIPES = ['busy-0', 'busy-1', 'busy-2'];
/** Their calls are lost at the beginning of each roll. */
export const UNLUCKY = ['add-late', 'add-done', 'remove-late', 'remove-done'];
export const STILL = ['still', 'adopted', 'named'];
/** Lists an endpoint that the API refuses. */
export const REFUSED = 'refused';
export const BAD = 'bad';
/** The name of the object whose results cannot be written down at the end of a leader. */
const UNRECORDED = 'unrecorded';
/** The key of the object that waits for one of the others to give up its organization. */
const TWIN = 'twin';

/** Objects of all kinds: at rest, edited all the time, and in trouble at the wrong moment. */
export interface Fleet {
  /** The organization of an object. */
  idOf(name: string): string;
  /** Makes all of it and waits until it is as declared. */
  create(): Promise<void>;
  /** One edit of everything that is busy. */
  edit(): Promise<void>;
  /**
   * Begins a change of each unlucky object; resolves when it was sent and nobody knows what became
   * of it.
   */
  leaveOpen(roll: number): Promise<void>;
  /**
   * A change that is answered, and the leader is kept from writing down what came of it; resolves
   * when it is done at the API.
   */
  leaveUnrecorded(roll: number, leader: Replica): Promise<void>;
  /**
   * Somebody else takes an endpoint of ours away; resolves when the operator has noticed, and
   * `recorded` it where the CRDs let it.
   */
  takeAway(noticed: 'recorded' | 'seen'): Promise<void>;
  /** How often that was. */
  takenAway(): number;
  /** Waits until what was done and not answered has been recognised. */
  takenUp(): Promise<void>;
  /** One endpoint more for the object whose other one is refused. */
  addBesideRefused(roll: number): Promise<void>;
  /** Generations of that object. */
  refusals(): number;
  /**
   * Waits until every object is as declared and nothing is open, and holds cluster and API to that.
   */
  asDeclared(): Promise<void>;
  /** How many calls came from the object that waits. */
  twinCalls(): number;
}

export function fleetOf(stage: LeaderStage, losses: Losses): Fleet {
  const { simulator } = stage;
  const orgs: Organizations = stage.orgs;
  const acts: Activities = stage.acts;
  const ids = new Map<string, string>();
  const declared = new Map<string, string[]>();
  const besideRefused = ['kept'];
  const leaving: string[] = [];
  let edits = 0;
  let lost = 0;
  let takenAway = 0;
  let twinKey = '';

  const idOf = (name: string): string => {
    const id = ids.get(name) ?? randomUUID();
    ids.set(name, id);
    return id;
  };
  const declare = (name: string, list: readonly string[], more: object = {}): Promise<void> => {
    declared.set(name, [...list]);
    return put(name, list, more);
  };
  const put = (name: string, list: readonly string[], more: object = {}): Promise<void> =>
    orgs.create(name, {
      organizationId: idOf(name),
      privateEndpoints: list.map((id) => endpoint(id)),
      ...(NAMES[name] !== undefined && { name: NAMES[name] }),
      ...more,
    });
  const populate = (name: string): void =>
    simulator.setOrganization(idOf(name), {
      name: 'As it was',
      add: OTHERS.map((id) => ({ ...endpoint(id) })),
    });
  const setLost = (): Promise<void> =>
    stage.psets.create('lost', { settings: { engine_max_threads: lost } });

  return {
    idOf,
    async create() {
      for (const name of [...STILL, ...UNLUCKY, UNRECORDED, REFUSED, 'busy', 'vanish'])
        populate(name);
      simulator.play({ organization: { refusedIds: [BAD] } });
      acts.record('record');
      twinKey = (await stage.newKey(TWIN)).id;
      await Promise.all([
        ...STILL_PIPES.map((name) => stage.psets.create(name)),
        setLost(),
        acts.create('record'),
        declare('still', ['ours', 'found']),
        declare('adopted', ['found'], { adoptPrivateEndpoints: true }),
        declare('named', []),
        declare('add-late', ['kept']),
        declare('add-done', ['kept']),
        declare('remove-late', ['kept', ...numbered('remove-late')]),
        declare('remove-done', ['kept', ...numbered('remove-done')]),
        declare('vanish', ['kept', 'vanish']),
        declare(UNRECORDED, ['kept', `${UNRECORDED}-0`]),
        put(REFUSED, [...besideRefused, BAD]),
        this.edit(),
      ]);
      await orgs.until('named', 'Applied', PATIENCE_MS);
      const credentialsSecretRef = { name: TWIN };
      await orgs.create(TWIN, {
        organizationId: idOf('named'),
        credentialsSecretRef,
        name: 'Twin',
      });
      await acts.until('record', 'Fetched');
      await this.asDeclared();
    },
    async edit() {
      edits += 1;
      const settings = { streaming_max_insert_wait_ms: 500 + edits };
      await Promise.all([
        ...BUSY_PIPES.map((name) => stage.psets.create(name, { settings })),
        declare('busy', ['kept', `load-${edits}`]),
      ]);
    },
    async leaveOpen(roll) {
      const leaver = `leaving-${roll}`;
      populate(leaver);
      await declare(leaver, [leaver], { deletionPolicy: 'RemovePrivateEndpoints' });
      await orgs.until(leaver, 'Applied', PATIENCE_MS);
      declared.delete(leaver);
      leaving.push(leaver);
      lost += 1;
      const without = (name: string): string[] =>
        (declared.get(name) ?? []).filter((id) => id !== `${name}-${roll}`);
      await losses.lose(
        [
          ...['add-late', 'remove-late'].map((name) => ({
            marker: `${name}-${roll}`,
            fate: 'never-arrives' as const,
          })),
          ...['add-done', 'remove-done', 'leaving'].map((name) => ({
            marker: `${name}-${roll}`,
            fate: 'is-done' as const,
          })),
          { marker: `"engine_max_threads":${lost}`, fate: 'is-done' },
        ],
        () =>
          Promise.all([
            declare('add-late', [...(declared.get('add-late') ?? []), `add-late-${roll}`]),
            declare('add-done', [...(declared.get('add-done') ?? []), `add-done-${roll}`]),
            declare('remove-late', without('remove-late')),
            declare('remove-done', without('remove-done')),
            orgs.remove(leaver),
            setLost(),
          ]),
      );
      for (const name of [...UNLUCKY, leaver]) {
        await orgs.untilIt(
          name,
          'an open intent',
          ({ status }) => status.pendingChange !== undefined,
        );
      }
    },
    async leaveUnrecorded(roll, leader) {
      leader.onKube({
        take: async (passing) => {
          const isResult =
            passing.path.endsWith(`/${UNRECORDED}/status`) && !isIntent(passing.body);
          await (isResult ? passing.sever() : pass(passing));
        },
      });
      const id = `${UNRECORDED}-${roll}`;
      // The version before rounds the time of an intent up to a whole second: the next leader is
      // there before that.
      await pause(1_000 - (Date.now() % 1_000));
      await declare(UNRECORDED, ['kept', id]);
      await waitFor(() => orgs.ids(idOf(UNRECORDED)), {
        what: id,
        until: (ids) => ids.includes(id),
      });
    },
    async takeAway(noticed) {
      const id = idOf('vanish');
      takenAway += 1;
      simulator.setOrganization(id, { remove: ['vanish'] });
      const { length } = orgs.calls(id);
      await orgs.request('vanish');
      if (noticed === 'recorded') {
        await orgs.untilIt('vanish', 'missed', ({ status }) =>
          ledgerIn(status).includes('vanish Added Missing'),
        );
      }
      await waitFor(() => orgs.calls(id).length, {
        what: 'a look at it',
        until: (calls) => calls > length,
      });
    },
    takenAway: () => takenAway,
    async takenUp() {
      await orgs.untilIt('add-done', 'no open intent', isSettled, PATIENCE_MS);
    },
    addBesideRefused(roll) {
      besideRefused.push(`refused-${roll}`);
      return put(REFUSED, [...besideRefused, BAD]);
    },
    refusals: () => besideRefused.length,
    async asDeclared() {
      const pipes = [...STILL_PIPES, ...BUSY_PIPES, 'lost'];
      for (const name of pipes) {
        const { spec } = await stage.psets.until(name, 'Applied', PATIENCE_MS);
        expect(simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`)).toEqual(
          spec['settings'],
        );
      }
      for (const name of leaving) await orgs.untilGone(name, PATIENCE_MS);
      for (const name of declared.keys())
        expectKept(await orgs.untilIt(name, 'as declared', isSettled, PATIENCE_MS));
      const { status } = await orgs.untilIt(REFUSED, 'refused', isRefused, PATIENCE_MS);
      expect(ledgerIn(status)).toEqual(
        [...besideRefused.map((id) => `${id} Added Present`), `${BAD} Refused`].toSorted(),
      );
      const none = leaving.map((one) => [one, []] as const);
      for (const [name, list] of [...declared, [REFUSED, besideRefused] as const, ...none]) {
        expect([name, orgs.ids(idOf(name)).toSorted()]).toEqual([
          name,
          [...new Set([...OTHERS, ...list])].toSorted(),
        ]);
      }
      for (const [object, name] of Object.entries(NAMES))
        expect(orgs.held(idOf(object)).name).toBe(name);
    },
    twinCalls: () => simulator.callCount({ keyId: twinKey }),
  };
}

/** The names that are declared. */
export const NAMES: Readonly<Record<string, string>> = { still: 'Still', named: 'Named' };

/** As the simulator's counts call an endpoint. */
export const KEY = (id: string): string => `gcp/ap-northeast-1/${id}`;

const isIntent = (body: unknown): boolean =>
  (body as Partial<Org>).status?.pendingChange !== undefined;
const isSettled = (object: Org): boolean => isReady(object, 'Applied');
const isRefused = (object: Org): boolean => isReady(object, 'Rejected');

function isReady({ metadata, status }: Org, wanted: string): boolean {
  const hasReason = status.conditions.some(
    ({ type, reason, observedGeneration }) =>
      type === 'Ready' && reason === wanted && observedGeneration === metadata.generation,
  );
  return hasReason && status.pendingChange === undefined;
}

/** What is declared stands in the ledger as it got there, and nothing else does. */
function expectKept({ metadata, spec, status }: Org): void {
  const list = spec['privateEndpoints'] as { id: string }[];
  const originOf = (id: string): string => {
    if (id !== 'found') return 'Added';
    return spec['adoptPrivateEndpoints'] === true ? 'Adopted' : 'Found';
  };
  const entries = list.map(({ id }) => `${id} ${originOf(id)} Present`);
  expect([metadata.name, ledgerIn(status)]).toEqual([metadata.name, entries.toSorted()]);
  expect(status.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual(['Ready True']);
}

/**
 * The ledger without its order, which is nobody's promise; only the version before gives an origin
 * to what is refused.
 */
function ledgerIn({ privateEndpoints = [] }: Org['status']): string[] {
  return privateEndpoints
    .map(({ id, origin, state }) =>
      state === 'Refused' ? `${id} ${state}` : `${id} ${origin} ${state}`,
    )
    .toSorted();
}
