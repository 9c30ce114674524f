import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { audit } from '../controlplane/client.ts';
import type { OrganizationBehaviour, PrivateEndpoint } from '../simulator/organization-types.ts';
import { type SomeoneElse, someoneElse } from '../simulator/someone-else.ts';
import type { Call, Fault } from '../simulator/types.ts';
import { type InnerOperator, startInner } from './inner-operator.ts';
import { type MovableClock, slowClock } from './movable-clock.ts';
import { type Org, type Organizations, organizationsOf, type Patch, type Tuple } from './organization-scene.ts';
import { openScene, type Scene, type SceneOptions } from './scene.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/** One operator with a movable clock, and as many organizations as a test file likes, each behaving in its own way. */
export interface Lab {
  readonly scene: Scene;
  readonly orgs: Organizations;
  /** Of the operator that runs now. */
  operator(): InnerOperator;
  /** Another process takes over: what was only in memory is gone. */
  restart(): Promise<void>;
  /** Moves the operator's hands. */
  advance(ms: number): void;
  open(options?: CaseOptions): Case;
  /** Resolves when the operator has dealt with everything that was there before this call. */
  settle(): Promise<void>;
  end(): Promise<void>;
}

interface CaseOptions {
  readonly behaviour?: Partial<OrganizationBehaviour>;
  /** Endpoints of others, there from the start. */
  readonly others?: readonly PrivateEndpoint[];
  /** Absent: that of the scene. */
  readonly secret?: string;
}

/** One organization and the object that stands for it. */
export interface Case {
  readonly id: string;
  readonly name: string;
  readonly someone: SomeoneElse;
  /** How the API behaves towards this organization from now on. */
  behave(behaviour: Partial<OrganizationBehaviour>): void;
  /** The next calls are spoilt; how the organization behaves holds beside that. */
  next(fault: Fault, times?: number): void;
  /** Creates the object or replaces its spec. */
  declare(spec: Readonly<Record<string, unknown>>): Promise<void>;
  get(): Promise<Org>;
  until(reason: string): Promise<Org>;
  untilIt(what: string, fits: (object: Org) => boolean): Promise<Org>;
  /** Moves the clock to the time of the next attempt, where there is one, and waits until that has ended. */
  retry(): Promise<Org>;
  calls(): Call[];
  /** The PATCHes of the operator, shortly: `name`, `list`, `name+a+b-c`. */
  said(): string[];
  /** What the API lists. */
  ids(): string[];
  /** Resolves when that many calls of the operator have arrived. */
  arrived(count: number): Promise<Call[]>;
  /** No call and no write comes, up to the next attempt or for a day. */
  rests(): Promise<void>;
  remove(): Promise<void>;
}

interface LabOptions extends SceneOptions {
  /** Flags of the operator. */
  readonly inner?: readonly string[];
  /** The bundle in a process of its own, whose clock nobody moves; the flags are those of the scene. */
  readonly process?: boolean;
  /** Of the operator; absent: a slow one. */
  readonly clock?: MovableClock;
}

export async function openLab({
  inner: flags = [],
  process = false,
  clock = slowClock(),
  ...options
}: LabOptions = {}): Promise<Lab> {
  const scene = await openScene({ ...options, start: process });
  const orgs = organizationsOf(scene);
  let running = process ? undefined : await startInner(scene, { flags, clock });
  let markers = 0;

  const settle = async (): Promise<void> => {
    markers += 1;
    const name = `marker-${markers}`;
    await orgs.create(name, { organizationId: randomUUID(), name });
    await orgs.until(name, 'Applied');
    await orgs.remove(name);
    await running?.idle();
  };
  const lab: Lab = {
    scene,
    orgs,
    operator() {
      if (!running) throw new Error('the operator of this lab runs in a process of its own');
      return running;
    },
    async restart() {
      const { clock, stop } = lab.operator();
      await stop();
      running = await startInner(scene, { flags, clock });
    },
    advance(ms) {
      if (!(ms >= 0)) throw new Error(`the clock cannot be moved on by ${ms} ms`);
      lab.operator().clock.advance(ms);
    },
    open: (wanted = {}) => openCase(lab, wanted),
    settle,
    async end() {
      await running?.stop();
      await scene.end();
    },
  };
  return lab;
}

