import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { ApiClient, ApiRequest, Credential, Reply } from '../../src/api/http/client.ts';
import { queueKey } from '../../src/controller/controller.ts';
import type { Notice } from '../../src/controller/kind.ts';
import { Reconciler } from '../../src/controller/reconciler.ts';
import { createKinds } from '../../src/kinds/index.ts';
import type { Definition } from '../../src/kinds/schema/definition.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { FakeClock } from './fake-clock.ts';
import { aKindContext } from './kind-context.ts';
import { anAnswer } from './objects.ts';

/** Looks, an intent, and each of a few endpoints by itself; no time passes between them. */
const MOST_STEPS_IN_A_ROW = 20;
const MOST_WAKES = 3;

const credentialsSecretRef = { name: 'api' };
/** One good spec of each kind. */
export const SPECS = {
  PipeSettings: {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef,
    settings: { engine_max_threads: 8 },
    reassertInterval: '10m',
  },
  Organization: {
    organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
    credentialsSecretRef,
    name: 'Acme Data',
    privateEndpoints: [{ id: 'psc-1', cloudProvider: 'gcp', region: 'r1' }],
    adoptPrivateEndpoints: true,
    deletionPolicy: 'RemovePrivateEndpoints',
  },
  Activity: { organizationId: 'org', activityId: 'record', credentialsSecretRef },
};

export interface Life {
  readonly definition: Definition;
  readonly spec: unknown;
  readonly status?: unknown;
  /** Chooses what the API answers where there is no `api`. */
  readonly seed?: number;
  readonly api?: Pick<ApiClient, 'call'>;
  readonly credential?: Credential;
  readonly clock?: FakeClock;
  /** Another object of the kind, elsewhere. */
  readonly neighbour?: KubeObject;
}

/** What the cluster was told. */
export interface Told {
  readonly written: readonly unknown[];
  readonly notices: readonly Notice[];
}

const lost: Reply = { answered: false, sent: true, cause: 'no answer within 35s' };

/** What an API may answer that speaks the protocol. */
function answerTo({ method, body = '{}' }: ApiRequest, seed: number): Reply {
  const declared = JSON.parse(body) as { readonly name?: string };
  const organization = { id: 'o', name: declared.name ?? 'other', privateEndpoints: [] };
  const record = { id: 'record', type: 'x', organizationId: 'org' };
  const result = { PUT: declared, PATCH: organization, GET: record }[method];
  const replies: readonly Reply[] = [
    anAnswer(200, { result }),
    anAnswer(200, { result: {} }),
    anAnswer(401),
    anAnswer(404),
    anAnswer(429, { retryAfterMs: 900_000 }),
    lost,
  ];
  return replies[seed % replies.length] ?? lost;
}

/**
 * A few reconciles of one object by the real Reconciler. Fails where one throws, calls for anything
 * but what the spec names, writes what the schema refuses, says what nobody can read, or asks to be
 * woken at once for ever.
 */
export async function lifeOf(life: Life): Promise<Told> {
  try {
    return await live(life);
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') throw error;
    return expect.fail(`no life may end by an error, but this one did: ${inspect(error)}`);
  }
}

