import type { Expected } from './failure-rows.ts';
import type { Scene } from './scene.ts';

const MINUTE = 60;

/** One of the failures that are no faults of a call: made and mended by other means. */
export interface Special extends Expected {
  readonly name: string;
  readonly break: (scene: Scene) => Promise<void>;
  readonly mend: (scene: Scene) => Promise<unknown>;
  /** The annotation is not needed: the cause's end wakes the object. */
  readonly byItself?: true;
}

export const SPECIALS: readonly Special[] = [
  {
    name: 'other-values',
    reason: 'NotConfirmed',
    side: 'Reconciling',
    firstWait: 10,
    exact: true,
    outcome: 'Succeeded',
    httpStatus: 200,
    says: /object_storage_concurrency is 16, not 30/,
    break: (scene) => {
      scene.simulator.play({ settings: { clamp: { object_storage_concurrency: [1, 16] } } });
      return scene.psets.create('other-values', { settings: { object_storage_concurrency: 30 } });
    },
    mend: async (scene) => scene.simulator.play({ settings: { clamp: {} } }),
  },
  {
    name: 'no-secret',
    reason: 'SecretNotFound',
    side: 'Reconciling',
    firstWait: 5 * MINUTE,
    says: /Secret "no-secret" does not exist/,
    break: (scene) =>
      scene.psets.create('no-secret', { credentialsSecretRef: { name: 'no-secret' } }),
    mend: (scene) => scene.newKey('no-secret'),
    byItself: true,
  },
  {
    name: 'half-a-secret',
    reason: 'SecretInvalid',
    side: 'Stalled',
    firstWait: 60 * MINUTE,
    says: /it has no key "keySecret"/,
    break: async (scene) => {
      await scene.secret('half-a-secret', { keyId: 'some' });
      await scene.psets.create('half-a-secret', {
        credentialsSecretRef: { name: 'half-a-secret' },
      });
    },
    mend: (scene) => scene.newKey('half-a-secret'),
    byItself: true,
  },
  {
    name: 'same-pipe',
    reason: 'TargetConflict',
    side: 'Reconciling',
    firstWait: 5 * MINUTE,
    exact: true,
    says: /held by PipeSettings "holder"/,
    break: async (scene) => {
      await scene.psets.create('holder', { pipeId: 'shared' });
      await scene.psets.until('holder', 'Applied');
      await scene.psets.create('same-pipe', { pipeId: 'shared' });
    },
    mend: (scene) => scene.psets.remove('holder'),
    byItself: true,
  },
];