function openCase(lab: Lab, { behaviour: first = {}, others = [], secret }: CaseOptions): Case {
  const { scene, orgs } = lab;
  const { simulator } = scene;
  const id = randomUUID();
  const name = `org-${id.slice(0, 8)}`;
  const match = { pathIncludes: id };
  let behaviour = first;
  const always = (): void => simulator.always({ play: { organization: behaviour } }, match);
  simulator.setOrganization(id, { add: [...others] });
  always();
  const key = { id: 'someone-else', secret: 'someone-elses-secret' };
  simulator.setKey(key.id, key.secret);
  const calls = (): Call[] =>
    simulator.calls(match).filter(({ method, keyId }) => method === 'PATCH' && keyId !== key.id);

  const one: Case = {
    id,
    name,
    someone: someoneElse(simulator, { organizationId: id, key }),
    behave(more) {
      behaviour = { ...behaviour, ...more };
      always();
    },
    next(fault, times = 1) {
      const play = { organization: { ...behaviour, ...fault.play?.organization } };
      simulator.next({ ...fault, play }, { times, match });
    },
    declare: (spec) =>
      orgs.create(name, {
        organizationId: id,
        ...(secret !== undefined && { credentialsSecretRef: { name: secret } }),
        ...spec,
      }),
    get: () => orgs.get(name),
    until: (reason) => orgs.until(name, reason),
    untilIt: (what, fits) => orgs.untilIt(name, what, fits),
    async retry() {
      const { status } = await one.untilIt('a time for another attempt', (object) => isWaiting(object.status));
      const { nextAttemptTime, lastRequest, attempts } = status;
      if (nextAttemptTime === undefined) return one.get();
      const before = calls().length;
      lab.advance(Math.max(0, Date.parse(nextAttemptTime) - lab.operator().clock.now()) + SECOND);
      return one
        .untilIt(`another attempt after ${before} calls`, (object) => {
          const { lastRequest: last, attempts: count } = object.status;
          return isWaiting(object.status) && (last?.time !== lastRequest?.time || count !== attempts);
        })
        .catch((error: unknown) => {
          const log = lab.operator().messages.slice(-40).join('\n');
          throw new Error(`${String(error)}\n${calls().length} calls now; the operator said last:\n${log}`);
        });
    },
    calls,
    said: () => calls().map(({ body }) => short(body as Patch)),
    ids: () => orgs.ids(id),
    arrived: (count) => simulator.waitForCalls(count, { match: { ...match, keyId: scene.key.id } }),
    async rests() {
      await lab.settle();
      const before = await one.get();
      const said = one.said();
      const { nextAttemptTime } = before.status;
      const left = nextAttemptTime === undefined ? DAY : Date.parse(nextAttemptTime) - lab.operator().clock.now();
      // A little before it is due; where that is at once, the time until now has to do.
      if (left > 4 * SECOND) lab.advance(left - 3 * SECOND);
      await lab.settle();
      expect(one.said()).toEqual(said);
      expect((await one.get()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    },
    remove: () => orgs.remove(name),
  };
  return one;
}

/** Not between two steps of one attempt: all is well, or there is a time for the next one. */
function isWaiting({ conditions, nextAttemptTime }: Org['status']): boolean {
  return conditions[0]?.status === 'True' || (conditions[0]?.status === 'False' && nextAttemptTime !== undefined);
}

function short({ name, privateEndpoints }: Patch): string {
  const { add = [], remove = [] } = privateEndpoints ?? {};
  const lists = [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)].join('');
  if (privateEndpoints && lists === '') return `${name === undefined ? '' : 'name '}list`;
  return `${name === undefined ? '' : 'name'}${lists}`;
}

/** The ledger, shortly: `Added Present` by id, and by `id@region` where the place is not that of most. */
export function ledgerOf({ status }: Org): Record<string, string> {
  const key = ({ id, cloudProvider, region }: Tuple): string =>
    cloudProvider === 'gcp' && region === 'ap-northeast-1' ? id : `${id}@${cloudProvider}/${region}`;
  return Object.fromEntries(
    (status.privateEndpoints ?? []).map((entry) => [key(entry), `${entry.origin} ${entry.state}`]),
  );
}

/** `Rejected Stalled`, or `Applied` where nothing stands beside it. */
export function told({ status }: Org): string {
  return status.conditions.map(({ type, reason }) => (type === 'Ready' ? reason : type)).join(' ');
}

export function messageOf({ status }: Org): string {
  return status.conditions[0]?.message ?? '';
}

/** Writes of statuses that the API server refused, but for those that somebody had overtaken. */
export async function refusedWrites(scene: Scene): Promise<string[]> {
  const writes = await audit({ user: scene.user, resource: 'organizations' });
  return writes.filter(({ code }) => code >= 400 && code !== 409).map((entry) => `${entry.code} ${entry.requestURI}`);
}

/** Seconds from the last attempt to the next, as the status has them. */
export function waitOf({ status }: Org): number {
  return (Date.parse(status.nextAttemptTime ?? '') - Date.parse(status.lastRequest?.time ?? '')) / SECOND;
}
