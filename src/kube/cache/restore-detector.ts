import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { KubeError } from '../client/kube-error.ts';
import { compareVersions } from '../resource.ts';

/**
 * An older version than was seen is doubted for this long, since a server may be behind; then it
 * was restored from a backup.
 */
const DOUBT_MS = 60_000;

/** What the watches of one client know together: a restore that one of them noticed is all's. */
interface Restores {
  readonly count: number;
  /** The version that showed the last one. */
  readonly version: string;
}

const RESTORES = new WeakMap<KubeClient, Restores>();

function restoresOf(client: KubeClient): Restores {
  return RESTORES.get(client) ?? { count: 0, version: '' };
}

/** What was known when the server was asked for a version. */
export interface Asked {
  /** The newest version seen by then. A sound server that is not behind gives none older. */
  readonly newest: string;
  readonly restores: number;
}

export interface RestoreDetectorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly path: string;
  /** The newest version that the watch's sink holds, also from replies to other calls. */
  readonly newestHeld: () => string;
}

/**
 * Notices, for one watch, that the server went back to older versions, as after a restored backup.
 *
 *     sound ── older than was seen ─► doubted ── still older after a minute, ─► restored ─► sound
 *                                                or caught up meanwhile
 *
 * One that has caught up counts its versions anew all the same, so that is a restore too.
 */
export class RestoreDetector {
  readonly #options: RestoreDetectorOptions;
  #newest = '';
  #doubtedSince: number | undefined;
  /** Restores that the last list here comes after. */
  #listedAfter: number;

  constructor(options: RestoreDetectorOptions) {
    this.#options = options;
    this.#listedAfter = restoresOf(options.client).count;
  }

  /** Some watch of this client has noticed a restore since the last list here. */
  get needsList(): boolean {
    return this.#listedAfter !== restoresOf(this.#options.client).count;
  }

  /** An event of the watch had this version. */
  delivered(version: string): void {
    if (compareVersions(version, this.#newest) > 0) this.#newest = version;
  }

  /** To be called before a request whose answer goes to `check` or `checkList`. */
  ask(): Asked {
    const { count, version } = restoresOf(this.#options.client);
    // What is held from before a restore says nothing of the versions after it.
    const known = this.needsList ? version : this.#options.newestHeld();
    const newest = compareVersions(known, this.#newest) > 0 ? known : this.#newest;
    return { newest, restores: count };
  }

  /** True: the list is the first one after a restore. Throws as `check` does. */
  checkList(version: string, asked: Asked): boolean {
    const wentBack = this.check(version, asked);
    const isFirst = wentBack || this.#listedAfter !== asked.restores;
    this.#listedAfter = asked.restores + (wentBack ? 1 : 0);
    return isFirst;
  }

  /** True: the server was restored. Throws KubeError while its version is doubted. */
  check(version: string, { newest }: Asked): boolean {
    const { client, clock, log, path } = this.#options;
    const isOlder = compareVersions(version, newest) < 0;
    if (!isOlder && this.#doubtedSince === undefined) {
      this.#newest = version;
      return false;
    }
    this.#doubtedSince ??= clock.monotonic();
    if (isOlder && clock.monotonic() - this.#doubtedSince < DOUBT_MS) {
      const body = `the server is at version ${version}, but ${newest} was seen already`;
      throw new KubeError({ call: `GET ${path}`, status: 0, reason: 'StaleList', body });
    }
    log.warn(
      { path, version, seen: newest },
      'the API server went back to an older state, as after a restored backup; listing again',
    );
    this.#doubtedSince = undefined;
    this.#newest = version;
    RESTORES.set(client, { count: restoresOf(client).count + 1, version });
    return true;
  }
}
