import { expect, test } from 'vitest';
import { createEvents } from '../../../src/kube/events.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Api } from './api.ts';

const TYPE = { group: 'pipewright.dev', version: 'v1alpha1', plural: 'organizations', kind: 'O' };
const metadata = {
  namespace: 'ns',
  name: 'one',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const DROPPED = expect.stringMatching(/^warn event dropped: too many wait .*"name":"one"/);

/** Events while Kubernetes answers none, and what is logged. */
function waiting(count: number) {
  const clock = new FakeClock();
  const api = new Api(clock);
  const { log, messages } = recordingLog();
  const client = api.client(() => ({ lost: 'answer' }));
  const events = createEvents(client, clock, log, 'pod-1');
  for (let nth = 0; nth < count; nth += 1)
    events.emit({ metadata }, TYPE, { type: 'Normal', reason: 'Applied', note: `${nth}` });
  return { clock, events, messages };
}

test('a note steers no terminal, and turns no words round', async () => {
  const clock = new FakeClock();
  const api = new Api(clock);
  const events = createEvents(
    api.client(() => ({})),
    clock,
    recordingLog().log,
    'pod-1',
  );
  const note = 'name a\u202eb → c\u2066d\u200ee\u0007f\ng';
  events.emit({ metadata }, TYPE, { type: 'Normal', reason: 'Applied', note });
  await events.flush();
  expect(JSON.parse(api.calls[0]?.body ?? '')).toMatchObject({ note: 'name a b → c d e f g' });
});

test('one is sent and 1,000 wait; what comes then is dropped, and told', () => {
  expect(waiting(1_001).messages).toEqual([]);
  expect(waiting(1_003).messages).toEqual([DROPPED, DROPPED]);
});

test('at the end they are waited for 5 s, and what is left is told', async () => {
  const { clock, events, messages } = waiting(2);
  const flushed = events.flush();
  await clock.advance(4_999);
  expect(messages).toEqual([]);
  await clock.advance(1);
  await flushed;
  expect(messages).toEqual(['warn stopping with unsent events {"events":2}']);
});
