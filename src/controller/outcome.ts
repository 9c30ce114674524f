/** What the queue does with a key after its pass. The only way a pass speaks to the queue. */
export type Outcome =
  /** Nothing more until an event about the object, its Secret, its rival or its slot. */
  | { readonly next: 'await-change' }
  /** The next step of the same change follows at once, ahead of scheduled work. */
  | { readonly next: 'go-on' }
  /** Visit again at this time (epoch ms) at the latest. */
  | { readonly next: 'recheck'; readonly at: number }
  /**
   * Something that has no place in the object's status went wrong: Kubernetes refused a write, or a
   * bug. Growing waits.
   */
  | { readonly next: 'back-off'; readonly cause: string };

export const awaitChange: Outcome = { next: 'await-change' };
export const goOn: Outcome = { next: 'go-on' };

export function recheckAt(at: number): Outcome {
  return { next: 'recheck', at };
}

export function backOff(cause: string): Outcome {
  return { next: 'back-off', cause };
}
