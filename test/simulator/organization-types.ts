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

/**
 * What someone else does: entries to add are appended as they are, entries to remove are named by
 * id.
 */
export interface OrganizationChange {
  name?: string;
  add?: PrivateEndpoint[];
  remove?: string[];
  byocConfig?: Record<string, string>[];
}

export const ORGANIZATION_CHOICES = {
  /** an added endpoint that is already there */
  addExisting: ['no-op', 'upsert', 'duplicate', 'bad-request', 'conflict'],
  /** a removed endpoint that is not there */
  removeAbsent: ['ok', 'bad-request', 'not-found'],
  /** how an entry finds its like */
  matchBy: ['id', 'tuple'],
  /**
   * what becomes of the three parts of an endpoint when it is stored; a removal finds it either way
   */
  tuples: ['as-sent', 'upper-region', 'upper-id', 'lower-id', 'trimmed', 'region-alias'],
  order: ['remove-first', 'add-first'],
  /** every add: works, is ignored with 200, or is refused; `refused` with `refusedStatus` */
  add: ['honoured', 'ignored', 'bad-request', 'gone', 'refused'],
  remove: ['honoured', 'ignored', 'refused'],
  /**
   * what the error of a refused endpoint says of it: its id, nothing, a longer id that it is a part
   * of, or other words each time
   */
  refusedText: ['names-id', 'generic', 'longer-id', 'changing'],
  /** what stands before the error stays done, or nothing does */
  onError: ['all-or-nothing', 'partial'],
  /** the list in the reply */
  list: [
    'as-is',
    'absent',
    'absent-when-empty',
    'null',
    'empty',
    'reversed',
    'shuffled',
    'doubled',
  ],
  /** what is in that list: whole entries, or one more that is odd, or every one odd */
  entries: [
    'whole',
    'null-among',
    'text-among',
    'number-id-among',
    'no-region-among',
    'number-ids',
    'no-regions',
  ],
  /** the reply shows the state after the call, before it, or before the call before it */
  echo: ['fresh', 'stale', 'lagging'],
  /**
   * descriptions in the reply: as stored with "" for none, as stored with null for none, key absent
   * for none, or never any
   */
  description: ['empty-for-none', 'null-for-none', 'absent-for-none', 'dropped'],
  /**
   * descriptions as they are stored: as sent, or the first that a tuple ever had, even when it was
   * away
   */
  descriptions: ['as-sent', 'first-kept'],
  name: ['kept', 'trimmed', 'upper-case', 'ignored', 'bad-request', 'forbidden'],
  /** `{}` */
  emptyBody: ['bad-request', 'ok'],
  /** add and remove both empty, and no name */
  emptyLists: ['ok', 'bad-request', 'unprocessable', 'server-error'],
  /**
   * a PATCH while another of the same organization has no answer yet: as if alone, 409, or as if
   * the other had never been
   */
  concurrent: ['fine', 'conflict', 'lost-update'],
  /** entries of others: none, or one that appears and one that vanishes with every call */
  others: ['still', 'come-and-go'],
} as const;

type Choices = typeof ORGANIZATION_CHOICES;

/** How PATCH behaves; the first choice of each switch is the one at the start. */
export type OrganizationBehaviour = { [K in keyof Choices]: Choices[K][number] } & {
  /** ids whose add is refused */
  refusedIds: string[];
  /** ids whose remove is refused */
  refuseRemoves: string[];
  /** the status of such a refusal, 400 or above */
  refusedStatus: number;
  /** another status for some ids */
  refusedStatuses: Record<string, number>;
  /** most endpoints an organization may have; one more is 422 */
  maxEndpoints: number;
  /** another number for some organizations, which may have more than that */
  quotas: Record<string, number>;
  /** most adds and removes in one call; one more is 400 */
  mostItems: number;
  /** a name of more characters is 400 */
  longestName: number;
  /** replies show the state of so long ago; goes before `echo` */
  staleForMs: number;
  /** the list is absent in so many replies from now on, whatever `list` says */
  listMissingCalls: number;
  /** fields left out of every reply */
  omit: string[];
  /** fields put into every reply, over those stored */
  replace: Record<string, unknown>;
};

/** The behaviour of an API that does as its document says. */
export function startBehaviour(): OrganizationBehaviour {
  const first = Object.fromEntries(
    Object.entries(ORGANIZATION_CHOICES).map(([name, [choice]]) => [name, choice]),
  ) as unknown as Pick<OrganizationBehaviour, keyof Choices>;
  return {
    ...first,
    refusedIds: [],
    refuseRemoves: [],
    refusedStatus: 400,
    refusedStatuses: {},
    maxEndpoints: 10_000,
    quotas: {},
    mostItems: 10_000,
    longestName: 10_000,
    staleForMs: 0,
    listMissingCalls: 0,
    omit: [],
    replace: {},
  };
}

/** Endpoints that somebody else has, named `theirs-1` and so on. */
export function strangers(count: number): PrivateEndpoint[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `theirs-${index + 1}`,
    description: '',
    cloudProvider: 'gcp',
    region: 'ap-northeast-1',
  }));
}

/** A tuple as one text: no provider and no region has a slash, ids may. */
export function endpointKey({
  id,
  cloudProvider,
  region,
}: Record<'id' | 'cloudProvider' | 'region', unknown>): string {
  return [cloudProvider, region, id].map(String).join('/');
}
