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

function refusal(status: number, body: string): KubeError {
  return new KubeError({ call: 'POST', status, reason: 'Refused', body });
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

test('what fails is dropped, with the words of the server, and holds up nothing', async () => {
  const user = 'User "system:serviceaccount:pw:pw" cannot create resource "events"';
  const { emit, notes, messages } = world(({ note }) => refusal(Number(note), user));
  for (const status of ['0', '403', '429', '503']) emit(status);
  for (let n = 0; n < 4; n += 1) await settle();
  expect(notes()).toEqual(['0', '403', '429', '503']);
  for (const [place, note] of notes().entries()) {
    expect(messages[place]).toMatch(/^warn event dropped .*"ingest"/);
    expect(messages[place]).toContain(`"note":"${note}"`);
    expect(messages[place]).toContain('system:serviceaccount:pw:pw');
  }
});

test('of a namespace that is going away there is nothing to speak of', async () => {
  const going = 'unable to create new content in namespace x because it is being terminated';
  const { emit, messages } = world(({ note }) => refusal(Number(note), going));
  for (const status of ['403', '404']) emit(status);
  for (let n = 0; n < 2; n += 1) await settle();
  expect(messages.map((line) => line.split(' ')[0])).toEqual(['debug', 'debug']);
});

test('at the end what waits is sent for 5 s at most; then nothing goes out any more', async () => {
  const gate = Promise.withResolvers<undefined>();
  const { clock, events, emit, notes, messages } = world(() => gate.promise);
  for (const note of ['one', 'two', 'three']) emit(note);
  let isOver = false;
  void events.flush().then(() => (isOver = true));
  await clock.advance(4_999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect([isOver, messages]).toEqual([true, ['warn stopping with unsent events {"events":3}']]);
  gate.resolve(undefined);
  await clock.advance(300_000);
  expect([notes(), clock.pending]).toEqual([['one'], 0]);
});
