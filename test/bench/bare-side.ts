import type { Side } from './edits.ts';
import { fillNamespace, type Pset, psetPath } from './objects.ts';
import { READY } from './processes.ts';
import type { Stage } from './stage.ts';

/** The bare watcher with its objects, to be edited. */
export interface BareSide {
  readonly side: Side;
  /**
   * Gives one of its objects the status of an operator's: how long the API server takes over an
   * edit depends on it.
   */
  copy(status: Pset['status'], index: number): Promise<void>;
  stop(): Promise<void>;
}

export async function openBareWatcher(
  stage: Stage,
  namespace: string,
  objects: number,
): Promise<BareSide> {
  const names = await fillNamespace(stage, { namespace, objects });
  const peer = await stage.startPeer('bare-watcher.ts', { namespace });
  await peer.says(READY);
  return {
    side: { namespace, names, times: [] },
    async copy(status, index) {
      const path = psetPath(namespace, names[index]);
      const object = await stage.ask<Pset>('GET', path);
      await stage.ask('PUT', `${path}/status`, { ...object, status });
    },
    stop: () => peer.stop(),
  };
}
