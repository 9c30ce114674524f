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

/** What someone else does: entries to add are appended as they are, entries to remove are named by id. */
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
  order: ['remove-first', 'add-first'],
  /** every add: works, is ignored with 200, or is refused */
  add: ['honoured', 'ignored', 'bad-request', 'gone'],
  remove: ['honoured', 'ignored'],
  /** what stands before the error stays done, or nothing does */
  onError: ['all-or-nothing', 'partial'],
  /** the list in the reply */
  list: ['as-is', 'absent', 'null', 'empty', 'reversed', 'shuffled', 'doubled'],
  /** the reply shows the state after the call, or before it */
  echo: ['fresh', 'stale'],
  /** descriptions in the reply: as stored with "" for none, as stored with null for none, key absent for none, or never any */
  description: ['empty-for-none', 'null-for-none', 'absent-for-none', 'dropped'],
  name: ['kept', 'trimmed', 'upper-case', 'ignored', 'bad-request', 'forbidden'],
  /** `{}` */
  emptyBody: ['bad-request', 'ok'],
  /** add and remove both empty, and no name */
  emptyLists: ['ok', 'bad-request'],
  /** entries of others: none, or one that appears and one that vanishes with every call */
  others: ['still', 'come-and-go'],
} as const;

type Choices = typeof ORGANIZATION_CHOICES;

/** How PATCH behaves; the first choice of each switch is the one at the start. */
export type OrganizationBehaviour = { [K in keyof Choices]: Choices[K][number] } & {
  /** ids whose add is refused with 400 */
  refusedIds: string[];
  /** most endpoints an organization may have; one more is 422 */
  maxEndpoints: number;
};
