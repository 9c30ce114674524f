import { expect, test } from 'vitest';
import type { Reply } from '../../src/api/http/client.ts';
import { Reconciler } from '../../src/controller/reconciler.ts';
import { pipeSettings } from '../../src/kinds/pipe-settings/index.ts';
import type { PipeSettings } from '../../src/kinds/pipe-settings/resource.ts';
import { timestamp } from '../../src/kinds/shared/canonical.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  REQUESTED_AT,
  SECOND,
  T0,
} from '../support/objects.ts';

const LOST: Reply = { answered: false, sent: true, cause: 'no answer' };

/** One process with the kind by itself; the test is its API server and its watch. */
function aProcess() {
  const clock = new FakeClock(new Date(T0).toISOString());
  const replies: Reply[] = [];
  const bodies: (string | undefined)[] = [];
  /** What happens while a call is under way. */
  const meanwhile: (() => void)[] = [];
  const unlisted: string[] = [];
  const context = aKindContext(clock, {
    async answer(body) {
      bodies.push(body);
      meanwhile.shift()?.();
      return replies.shift() ?? anAnswer(200, { result: JSON.parse(body ?? '{}') });
    },
  });
  const kind = pipeSettings.create({ ...context, unlisted: () => unlisted });
  const stored = new Map<string, PipeSettings>();
  let version = 100;
  const client: Pick<KubeClient, 'request'> = {
    async request<T>({ method, path, body }: RequestCall): Promise<T> {
      const [, , , , , namespace = '', , name = ''] = path.split('/');
      const there = stored.get(`${namespace}/${name}`);
      const { metadata, status } = (body ?? {}) as Partial<KubeObject>;
      if (!there) throw new KubeError({ call: path, status: 404, reason: 'NotFound', body: '' });
      if (method === 'GET') return there as T;
      if (metadata?.resourceVersion !== there.metadata.resourceVersion)
        throw new KubeError({ call: path, status: 409, reason: 'Conflict', body: '' });
      return put({ ...there, status } as PipeSettings) as T;
    },
  };
  /** A version of its own, as the API server gives one. */
  function put(object: PipeSettings): PipeSettings {
    version += 1;
    const now = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    stored.set(keyOf(object), now);
    return now;
  }
  const reconciler = new Reconciler({
    client: client as KubeClient,
    clock,
    emit: () => undefined,
  });
  kind.takeOver();
  const visit = async (object: KubeObject): Promise<void> => {
    const key = keyOf(object);
    await reconciler.run(kind, `PipeSettings/${key}`, key);
  };
  return { kind, clock, replies, bodies, meanwhile, unlisted, put, visit };
}

/** Holds the pipe: proven, applied a minute ago. */
const holder = anAppliedPipeSettings(
  { name: 'holder', uid: 'uid-2', spec: { settings: { engine_max_threads: 2 } } },
  T0 - 60 * SECOND,
);
/** Nobody has tried it yet. */
const late = aPipeSettings({ name: 'late', uid: 'uid-9', created: '2026-03-01T11:30:00Z' });

const NOT_SENT: Reply = { answered: false, sent: false, cause: 'refused' };

/**
 * The watch tells of the holder only now, and of more than that; then whatever may be at work is
 * over.
 */
async function catchUp(
  { kind, clock, put, visit }: ReturnType<typeof aProcess>,
  meanwhile?: () => void,
) {
  kind.sink().apply('ADDED', put(holder));
  await visit(late);
  await visit(holder);
  meanwhile?.();
  await visit(late);
  await visit(holder);
  await clock.advance(100 * SECOND);
  await visit(holder);
}

test.each([
  ['a rival has lost an answer', [LOST], false],
  ['a rival has lost an answer, and its next call did not leave', [LOST, NOT_SENT], false],
  ['a rival has lost an answer, and its next call was refused', [LOST, anAnswer(403)], false],
  ['a rival has lost an answer, and is gone before that is settled', [LOST], true],
])(
  'who holds the pipe, and was not listed in time, sends again: %s',
  async (_, replies, isGone) => {
    const process = aProcess();
    const { kind, clock, bodies, put, visit } = process;
    kind.sink().replace([put(late)], '101', false);
    process.replies.push(...replies);
    for (const __ of replies) {
      await visit(late);
      await clock.advance(10 * SECOND);
    }
    expect(bodies).toEqual(replies.map(() => '{"engine_max_threads":8}'));
    await catchUp(process, () => void (isGone && kind.sink().apply('DELETED', put(late))));
    expect(bodies.slice(replies.length)).toEqual(['{"engine_max_threads":2}']);
  },
);

