/**
 * What the queue does with a key after its reconcile, which speaks to the queue in no other way.
 */
export type Outcome =
  /** Nothing more until an event about the object, its Secret, its rival or its slot. */
  | { readonly next: 'await-change' }
  /** The next step follows at once, ahead of scheduled work; others wait for a slot it holds. */
  | { readonly next: 'go-on'; readonly holdsSlot?: true }
  /** Reconcile again at this time (epoch ms) at the latest. */
  | { readonly next: 'recheck'; readonly at: number }
  /**
   * Something that has no place in the object's status went wrong: Kubernetes refused a write, or a
   * bug. Growing waits.
   */
  | { readonly next: 'back-off' };

export const awaitChange: Outcome = { next: 'await-change' };
export const goOn: Outcome = { next: 'go-on' };
export const goOnWithSlot: Outcome = { next: 'go-on', holdsSlot: true };
export const backOff: Outcome = { next: 'back-off' };

export function recheckAt(at: number): Outcome {
  return { next: 'recheck', at };
}