async function live(life: Life): Promise<Told> {
  const { definition, spec, status, seed = 0, api, credential } = life;
  const { neighbour, clock = new FakeClock('2026-03-01T12:00:00.000Z') } = life;
  const calls: ApiRequest[] = [];
  const notices: Notice[] = [];
  const context = aKindContext(clock, { answer: () => Promise.resolve(lost) });
  const [kind] = createKinds({
    ...context,
    api: {
      ...context.api,
      call: (request) => {
        calls.push(request);
        if (api) return api.call(request);
        const aborted = request.begin?.();
        if (aborted) return Promise.resolve({ answered: false, sent: false, cause: 'x', aborted });
        return Promise.resolve(answerTo(request, seed + calls.length));
      },
    },
    ...(credential && {
      readCredential: async () => ({ ok: true, credential, resourceVersion: '1' }) as const,
    }),
    emit: (_object, _type, notice) => notices.push(notice),
    writeFinalizers: async (_type, object, finalizers) =>
      next({ metadata: { finalizers } }, object),
  }).filter(({ type }) => type.kind === definition.type.kind);
  if (!kind) throw new Error(`there is no kind ${definition.type.kind}`);

  const written: unknown[] = [];
  const client: KubeClient = {
    request: <T>({ body }: RequestCall): Promise<T> => {
      const { status: now } = body as KubeObject;
      written.push(now);
      const stored = JSON.stringify(next({ status: now }, kind.get(key)));
      return Promise.resolve(JSON.parse(stored) as T);
    },
    stream: () => {
      throw new Error('nobody watches here');
    },
    close: () => Promise.resolve(),
  };
  const reconciler = new Reconciler({
    client,
    clock,
    emit: (_object, _type, notice) => notices.push(notice),
  });
  const object = anObjectWith(spec, status);
  const key = keyOf(object);
  kind.takeOver();
  // As a watch brings it.
  const sink = kind.sink();
  const trim = (one: KubeObject): KubeObject => {
    const parsed = JSON.parse(JSON.stringify(one)) as KubeObject;
    return sink.trim?.(parsed) ?? parsed;
  };
  sink.replace([object, ...(neighbour ? [neighbour] : [])].map(trim), '7', false);
  sink.apply('MODIFIED', trim(next({}, object)));
  expect(kind.get(key)).toBeDefined();

  for (let wakes = 0, steps = 0; wakes < MOST_WAKES; ) {
    const { outcome, asOf } = await reconciler.run(kind, queueKey(definition.type.kind, key), key);
    if (outcome.next === 'await-change') break;
    expect(outcome.next).not.toBe('back-off');
    if (outcome.next !== 'recheck' || outcome.at <= asOf.now) {
      steps += 1;
      expect(steps).toBeLessThan(MOST_STEPS_IN_A_ROW);
      continue;
    }
    await clock.advance(outcome.at - asOf.now);
    wakes += 1;
    steps = 0;
  }
  for (const one of written) expectTaken(definition, one, status);
  for (const { path } of calls) expect(path).toEqual(pathOf(definition, spec));
  for (const { note } of notices) expectOneLine(note);
  expect(Object.keys(Object.prototype)).toEqual([]);
  return { written, notices };
}

function expectOneLine(text: string): void {
  expect(text).toMatch(/^[^\p{Cc}\u2028\u2029]+$/u);
  expect([...text].length).toBeLessThanOrEqual(4_096);
}

function expectTaken(definition: Definition, status: unknown, forged: unknown): void {
  const checked = definition.status.safeParse(status);
  expect(checked.error?.issues).toBeUndefined();
  expect(checked.data, 'something the schema does not have').toStrictEqual(status);
  const messages = messagesOf(status);
  expect(messages.length).toBeGreaterThan(0);
  // What somebody else has written stays until there is something to say, if it is nothing at all.
  const isEmptied = messagesOf(forged).includes('');
  for (const message of messages) if (message !== '' || !isEmptied) expectOneLine(message);
}

function messagesOf(status: unknown): readonly string[] {
  const { conditions } = (status ?? {}) as { conditions?: unknown };
  return Array.isArray(conditions)
    ? conditions.map((one: { message?: string } | null) => one?.message ?? '')
    : [];
}

/** What may be called for an object, and for none whose spec is not valid. */
function pathOf({ type, spec: schema }: Definition, given: unknown): readonly string[] {
  expect(schema.safeParse(given).success, 'a call for a spec that is not valid').toBe(true);
  const spec = given as Readonly<Record<string, string>>;
  const { organizationId = '', serviceId = '', pipeId = '', activityId = '' } = spec;
  const organization = ['v1', 'organizations', organizationId];
  if (type.kind === 'Organization') return organization;
  if (type.kind === 'Activity') return [...organization, 'activities', activityId];
  return [...organization, 'services', serviceId, 'pipes', pipeId, 'settings'];
}

function anObjectWith(spec: unknown, status: unknown): KubeObject {
  const metadata = {
    name: 'one',
    namespace: 'ns',
    uid: 'uid-1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-02-01T00:00:00Z',
  };
  return { metadata, spec, ...(status !== undefined && { status }) };
}

/** The next version of an object, as the API server stores it. */
function next(change: object, of: KubeObject | undefined): KubeObject {
  if (!of) throw new Error('nothing is held');
  const { metadata = {} } = change as Partial<KubeObject>;
  const resourceVersion = String(Number(of.metadata.resourceVersion) + 1);
  return { ...of, ...change, metadata: { ...of.metadata, ...metadata, resourceVersion } };
}
