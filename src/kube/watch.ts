import type { Clock } from '../clock.ts';
import type { KubeClient } from './client.ts';
import type { KubeError } from './errors.ts';
import type { Log } from '../log.ts';
import type { KubeObject } from './resource.ts';

export type WatchEvent = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What receives a watch's news. None of these may throw. */
export interface WatchSink<T> {
  /** Cuts an object to what is used as soon as it is parsed, so that no list stands in memory whole; before `replace` and `apply`. */
  trim?(object: T): T;
  /** The whole list as of `resourceVersion`: what is not in it does not exist. */
  replace(objects: T[], resourceVersion: string): void;
  apply(event: WatchEvent, object: T): void;
  /** Nothing up to `resourceVersion` is still to come. */
  bookmark?(resourceVersion: string): void;
  /** List or watch was refused or broke; the watch goes on trying. Called once per change of cause. */
  failed?(error: KubeError): void;
}

/** `listing` until the first list is complete and after 410; `waiting` between failed attempts. */
export type WatchState = 'listing' | 'watching' | 'waiting' | 'stopped';

export interface WatchOptions<T extends KubeObject> {
  readonly client: KubeClient;
  /** The collection, from `collectionPath`. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Ask for PartialObjectMetadata: neither spec nor data ever leaves the server. */
  readonly metadataOnly?: boolean;
  /** Objects per page of the list; default 500. */
  readonly pageSize?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the watch; nothing reaches the sink afterwards. */
  readonly signal: AbortSignal;
  readonly sink: WatchSink<T>;
  readonly onState?: (state: WatchState) => void;
}

export interface Watch {
  /** Resolves after the first complete list has reached the sink; stays pending when stopped before. */
  readonly synced: Promise<void>;
  /** Resolves when the watch has ended after its signal; never rejects. */
  readonly stopped: Promise<void>;
}
