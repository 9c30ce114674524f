export interface PrivateEndpoint {
  id: string;
  description?: string;
  cloudProvider: string;
  region: string;
}

export interface Organization {
  id: string;
  createdAt: string;
  name: string;
  privateEndpoints: PrivateEndpoint[];
  byocConfig: Record<string, string>[];
}

/** What someone else does: `add` is appended as it is, `remove` names ids. */
export interface OrganizationChange {
  name?: string;
  add?: PrivateEndpoint[];
  remove?: string[];
  byocConfig?: Record<string, string>[];
}

/** Entries that went into a list and out of it. */
export interface EndpointMoves {
  readonly added: readonly PrivateEndpoint[];
  readonly removed: readonly PrivateEndpoint[];
}
