/** One endpoint as `spec` and the API have it. */
export interface Endpoint {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description?: string;
}

/** What a user asks for: the part of `spec` that decides. */
export interface Wish {
  readonly name?: string;
  readonly privateEndpoints?: readonly Endpoint[];
  readonly adoptPrivateEndpoints?: boolean;
  readonly maxPrivateEndpointRemovals?: number;
  readonly deletionPolicy?: 'Retain' | 'RemovePrivateEndpoints';
  readonly suspend?: boolean;
  readonly mode?: 'Apply' | 'Plan';
}

/** What one PATCH asks for. */
export interface Asked {
  readonly name?: string;
  readonly add: readonly Endpoint[];
  readonly remove: readonly Endpoint[];
}

/** What is wrong with one call: whether its work is done, and what the caller hears. */
export interface Trouble {
  readonly applied: boolean;
  /** Absent: nothing that can be read. */
  readonly status?: number;
  /** Of a reply with 200: what its list shows. */
  readonly list?: 'stale' | 'absent';
}

/** A tuple as one text, as the simulator counts it. */
export function keyOf({ id, cloudProvider, region }: Endpoint): string {
  return `${cloudProvider}/${region}/${id}`;
}

/** Each tuple once. */
export function unique(list: readonly Endpoint[]): Endpoint[] {
  return [...new Map(list.map((one) => [keyOf(one), one])).values()];
}