test('who holds the pipe sends again where it is listed only when a rival has been confirmed and is gone', async () => {
  const process = aProcess();
  const { kind, bodies, unlisted, put, visit } = process;
  kind.sink().replace([put(late)], '101', false);
  unlisted.push('far');
  await visit(late);
  kind.sink().apply('DELETED', put(late));
  await visit(late);
  unlisted.pop();
  await catchUp(process);
  expect(bodies).toEqual(['{"engine_max_threads":8}', '{"engine_max_threads":2}']);
});

test('who holds the pipe sends again where a rival has given way before it sent what it had confirmed long ago', async () => {
  const process = aProcess();
  const { kind, bodies, put, visit } = process;
  const { status } = anAppliedPipeSettings({}, T0 - 600 * SECOND);
  const annotations = { [REQUESTED_AT]: 'now' };
  const listed = put({
    ...late,
    metadata: { ...late.metadata, annotations },
    ...(status && { status }),
  });
  kind.sink().replace([listed], '101', false);
  const conditions = status?.conditions?.map((one) => ({
    ...one,
    status: 'False',
    reason: 'TargetConflict',
  }));
  const lastRequest = {
    ...status?.lastRequest,
    outcome: 'Rejected',
    time: timestamp(T0 - 61 * SECOND),
  };
  put({
    ...listed,
    status: { ...status, conditions, lastRequest, lastHandledReconcileAt: 'now' },
  } as PipeSettings);
  await visit(late);
  await catchUp(process);
  expect(bodies).toEqual(['{"engine_max_threads":8}', '{"engine_max_threads":2}']);
});

test.each([
  ['has lost an answer since', -5, true],
  ['had lost one long before', -300, false],
])(
  'who holds the pipe sends again where a rival of another process %s, and is gone by its turn',
  async (_, at, isSent) => {
    const { kind, clock, bodies, put, visit } = aProcess();
    const lastRequest = {
      operation: 'UpdatePipeSettings',
      outcome: 'Unknown',
      time: timestamp(T0 + at * SECOND),
    } as const;
    const theirs = put({ ...late, status: { lastRequest } });
    kind.sink().replace([theirs, put(holder)], '102', false);
    await visit(holder);
    kind.sink().apply('DELETED', put(theirs));
    await visit(late);
    await visit(holder);
    expect(bodies).toEqual([]);
    await clock.advance(100 * SECOND);
    await visit(holder);
    expect(bodies).toEqual(isSent ? ['{"engine_max_threads":2}'] : []);
  },
);

/**
 * Another process has confirmed it for a younger object after it had confirmed it for the holder.
 */
function overtaken({ kind, put }: Pick<ReturnType<typeof aProcess>, 'kind' | 'put'>): {
  readonly goes: () => void;
} {
  const { metadata } = late;
  const rival = put({ ...anAppliedPipeSettings({}, T0 - 300 * SECOND), metadata });
  const before = anAppliedPipeSettings({}, T0 - 600 * SECOND).status;
  kind.sink().replace([put({ ...holder, ...(before && { status: before }) }), rival], '102', false);
  return { goes: () => kind.sink().apply('DELETED', put(rival)) };
}

test.each([
  ['has confirmed it since', true],
  ['has not', false],
])(
  'who comes to lead sends again what a rival that is gone had overwritten, but where another process %s',
  async (_, isConfirmed) => {
    const process = aProcess();
    const { kind, clock, bodies, put, visit } = process;
    overtaken(process).goes();
    await clock.advance(200 * SECOND);
    const { status } = anAppliedPipeSettings(
      { spec: { settings: { engine_max_threads: 2 } } },
      T0 + 100 * SECOND,
    );
    if (isConfirmed) kind.sink().apply('MODIFIED', put({ ...holder, ...(status && { status }) }));
    kind.takeOver();
    await visit(holder);
    await visit(holder);
    expect(bodies).toHaveLength(isConfirmed ? 0 : 1);
  },
);

