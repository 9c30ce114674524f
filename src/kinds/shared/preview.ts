/** A change of one field, as plans, history and drift have it; absent: not there, or not known. */
export interface FieldChange {
  readonly field: string;
  readonly from?: string | number | boolean | undefined;
  readonly to?: string | number | boolean | undefined;
}

/** What an attempt for one object would send, as far as the object itself tells. */
export interface Preview {
  /** `withheld`: the object forbids to send. `blocked`: only a request that reads is sent. */
  readonly does: 'send' | 'blocked' | 'withheld' | 'nothing';
  /** A sentence without its stop. */
  readonly says: string;
  /** Those that are sent; where they are withheld, those that would be. */
  readonly requests: readonly { method: string; path: string; body?: string | undefined }[];
  readonly changes: readonly FieldChange[];
  /** Unknown: no reply has shown the values that are there. */
  readonly basis: 'LastResponse' | 'Unknown';
}

/** `isEmpty`: the API is known to hold the declared state, so that Apply would change nothing. */
export type EmptyOrNot = Preview & { readonly isEmpty: boolean };

/** Of an object for which nothing is sent; `says` has to say why. */
export const NOTHING_SENT = {
  does: 'nothing',
  requests: [],
  changes: [],
  basis: 'Unknown',
} as const satisfies Omit<Preview, 'says'>;
