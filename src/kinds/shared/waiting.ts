import type { KubeObject } from '../../kube/resource.ts';
import { type CommonStatus, commonStatus, isReady, statusWith } from './common-status.ts';

/**
 * The status of an object that has waited long for its call, and goes on waiting; undefined where
 * it is Ready, and stays so. The failures so far and an open request stay counted.
 */
export function longWaitStatus(object: KubeObject, ahead: number, now: number): object | undefined {
  if (isReady(object)) return undefined;
  const previous = object.status as CommonStatus | undefined;
  const line = ahead === 1 ? '1 call is before it' : `${ahead} calls are before it`;
  const message = `Waits for a call with its API key; ${line}. The operator goes on by itself; how fast depends on --api-rate, and on pauses that the API asks for`;
  const common = commonStatus(object, previous, {
    summary: { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message },
    now,
    attempts: previous?.attempts,
    acknowledge: false,
  });
  return statusWith<CommonStatus>(previous, common);
}
