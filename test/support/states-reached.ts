import { waitFor } from '../controlplane/client.ts';
import type { Fault } from '../simulator/types.ts';
import { allow, asAdmin, operatorRules } from './cluster.ts';
import { slowClock } from './movable-clock.ts';
import { endpoint } from './organizations.ts';
import { openScene, type Scene } from './scene.ts';
import {
  deleteHeld,
  KINDS,
  type KindName,
  type Maker,
  makersOf,
  type Spoilt,
  spoilt,
} from './states.ts';

/**
 * A scene with objects in which nothing happens any more: nothing works in it, or nothing is due
 * for minutes.
 */
export interface Still {
  readonly scene: Scene;
  end(): Promise<void>;
}

type Makers = Readonly<Record<KindName, Maker>>;

const MINUTE = 60_000;
const WRITERS = ['PipeSettings', 'Organization'] as const;
const DONE = { PipeSettings: 'Applied', Organization: 'Applied', Activity: 'Fetched' } as const;

/**
 * One reply of the API, and the reason it leads to. The headers put off what would be tried again
 * soon.
 */
const REPLIES: Readonly<Record<string, Spoilt>> = {
  // Where a look is refused, the name is tried.
  rejected: {
    reason: 'Rejected',
    fault: { status: 422, error: 'BAD_REQUEST: the value is out of range' },
    times: 2,
  },
  unauthorized: {
    reason: 'Unauthorized',
    fault: { status: 401, error: 'UNAUTHORIZED: the key is unknown' },
  },
  forbidden: {
    reason: 'Forbidden',
    fault: { status: 403, error: 'FORBIDDEN: the role is missing' },
  },
  busy: {
    reason: 'Conflict',
    fault: { status: 409, error: 'CONFLICT: another change is under way' },
  },
  'dependency-stopped': {
    reason: 'DependencyNotReady',
    fault: { status: 424, error: 'FAILED_DEPENDENCY: stopped' },
  },
  'rate-limited': {
    reason: 'RateLimited',
    fault: { status: 429, headers: { 'x-ratelimit-reset': '600' } },
  },
  'unreadable-reply': { reason: 'UnexpectedResponse', fault: { status: 200, body: 'html' } },
  redirected: { reason: 'UnexpectedResponse', fault: { status: 302 } },
};
const UNAVAILABLE: Fault = {
  status: 503,
  error: 'try again later',
  headers: { 'retry-after': '600' },
};

/** Nobody has looked at these yet. */
export async function unvisited(): Promise<Still> {
  const scene = await openScene({ start: false });
  for (const make of Object.values(makersOf(scene))) await make.create('pending');
  return { scene, end: scene.end };
}

/** What an operator reaches without waiting. */
export async function atOnce(): Promise<Still> {
  const { scene, makers } = await working();
  await scene.secret('half-a-key', { keyId: 'only' });
  await Promise.all(KINDS.flatMap((kind) => ofEveryKind(makers[kind])));
  await Promise.all(WRITERS.flatMap((kind) => ofWriters(makers[kind])));
  await Promise.all(ofOrganizations(makers.Organization));
  return { scene, end: () => endOf(scene) };
}

function ofEveryKind(make: Maker): Promise<unknown>[] {
  const done = DONE[make.kind];
  const reached = async (name: string, reason: string, spec: object = {}) => {
    await make.create(name, { ...spec });
    await make.until(name, reason);
  };
  return [
    ...Object.entries(REPLIES).map(([name, reply]) => spoilt(make, name, reply)),
    reached(done.toLowerCase(), done),
    reached('suspended', 'Suspended', { suspend: true }),
    reached('suspended-when-done', done).then(() =>
      reached('suspended-when-done', 'Suspended', { suspend: true }),
    ),
    reached('deleted', done).then(() => deleteHeld(make, 'deleted')),
    reached('secret-not-found', 'SecretNotFound', { credentialsSecretRef: { name: 'nowhere' } }),
    reached('secret-invalid', 'SecretInvalid', { credentialsSecretRef: { name: 'half-a-key' } }),
    gatedByAnother(make),
    spoilt(make, make.kind === 'Activity' ? 'not-found-yet' : 'not-found', {
      fault: { status: 404, error: 'NOT_FOUND: there is none' },
      reason: 'NotFound',
    }),
    ...(make.kind === 'Activity'
      ? [spoilt(make, 'unavailable', { fault: UNAVAILABLE, reason: 'Unavailable' })]
      : []),
  ];
}

