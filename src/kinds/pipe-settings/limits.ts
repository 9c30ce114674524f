/**
 * How many entries a status may have and how long their texts may be, in code points; `report` cuts
 * to these.
 */
export const LIMITS = {
  otherSettings: 20,
  otherName: 128,
  otherValue: 128,
  drift: 12,
  historyChanges: 24,
  /** Names of fields; the longest setting has 41. */
  field: 48,
  /** Values in differences, drift and plan, where they are text. */
  value: 64,
  /** The same in history, which has many. */
  historyValue: 16,
  body: 2048,
} as const;
