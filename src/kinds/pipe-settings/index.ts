import { keyOf } from '../../kube/resource.ts';
import { queueKey } from '../../runtime/controller.ts';
import { defineKind, type Kind } from '../../runtime/kind.ts';
import type { Memory } from '../attempt.ts';
import type { KindContext } from '../context.ts';
import { createKindStore } from '../kind-store.ts';
import { act } from './act.ts';
import { load, targetOf } from './load.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { type PipeSettings, pipeSettingsType } from './resource.ts';

/** The settings of one existing ingestion pipe, brought about by PUT. */
export function createPipeSettingsKind(context: KindContext): Kind {
  const { api, pacer, secrets, readCredential, clock } = context;
  const pacingKey = (key: string): string => queueKey(pipeSettingsType.kind, key);
  const memory: Memory = { acting: new Set(), triedSecret: new Map() };
  const store = createKindStore<PipeSettings>({
    enqueue: (key, lane) => context.enqueue(pacingKey(key), lane),
    secrets,
    ownerOf: pacingKey,
    targetOf,
  });
  context.onSecretChange((secret) => {
    for (const object of store.byIndex('secret', secret)) context.enqueue(pacingKey(keyOf(object)), 'scheduled');
  });
  return defineKind({
    type: pipeSettingsType,
    store,
    load: (object: PipeSettings) =>
      load(object, { store, secrets, memory, hasSlot: (key) => pacer.hasSlot(pacingKey(key)), baseUrl: api.baseUrl }),
    plan,
    act: (object, planned) =>
      act(object, planned, { api, pacer, readCredential, memory, monotonic: () => clock.monotonic(), pacingKey }),
    report,
    settle(key, { unwritten }) {
      pacer.settle(pacingKey(key));
      if (!unwritten) memory.acting.delete(key);
    },
    forget(key) {
      pacer.forget(pacingKey(key));
      memory.triedSecret.delete(key);
    },
  });
}
