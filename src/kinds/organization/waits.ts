const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** An endpoint that one observation missed is looked for again after this long. */
export const MISSED_AGAIN_MS = MINUTE;
/** Seen again this soon, or seen this soon after our add, it is taken for the same one. */
export const SAME_ENDPOINT_MS = 15 * MINUTE;
/** After `--api-timeout` a change may still be carried out for this long. */
export const SETTLE_AFTER_TIMEOUT_MS = MINUTE;
/** From an observation to the permit of what was decided on it. */
export const OBSERVATION_LASTS_MS = 30 * SECOND;
/** So often one attempt observes; what it decides then is sent however old it is. */
export const MOST_OBSERVATIONS = 4;
/** A change leaves at most this long after it was persisted. */
export const SENT_AT_ONCE_MS = 10 * SECOND;
/** After so many refusals in a row, with nothing accepted between, an attempt ends. */
export const MOST_REFUSALS = 3;
/** What they have left untried follows this much later. */
export const UNTRIED_MS = MINUTE;
/** The first wait of an endpoint that was refused because something is busy. */
export const BUSY_ITEM_MS = MINUTE;
/** A list that every reply leaves out counts as empty after this long. */
export const LEFT_OUT_IS_EMPTY_MS = MINUTE;
/** The same where the inventory has entries that were present. */
export const LEFT_OUT_ALL_GONE_MS = 10 * MINUTE;
/** The last try of a cleanup begins this long before its deadline. */
export const LAST_TRY_MS = 30 * SECOND;
