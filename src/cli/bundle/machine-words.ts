import { NOT_SHOWN } from './kept.ts';

/**
 * What Kubernetes says of Pods may repeat a command, what that printed, an address with a token, or
 * what a driver was given. Here is what of a message is made of names and numbers alone.
 */
type Messages = Readonly<Record<string, RegExp>>;
const ALL = /^[^]*$/;
const OF_EVENT: Messages = {
  BackOff: ALL,
  Created: ALL,
  Evicted: ALL,
  FailedCreate: ALL,
  FailedScheduling: ALL,
  Killing: /^Stopping container \S+$|^Container \S+ failed (liveness|startup) probe/,
  NodeNotReady: ALL,
  Preempted: ALL,
  Pulled: ALL,
  Pulling: ALL,
  ScalingReplicaSet: ALL,
  Scheduled: ALL,
  Started: ALL,
  SuccessfulCreate: ALL,
  SuccessfulDelete: ALL,
  TaintManagerEviction: ALL,
  Failed:
    /^Failed to pull image [^]*|^Error: (ErrImagePull|ImagePullBackOff|(secret|configmap) "[^"]*" not found|couldn't find key .*)$/,
  Unhealthy: /^\w+ probe (failed|errored)(: HTTP probe failed with statuscode: \d+)?/,
};
const OF_WAITING: Messages = {
  CrashLoopBackOff: ALL,
  CreateContainerConfigError: ALL,
  ErrImagePull: ALL,
  ImagePullBackOff: ALL,
  InvalidImageName: ALL,
};
/** Its own last words. Those of the runtime, about one that did not start, have the command. */
const OF_TERMINATED: Messages = { Completed: ALL, Error: ALL };
const OF_CONDITION: Messages = {
  Available: ALL,
  ContainersReady: ALL,
  DisruptionTarget: ALL,
  Initialized: ALL,
  PodScheduled: ALL,
  Progressing: ALL,
  Ready: ALL,
  ReplicaFailure: ALL,
};

export interface Said {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export function shownEvent<T extends Said>(event: T): T {
  return shown(event, OF_EVENT, event.reason ?? '');
}

export function shownCondition<T extends Said & { readonly type: string }>(condition: T): T {
  return shown(condition, OF_CONDITION, condition.type);
}

export function shownWaiting<T extends Said>(waiting: T): T {
  return shown(waiting, OF_WAITING, waiting.reason ?? '');
}

export function shownTerminated<T extends Said>(terminated: T): T {
  return shown(terminated, OF_TERMINATED, terminated.reason ?? '');
}

/** The same with as much of its message as is known to be harmless. */
function shown<T extends Said>(said: T, harmless: Messages, by: string): T {
  const { message } = said;
  if (message === undefined) return said;
  const pattern = Object.hasOwn(harmless, by) ? harmless[by] : undefined;
  return { ...said, message: pattern?.exec(message)?.[0] ?? NOT_SHOWN };
}
