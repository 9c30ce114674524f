import { expect, test } from 'vitest';
import type { Reply } from '../../src/api/client.ts';
import { timestamp } from '../../src/kinds/canonical.ts';
import { createPipeSettingsKind } from '../../src/kinds/pipe-settings/index.ts';
import type { PipeSettings } from '../../src/kinds/pipe-settings/resource.ts';
import type { RequestCall } from '../../src/kube/call.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { Lifecycle } from '../../src/runtime/lifecycle.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import { anAnswer, anAppliedPipeSettings, aPipeSettings, REQUESTED_AT, SECOND, T0 } from '../support/objects.ts';

const LOST: Reply = { answered: false, sent: true, cause: 'no answer' };

/** One process with the kind by itself; the test is its API server and its watch. */
function aProcess() {
  const clock = new FakeClock(new Date(T0).toISOString());
  const replies: Reply[] = [];
  const bodies: (string | undefined)[] = [];
  /** What happens while a call is under way. */
  const meanwhile: (() => void)[] = [];
  const kind = createPipeSettingsKind(
    aKindContext(clock, {
      async answer(body) {
        bodies.push(body);
        meanwhile.shift()?.();
        return replies.shift() ?? anAnswer(200, { result: JSON.parse(body ?? '{}') });
      },
    }),
  );
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
  const lifecycle = new Lifecycle({
    client: client as KubeClient,
    clock,
    emit: () => undefined,
    take: (_, __, object) => kind.put(object),
  });
  kind.takeOver();
  const visit = async (object: KubeObject): Promise<void> => {
    const key = keyOf(object);
    await lifecycle.run(kind, `PipeSettings/${key}`, key);
  };
  return { kind, clock, replies, bodies, meanwhile, put, visit };
}

/** Holds the pipe: proven, applied a minute ago. */
const holder = anAppliedPipeSettings(
  { name: 'holder', uid: 'uid-2', spec: { settings: { engine_max_threads: 2 } } },
  T0 - 60 * SECOND,
);
/** Nobody has tried it yet. */
const late = aPipeSettings({ name: 'late', uid: 'uid-9', created: '2026-03-01T11:30:00Z' });

const NOT_SENT: Reply = { answered: false, sent: false, cause: 'refused' };

/** The watch tells of the holder only now, and of more than that; then whatever may be at work is over. */
async function catchUp({ kind, clock, put, visit }: ReturnType<typeof aProcess>, meanwhile?: () => void) {
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
])('who holds the pipe, and was not listed in time, sends again: %s', async (_, replies, isGone) => {
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
});

test('who holds the pipe sends again where a rival has given way before it sent what it had confirmed long ago', async () => {
  const process = aProcess();
  const { kind, bodies, put, visit } = process;
  const { status } = anAppliedPipeSettings({}, T0 - 600 * SECOND);
  const annotations = { [REQUESTED_AT]: 'now' };
  const listed = put({ ...late, metadata: { ...late.metadata, annotations }, ...(status && { status }) });
  kind.sink().replace([listed], '101', false);
  const conditions = status?.conditions?.map((one) => ({ ...one, status: 'False', reason: 'TargetConflict' }));
  const lastRequest = { ...status?.lastRequest, outcome: 'Rejected', time: timestamp(T0 - 61 * SECOND) };
  put({ ...listed, status: { ...status, conditions, lastRequest, lastHandledReconcileAt: 'now' } } as PipeSettings);
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

/** Another process has confirmed it for a younger object after it had confirmed it for the holder. */
function overtaken({ kind, put }: Pick<ReturnType<typeof aProcess>, 'kind' | 'put'>): { readonly goes: () => void } {
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
    const { status } = anAppliedPipeSettings({ spec: { settings: { engine_max_threads: 2 } } }, T0 + 100 * SECOND);
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
