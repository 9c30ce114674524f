import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { type KubeObject, keyOf, type ResourceType } from '../kube/resource.ts';
import type { Kind, Notice, Report } from './kind.ts';
import { awaitChange, type Outcome, recheckAt } from './outcome.ts';
import { writeStatus } from './status-writer.ts';

/** A result whose status write has not succeeded yet: the remote side has been told, the cluster has not. */
interface Kept {
  readonly report: Report & { readonly status: object };
  /** The object as the pass saw it. */
  readonly base: KubeObject;
}

export interface LifecycleOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly emit: (object: KubeObject, type: ResourceType, notice: Notice) => void;
  /** Puts a version that the server returned into the kind's store, without waking the key for it. */
  readonly take: (kind: Kind, id: string, object: KubeObject) => void;
}

export interface PassResult {
  readonly outcome: Outcome;
  readonly did: string;
  readonly facts?: Report['facts'];
}

/**
 * One pass over one key: store → load → plan → act → report → status. Guarantees: a result that could not be written
 * is kept and written before anything else is done for the object, so the remote call behind it is not repeated.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** `id` is the queue's key, `key` the store's. Throws KubeError when a status could not be written. */
  async run(kind: Kind, id: string, key: string): Promise<PassResult> {
    if (this.#kept.has(id)) await this.#writeKept(kind, id);
    const object = kind.get(key);
    if (!object) {
      this.#kept.delete(id);
      kind.forget(key);
      return { outcome: awaitChange, did: 'forgot' };
    }
    try {
      const report = await kind.pass(object, this.#options.clock);
      const outcome = await this.#record(kind, id, object, report);
      return { outcome, did: report.did, facts: report.facts };
    } finally {
      kind.settle(key);
    }
  }

  /** Results that are not in the cluster yet. */
  get keptCount(): number {
    return this.#kept.size;
  }

  async #record(kind: Kind, id: string, base: KubeObject, report: Report): Promise<Outcome> {
    const { status } = report;
    if (!status) return report.outcome;
    this.#kept.set(id, { base, report: { ...report, status } });
    return this.#writeKept(kind, id);
  }

  async #writeKept(kind: Kind, id: string): Promise<Outcome> {
    const kept = this.#kept.get(id);
    if (!kept) return awaitChange;
    const { base, report } = kept;
    const newest = kind.get(keyOf(base));
    if (newest?.metadata.uid !== base.metadata.uid || speaksLater(newest, base)) {
      this.#kept.delete(id);
      return awaitChange;
    }
    const written = await writeStatus({
      client: this.#options.client,
      type: kind.type,
      object: newest,
      status: report.status,
      take: (object) => this.#options.take(kind, id, object),
      mayOverwrite: (newer) => !speaksLater(newer, base),
    });
    this.#kept.delete(id);
    if (written !== 'gone') for (const notice of report.notices ?? []) this.#options.emit(base, kind.type, notice);
    return written === 'overtaken' ? recheckAt(this.#options.clock.now()) : report.outcome;
  }
}

/** Whether somebody has recorded another attempt since the pass began: another process leads, and its word is newer. */
function speaksLater(newer: KubeObject, base: KubeObject): boolean {
  const time = lastRequestTime(newer);
  return time !== undefined && time > (lastRequestTime(base) ?? '');
}

function lastRequestTime(object: KubeObject): string | undefined {
  const status = object.status as { lastRequest?: { time?: unknown } } | undefined;
  const time = status?.lastRequest?.time;
  return typeof time === 'string' ? time : undefined;
}
