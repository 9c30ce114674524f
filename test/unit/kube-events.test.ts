import { expect, test } from 'vitest';
import type { KubeClient, RequestCall } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import { createEvents } from '../../src/kube/events.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { recordingLog } from '../support/recording-log.ts';

const KIND = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'pipesettings',
  kind: 'PipeSettings',
};

interface Body {
  readonly note: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
}

/** `answer`: what the API server does with an event; undefined: it takes it. */
function world(
  answer: (body: Body) => KubeError | Promise<undefined> | undefined = () => undefined,
) {
  const clock = new FakeClock();
  const { log, messages } = recordingLog();
  const calls: RequestCall[] = [];
  const request = async (call: RequestCall): Promise<unknown> => {
    calls.push(call);
    const answered = await answer(call.body as Body);
    if (answered) throw answered;
    return {};
  };
  const events = createEvents({ request } as KubeClient, clock, log, 'pod-1_uuid');
  const emit = (note: string, namespace = 'ingest'): void => {
    const object = { namespace, name: 'orders', uid: 'u1', resourceVersion: '7' };
    const metadata = { ...object, creationTimestamp: '' };
    events.emit({ metadata }, KIND, { type: 'Warning', reason: 'Refused', note });
  };
  const notes = (): string[] => calls.map(({ body }) => (body as Body).note);
  return { clock, events, emit, calls, notes, messages };
}

function refusal(status: number, body: string, retryAfterMs?: number): KubeError {
  return new KubeError({ call: 'POST', status, reason: 'Refused', body, retryAfterMs });
}

test('an event says who, what, why and about which object, in the namespace of the object', async () => {
  const { emit, calls } = world();
  emit('Refused 5.5');
  await settle();
  expect(calls).toMatchObject([
    { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/ingest/events' },
  ]);
  expect(calls[0]?.body).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: 'ingest', name: expect.stringMatching(/^pipewright\.[0-9a-f-]{36}$/) },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'pipewright.dev/pipewright',
    reportingInstance: 'pod-1_uuid',
    regarding: {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      namespace: 'ingest',
      name: 'orders',
      uid: 'u1',
      resourceVersion: '7',
    },
    type: 'Warning',
    reason: 'Refused',
    action: 'Reconcile',
    note: 'Refused 5.5',
  });
});

test.each([
  ['a'.repeat(1_024), 'a'.repeat(1_024)],
  ['a'.repeat(1_025), `${'a'.repeat(1_021)}…`],
  ['ü'.repeat(600), `${'ü'.repeat(510)}…`],
  [`a${'🙂'.repeat(300)}`, `a${'🙂'.repeat(255)}…`],
])('a note is cut by bytes, at whole characters', async (note, kept) => {
  const { emit, notes } = world();
  emit(note);
  await settle();
  expect(notes()).toEqual([kept]);
});

test('events are sent one after another, in order; where 1,000 wait, more are dropped and named', async () => {
  const gate = Promise.withResolvers<undefined>();
  const { emit, notes, messages } = world(() => gate.promise);
  for (let n = 0; n < 1_003; n += 1) emit(`${n}`);
  await settle();
  expect(notes()).toEqual(['0']);
  expect(messages.map((line) => /"note":"(\d+)"/.exec(line)?.[1])).toEqual(['1001', '1002']);
  gate.resolve(undefined);
  for (let n = 0; n < 1_001; n += 1) await settle();
  expect(notes()).toEqual(Array.from({ length: 1_001 }, (_, n) => `${n}`));
});

test.each([
  [0, 'NoAnswer'],
  [429, 'too many'],
  [503, 'starting'],
])(
  'what may pass (%i) is tried for 2 minutes from when it happened, and once however late',
  async (status, body) => {
    const { clock, emit, notes, messages } = world(() => refusal(status, body));
    emit('first');
    emit('second');
    await clock.advance(60_000);
    expect(new Set(notes())).toEqual(new Set(['first']));
    await clock.advance(60_000);
    const tries = notes();
    expect(tries.length).toBeLessThan(20);
    expect(tries.at(-1)).toBe('second');
    emit('third');
    await clock.advance(30_000);
    expect(notes().length).toBeGreaterThan(tries.length + 3);
    await clock.advance(300_000);
    expect(messages.map((line) => line.split(' {')[0])).toEqual([
      'warn event dropped',
      'warn event dropped',
      'warn event dropped',
    ]);
  },
);

test('the server is asked again no sooner than it says', async () => {
  let isBusy = true;
  const { clock, emit, notes } = world(() => (isBusy ? refusal(429, '', 9_000) : undefined));
  emit('late');
  await clock.advance(8_999);
  isBusy = false;
  expect(notes()).toHaveLength(1);
  await clock.advance(1);
  expect(notes()).toHaveLength(2);
});

test('a conflict is an earlier try that came through', async () => {
  const { emit, notes, messages } = world(() => refusal(409, 'AlreadyExists'));
  emit('there');
  await settle();
  expect([notes().length, messages]).toEqual([1, []]);
});

test('a namespace that may have none is named once, with the rule; one that goes away is nothing to speak of', async () => {
  const denied = 'User "system:serviceaccount:pw:pw" cannot create resource "events"';
  const going = 'unable to create new content in namespace x because it is being terminated';
  const { emit, notes, messages } = world(({ metadata: { namespace } }) => {
    if (namespace === 'gone') return refusal(404, 'not found');
    return refusal(403, namespace === 'going' ? going : denied);
  });
  for (const namespace of ['a', 'a', 'b', 'going', 'gone', 'a']) emit('said', namespace);
  for (let n = 0; n < 6; n += 1) await settle();
  expect(notes()).toHaveLength(6);
  const rule = '{apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"]}';
  expect(messages.filter((line) => line.includes(rule))).toHaveLength(2);
  expect(messages.map((line) => line.split(' ')[0])).toEqual(['warn', 'warn', 'debug', 'debug']);
});

test('at the end what waits is sent for 5 s at most; then nothing goes out any more', async () => {
  const { clock, events, emit, notes, messages } = world(() => refusal(503, 'starting'));
  for (const note of ['one', 'two', 'three']) emit(note);
  let isOver = false;
  void events.flush().then(() => (isOver = true));
  await clock.advance(4_999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect([isOver, messages]).toEqual([true, ['warn stopping with unsent events {"events":3}']]);
  const tries = notes().length;
  await clock.advance(300_000);
  expect([notes().length, clock.pending]).toEqual([tries, 0]);
});