test.each([
  ['pays for it', anAnswer(200, { result: {} }), 1],
  ['that fails does not', anAnswer(503), 2],
])('where the rival goes while that is sent, a call %s', async (_, reply, calls) => {
  const process = aProcess();
  const { clock, replies, bodies, meanwhile, visit } = process;
  const { goes } = overtaken(process);
  replies.push(reply);
  meanwhile.push(goes);
  await visit(holder);
  for (let minute = 0; minute < 5; minute += 1) {
    await clock.advance(60 * SECOND);
    await visit(holder);
  }
  expect(bodies).toHaveLength(calls);
});

test.each([
  ['confirmed', false],
  ['confirmed', true],
  ['lost', false],
  ['lost', true],
])(
  'while the call of a holder that is not Ready is under way, a rival of another process is %s; gone: %s: it sends again',
  async (how, isGone) => {
    const { kind, clock, bodies, meanwhile, put, visit } = aProcess();
    const spec = { settings: { engine_max_threads: 2 } };
    const { status: before, ...old } = anAppliedPipeSettings(
      { name: 'holder', uid: 'uid-2', spec },
      T0 - 600 * SECOND,
    );
    const status = {
      ...before,
      attempts: 1,
      nextAttemptTime: timestamp(T0 - SECOND),
      conditions: before?.conditions?.map((one) => ({
        ...one,
        status: 'False',
        reason: 'Unavailable',
      })),
      lastRequest: {
        operation: 'UpdatePipeSettings',
        outcome: 'Unavailable',
        time: timestamp(T0 - 5 * SECOND),
      },
    };
    const notReady = put({ ...old, status } as PipeSettings);
    const confirmed = (at: number): PipeSettings => ({
      ...anAppliedPipeSettings({}, at),
      metadata: late.metadata,
    });
    const rival = put(confirmed(T0 - 900 * SECOND));
    kind.sink().replace([notReady, rival], '102', false);
    meanwhile.push(() => {
      const lastRequest = {
        operation: 'UpdatePipeSettings',
        outcome: 'Unknown',
        time: timestamp(T0),
      };
      const lost = { ...rival, status: { ...rival.status, lastRequest } } as PipeSettings;
      const now = put(how === 'lost' ? lost : confirmed(T0));
      kind.sink().apply('MODIFIED', now);
      if (isGone) kind.sink().apply('DELETED', put(now));
    });
    await visit(notReady);
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(60 * SECOND);
      await visit(notReady);
    }
    expect(bodies.length).toBeGreaterThan(1);
  },
);

test.each([false, true])(
  'a rival was refused since: the holder sends once, and no second time where that one is gone: %s',
  async (isGone) => {
    const { kind, clock, bodies, put, visit } = aProcess();
    const refused = {
      operation: 'UpdatePipeSettings',
      outcome: 'Rejected',
      httpStatus: 401,
    } as const;
    const theirs = put({
      ...late,
      status: { lastRequest: { ...refused, time: timestamp(T0 - 5 * SECOND) } },
    });
    kind.sink().replace([theirs, put(holder)], '102', false);
    if (isGone) kind.sink().apply('DELETED', put(theirs));
    for (let minute = 0; minute < 5; minute += 1) {
      await visit(holder);
      await clock.advance(60 * SECOND);
    }
    expect(bodies).toHaveLength(1);
  },
);

test.each([403, 404])(
  'one of another namespace is refused with %s in the second in which ours is confirmed: ours is sent once',
  async (code) => {
    const { kind, clock, bodies, replies, put, visit } = aProcess();
    const stranger = aPipeSettings({
      name: 'stranger',
      uid: 'uid-1',
      created: '2026-03-01T10:00:00Z',
    });
    const far: PipeSettings = { ...stranger, metadata: { ...stranger.metadata, namespace: 'far' } };
    const ours = aPipeSettings({
      name: 'ours',
      uid: 'uid-2',
      created: '2026-03-01T11:00:00Z',
      spec: { settings: { engine_max_threads: 2 } },
    });
    kind.sink().replace([put(far), put(ours)], '102', false);
    replies.push(anAnswer(code));
    await clock.advance(200);
    await visit(far);
    await clock.advance(300);
    for (let time = 0; time < 10; time += 1) {
      await visit(ours);
      await visit(far);
      await clock.advance(20 * SECOND);
    }
    expect(bodies).toEqual(['{"engine_max_threads":8}', '{"engine_max_threads":2}']);
  },
);
