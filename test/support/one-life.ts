import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { ApiClient, ApiRequest } from '../../src/api/call.ts';
import type { Credential } from '../../src/api/credential.ts';
import type { Reply } from '../../src/api/reply.ts';
import type { Event } from '../../src/controller/kind.ts';
import type { Definition } from '../../src/kinds/schema/definition.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { FakeClock } from './fake-clock.ts';
import { aKindContext } from './kind-context.ts';
import { KindRig } from './kind-rig.ts';
import { anAnswer } from './objects.ts';

/** Reconciles of one object with no time between them. */
const MOST_IN_A_ROW = 20;
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
  /** Chooses what the API answers where there is no `api`. */
  readonly seed?: number;
  readonly api?: Pick<ApiClient, 'call'>;
  readonly credential?: Credential;
  readonly clock?: FakeClock;
}

/** What the cluster was told. */
export interface Told {
  readonly written: readonly unknown[];
  readonly events: readonly Event[];
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
 * A few reconciles of one object. Fails where one throws, calls for anything but what the spec
 * names, writes what the schema refuses, says what nobody can read, or asks to be woken at once for
 * ever.
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
  const { definition, spec, seed = 0, api, credential } = life;
  const { clock = new FakeClock('2026-03-01T12:00:00.000Z') } = life;
  const calls: ApiRequest[] = [];
  const context = aKindContext(clock, {
    call: (request) => {
      calls.push(request);
      if (api) return api.call(request);
      const off = { answered: false, sent: false, cause: 'x', calledOff: true } as const;
      if (!request.begin()) return Promise.resolve(off);
      return Promise.resolve(answerTo(request, seed + calls.length));
    },
    ...(credential && { credentialIn: () => credential }),
  });
  const rig = new KindRig(definition, context, [anObjectWith(spec)]);
  for (let wakes = 0, steps = 0; wakes < MOST_WAKES; ) {
    const result = await rig.reconcile(KEY);
    if (!result || result.next === 'on-change') break;
    const waitMs = result.next.at - clock.now();
    steps = waitMs > 0 ? 0 : steps + 1;
    expect(steps).toBeLessThan(MOST_IN_A_ROW);
    if (waitMs > 0) wakes += 1;
    await clock.advance(Math.max(waitMs, 0));
  }
  for (const status of rig.written) expectTaken(definition, status);
  for (const { path } of calls) expect(path).toEqual(pathOf(definition, spec));
  for (const { note } of rig.events) expectOneLine(note);
  expect(Object.keys(Object.prototype)).toEqual([]);
  return { written: rig.written, events: rig.events };
}

function expectOneLine(text: string): void {
  expect(text).toMatch(/^[^\p{Cc}\u2028\u2029]+$/u);
  expect([...text].length).toBeLessThanOrEqual(4_096);
}

function expectTaken(definition: Definition, status: unknown): void {
  const checked = definition.status.safeParse(status);
  expect(checked.error?.issues).toBeUndefined();
  expect(checked.data, 'something the schema does not have').toStrictEqual(status);
  const messages = messagesOf(status);
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages) expectOneLine(message);
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

const KEY = 'ns/one';

function anObjectWith(spec: unknown): KubeObject {
  const metadata = {
    name: 'one',
    namespace: 'ns',
    uid: 'uid-1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-02-01T00:00:00Z',
  };
  return { metadata, spec };
}