async function gatedByAnother(make: Maker): Promise<void> {
  const { fault } = REPLIES['unauthorized'] ?? {};
  if (!fault) throw new Error('there is no reply "unauthorized"');
  await spoilt(make, 'unauthorized-first', { fault, reason: 'Unauthorized' });
  const name = 'unauthorized-by-another';
  await make.create(name, { credentialsSecretRef: { name: make.keyOf('unauthorized-first') } });
  await make.until(name, 'Unauthorized');
}

function ofWriters(make: Maker): Promise<unknown>[] {
  // An organization is looked at first.
  const after = make.kind === 'Organization' ? 1 : 0;
  const planned = async () => {
    await make.create('planned', { mode: 'Plan' });
    await make.until('planned', 'Planned');
  };
  const plannedWhenDone = async () => {
    await make.create('planned-when-done');
    await make.until('planned-when-done', 'Applied');
    await make.create('planned-when-done', { mode: 'Plan' });
    await make.until('planned-when-done', 'Planned');
  };
  const conflict = async () => {
    await make.create('conflict-holder');
    await make.until('conflict-holder', 'Applied');
    await make.create('target-conflict-at-first', make.targetOf('conflict-holder'));
    await make.until('target-conflict-at-first', 'TargetConflict');
  };
  return [
    planned(),
    plannedWhenDone(),
    conflict(),
    spoilt(make, 'outcome-unknown', { fault: UNAVAILABLE, reason: 'OutcomeUnknown', after }),
    spoilt(make, 'not-confirmed-at-first', { fault: OTHER_VALUE, reason: 'NotConfirmed', after }),
  ];
}

/** The API answers 200, with another value than it was sent. */
const OTHER_VALUE: Fault = {
  play: {
    settings: { clamp: { engine_max_threads: [1, 2] } },
    organization: { name: 'upper-case' },
  },
};

function ofOrganizations(make: Maker): Promise<unknown>[] {
  const { simulator } = make.scene;
  const lists = (...ids: string[]) => ({ privateEndpoints: ids.map((id) => endpoint(id)) });
  const refused = async () => {
    const name = 'endpoint-refused';
    simulator.always(
      { play: { organization: { refusedIds: ['psc-2'] } } },
      { pathIncludes: make.callsOf(name) },
    );
    await make.create(name, lists('psc-1', 'psc-2'));
    await make.until(name, 'Rejected');
  };
  const elsewhere = async () => {
    const name = 'endpoint-conflict';
    simulator.setOrganization(make.callsOf(name), {
      add: [endpoint('psc-1', { region: 'eu-west-1' })],
    });
    await make.create(name, lists('psc-1'));
    await make.until(name, 'EndpointConflict');
  };
  const blocked = async () => {
    const name = 'removal-blocked';
    await make.create(name, lists('psc-1', 'psc-2'));
    await make.until(name, 'Applied');
    await make.create(name, { ...lists(), maxPrivateEndpointRemovals: 1 });
    await make.until(name, 'RemovalBlocked');
  };
  const described = async () => {
    const name = 'applied-but-for-a-description';
    const other = { privateEndpoints: [endpoint('psc-1', { description: 'another text' })] };
    await make.create(name, lists('psc-1'));
    await make.until(name, 'Applied');
    await make.create(name, other);
    await make.until(name, 'Applied');
  };
  const cleaning = async () => {
    const name = 'deleted-with-cleanup';
    await make.scene.newKey(make.keyOf(name));
    const credentialsSecretRef = { name: make.keyOf(name) };
    await make.create(name, {
      ...lists('psc-1'),
      deletionPolicy: 'RemovePrivateEndpoints',
      credentialsSecretRef,
    });
    await make.until(name, 'Applied');
    simulator.always(
      { status: 403, error: 'FORBIDDEN: no role' },
      { pathIncludes: make.callsOf(name) },
    );
    await make.remove(name);
    await make.until(name, 'Forbidden');
  };
  return [refused(), elsewhere(), blocked(), described(), cleaning()];
}

