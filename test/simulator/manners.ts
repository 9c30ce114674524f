type Bounds = Readonly<Record<string, readonly [lowest: number, highest: number]>>;

/** How PUT settings behaves. */
export interface SettingsBehaviour {
  /** 1. Settings that a PUT leaves out keep their value, or lose it. */
  writes: 'merge' | 'replace';
  /** 2. The reply shows all settings, those that were set, or all of them as text. */
  echo: 'all' | 'only-set' | 'strings';
  /**
   * 3. In place of the document's bounds: what is outside is 400, and nothing is stored. A name
   * that the document has not is a setting that the API has gained.
   */
  ranges: Bounds;
  /** 4. What is outside is moved inside with 200. */
  clamp: Bounds;
}

/** How PATCH organization behaves. */
export interface OrganizationBehaviour {
  /**
   * 5. An added endpoint whose id is there already is left as it is, refused with 409 (and so is
   * with 404 a removal of what is not there), or put in place of it.
   */
  addExisting: 'no-op' | 'conflict' | 'upsert';
  /** 6. The list in the reply. */
  list: 'as-is' | 'absent' | 'absent-when-empty';
  /** 7. The reply shows the state after the call, or before the call before it. */
  echo: 'fresh' | 'lagging';
  /** 8. How an endpoint is stored; add and removal find it in either spelling. */
  tuples: 'as-sent' | 'upper-id' | 'upper-region';
  /** 9. A PATCH with two empty lists and no name: 200, 400, 422 or 500. */
  emptyLists: 'ok' | 'bad-request' | 'unprocessable' | 'server-error';
  /** 10. Ids whose add is refused, ids whose removal is, with which status, and how it is said. */
  refusedIds: readonly string[];
  refuseRemoves: readonly string[];
  refusedStatus: number;
  refusedText: 'names-id' | 'generic';
  /** 11. Nothing of a refused change is done, or what stands before the refused item. */
  onError: 'all-or-nothing' | 'partial';
  /** 12. More adds and removals in one call are 400. */
  mostItems: number;
}

/** An API that does as its document says. */
export const PLAIN: {
  readonly settings: SettingsBehaviour;
  readonly organization: OrganizationBehaviour;
} = {
  settings: { writes: 'merge', echo: 'all', ranges: {}, clamp: {} },
  organization: {
    addExisting: 'no-op',
    list: 'as-is',
    echo: 'fresh',
    tuples: 'as-sent',
    emptyLists: 'ok',
    refusedIds: [],
    refuseRemoves: [],
    refusedStatus: 400,
    refusedText: 'names-id',
    onError: 'all-or-nothing',
    mostItems: 10_000,
  },
};
