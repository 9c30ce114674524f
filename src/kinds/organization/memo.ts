import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { Report } from '../../runtime/kind.ts';
import { canonicalJson } from '../canonical.ts';
import type { Apart, Refusal } from './apart.ts';
import type { PendingChange } from './resource.ts';

/** What this process alone knows about one object. Losing it is safe: then the API is asked. */
export interface Memo {
  /** The intent that was put on record by this process and has not begun to leave. */
  readonly unsent?: { readonly change: string; readonly generation: number };
  /** It is being deleted and its finalizer is off. */
  readonly letGo?: true;
  /** How the API answered the intent that stands in the status. */
  readonly refusal?: Refusal;
  /** In this attempt the API did not take two empty lists, so it cannot be asked. */
  readonly readRefused?: Refusal;
  /** What is left of a refused change that is being taken apart. */
  readonly apart?: Apart;
}

/** Identifies an intent; its time is part of it. */
export function identityOf(pending: PendingChange): string {
  return canonicalJson(pending);
}

/** Whether an intent is certain not to have left this process or any other. */
export function neverLeft({ unsent }: Memo, pending: PendingChange): boolean {
  return unsent?.change === identityOf(pending);
}

/** The memos of a kind, by store key. One of an object that is gone is not taken for that of another under the same name. */
export class Memos {
  readonly #memos = new Map<string, { readonly uid: string; readonly memo: Memo }>();

  of(object: KubeObject): Memo {
    const kept = this.#memos.get(keyOf(object));
    return kept?.uid === object.metadata.uid ? kept.memo : {};
  }

  set(object: KubeObject, memo: Memo): void {
    this.#memos.set(keyOf(object), { uid: object.metadata.uid, memo });
  }

  forget(key: string): void {
    this.#memos.delete(key);
  }
}

/** A report, and what this process has to remember of it; `memo` absent: as before. */
export interface MemoReport extends Report {
  readonly memo?: Memo;
}
