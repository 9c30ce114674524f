import type { RequestCall } from '../../src/kube/client/exchange.ts';
import type { EventBody, EventInput } from '../../src/kube/events/event-body.ts';
import { createEvents, type Events } from '../../src/kube/events/events.ts';
import { FakeClock } from './fake-clock.ts';
import { type Fate, MemoryKube } from './memory-kube.ts';
import { recordingLog } from './recording-log.ts';

const type = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'pipesettings',
  kind: 'PipeSettings',
};

export function anEvent(
  over: Partial<EventInput> & {
    readonly uid?: string;
    readonly name?: string;
    readonly namespace?: string;
  } = {},
): EventInput {
  const { uid = 'u1', name = 'orders', namespace = 'ingest', ...rest } = over;
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return {
    object: { type, metadata },
    type: 'Warning',
    reason: 'Refused',
    action: 'Apply',
    note: 'Refused 5.5',
    ...rest,
  };
}

interface World {
  readonly clock: FakeClock;
  readonly events: Events;
  readonly kube: MemoryKube;
  readonly messages: string[];
  readonly sent: () => EventBody[];
}

export function world(
  fate: (call: RequestCall) => Fate = () => ({}),
  instance = 'pipewright-0',
): World {
  const clock = new FakeClock();
  const kube = new MemoryKube();
  const { log, messages } = recordingLog();
  const events = createEvents({ client: kube.client({ clock, fate }), clock, log, instance });
  return {
    clock,
    kube,
    messages,
    events,
    sent: () => kube.calls.map((call) => call.body as EventBody),
  };
}
