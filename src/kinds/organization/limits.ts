/** How many entries spec and status may have, and how long their texts may be, in code points. */
export const LIMITS = {
  /** In spec, and so in the `add` of one change. */
  endpoints: 100,
  /** All listed ones, as many more on their way out, and some. Also the `remove` of one change. */
  inventory: 220,
  name: 256,
  id: 512,
  cloudProvider: 64,
  region: 64,
  keys: 2,
  differences: 16,
  drift: 12,
  planRequests: 4,
  planChanges: 220,
  historyChanges: 24,
  /** `privateEndpoints[<id>].description`, where the id may have 512 and is cut. */
  field: 160,
  value: 64,
  historyValue: 32,
  body: 16_384,
} as const;
