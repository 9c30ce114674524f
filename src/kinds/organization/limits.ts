/**
 * How many entries spec and status may have and how long their texts may be, in code points;
 * `report` cuts to these.
 */
export const LIMITS = {
  /** Endpoints in spec, and so in the `add` of one change. */
  endpoints: 100,
  name: 256,
  id: 512,
  cloudProvider: 64,
  region: 64,
  description: 512,
  /** All listed ones, as many more on their way out, and some. Also the `remove` of one change. */
  inventory: 220,
  inventoryDescription: 64,
  inventoryMessage: 200,
  /** What is read of the text of a refusal. */
  refusalText: 512,
  reportedEndpoints: 200,
  reportedDescription: 64,
  byocConfigs: 20,
  /** Texts of a reply that are neither a name nor part of an endpoint. */
  reportedText: 64,
  /** `name` and `privateEndpoints`. */
  keys: 2,
  differences: 16,
  drift: 12,
  planRequests: 4,
  planChanges: 220,
  historyChanges: 24,
  /** `privateEndpoints[<id>].description`, where the id may have 512 and is cut. */
  field: 160,
  /** Values in differences, drift and plan. */
  value: 64,
  /** The same in history, which has many. */
  historyValue: 32,
  body: 16_384,
} as const;