/** What takes minutes, and what an edit makes that no operator sees. */
export async function afterAWhile(): Promise<Still> {
  const { scene, makers } = await working();
  const { simulator } = scene;
  const operator = scene.inner();
  for (const kind of WRITERS) {
    const make = makers[kind];
    simulator.always(OTHER_VALUE, { pathIncludes: make.callsOf('not-confirmed') });
    await make.create('not-confirmed');
    await make.create('conflict-holder');
    await make.until('conflict-holder', 'Applied');
    await make.create('target-conflict', make.targetOf('conflict-holder'));
    await make.until('target-conflict', 'TargetConflict');
  }
  simulator.always(
    { status: 404, error: 'NOT_FOUND' },
    { pathIncludes: makers.Activity.callsOf('not-found') },
  );
  await makers.Activity.create('not-found');
  for (const kind of KINDS) {
    await makers[kind].create('edited');
    await makers[kind].until('edited', DONE[kind]);
  }
  for (const [kind, name] of [
    ['PipeSettings', 'not-confirmed'],
    ['PipeSettings', 'target-conflict'],
    ['Organization', 'not-confirmed'],
    ['Organization', 'target-conflict'],
    ['Activity', 'not-found'],
  ] as const) {
    await makers[kind].untilStalled(name, () => operator.clock.advance(MINUTE));
  }
  await operator.stop();
  for (const kind of KINDS) await makers[kind].create('edited', makers[kind].another);
  return { scene, end: scene.end };
}

/** The operator may watch the Secret, but not read it. */
export async function withoutRights(): Promise<Still> {
  const scene = await openScene({ start: false });
  const others = (await operatorRules()).filter(({ resources }) => !resources.includes('secrets'));
  const watching = { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] };
  await allow(scene.namespace, 'operator', [...others, watching]);
  const resourceAttributes = { namespace: scene.namespace, verb: 'get', resource: 'secrets' };
  const review = { spec: { user: scene.user, resourceAttributes } };
  await waitFor(
    () =>
      asAdmin<{ status: { allowed: boolean } }>(
        'POST',
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        review,
      ),
    { what: 'the API server to know the new rules', until: ({ status }) => !status.allowed },
  );
  return reaching(scene, 'secret-forbidden', 'SecretForbidden', KINDS);
}

/** Nothing listens where the API should be. */
export async function unreachable(): Promise<Still> {
  const scene = await openScene({ start: false });
  await scene.simulator.down();
  return reaching(scene, 'unavailable', 'Unavailable', WRITERS);
}

async function reaching(
  scene: Scene,
  name: string,
  reason: string,
  kinds: readonly KindName[],
): Promise<Still> {
  const operator = await scene.startInner();
  const makers = makersOf(scene);
  for (const kind of kinds) await makers[kind].create(name);
  await Promise.all(kinds.map((kind) => makers[kind].until(name, reason)));
  await operator.stop();
  return { scene, end: scene.end };
}

/** An endpoint is being added: the intent is on record, and the answer has not come. */
export async function midway(): Promise<Still> {
  const { scene, makers } = await working();
  const name = 'being-changed';
  const match = { pathIncludes: makers.Organization.callsOf(name), bodyIncludes: 'psc-1' };
  scene.simulator.always({ hold: true }, match);
  await makers.Organization.create(name, { privateEndpoints: [endpoint('psc-1')] });
  await scene.simulator.waitForCalls(1, { match });
  return { scene, end: () => endOf(scene) };
}

async function working(): Promise<{ scene: Scene; makers: Makers }> {
  // Calls that are held are to be held for as long as somebody looks, and hold up nobody else.
  const flags = ['--api-timeout', '5m', '--concurrency', '100'];
  // Nothing comes due by itself: what was reached stays until it is looked at.
  const scene = await openScene({ start: 'inner', flags, clock: slowClock() });
  return { scene, makers: makersOf(scene) };
}

async function endOf(scene: Scene): Promise<void> {
  scene.simulator.release();
  await scene.end();
}
