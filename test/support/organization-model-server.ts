import type { Answer, Reply } from '../../src/api/reply.ts';

/** One private endpoint as the model server keeps it. */
export interface Entry {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
  readonly description: string;
  /** Whose call brought it: the operator's, or somebody else's. */
  readonly by: 'operator' | 'others';
}

/** What a PATCH asks for. */
export interface PatchBody {
  readonly name?: string;
  readonly privateEndpoints?: {
    readonly add?: readonly { id: string; cloudProvider: string; region: string; description?: string }[];
    readonly remove?: readonly { id: string; cloudProvider: string; region: string }[];
  };
}

/** A row each of the table of server behaviours; the counted ones wear off, so that the declared state can be reached. */
export interface Behaviour {
  readonly addExisting: 'no-op' | 'upsert' | 'duplicate' | 400 | 409;
  readonly removeAbsent: 200 | 400 | 404;
  readonly match: 'id' | 'tuple';
  readonly order: 'remove-first' | 'add-first';
  /** What was done before an error stays done. */
  readonly partial: boolean;
  /** So many changes with an add are answered 200, and their adds not done. */
  readonly ignoredAdds: number;
  readonly list: 'plain' | 'reordered' | 'doubled' | 'without-places';
  /** So many replies have no list, one that is null, or none at all for certain. */
  readonly listless: { readonly how: 'absent' | 'null' | 'empty'; readonly count: number };
  /** So many replies to a change show the state before it. */
  readonly stale: number;
  readonly name: 'kept' | 'trimmed' | 400;
  readonly emptyLists: 200 | 400 | 422;
  /** What becomes of calls, in order; the rest is answered. `late`: done half-way through --api-timeout, after the next reads. */
  readonly fate: readonly ('answered' | 'lost-done' | 'lost-undone' | 'late' | 'not-sent')[];
  readonly refused: {
    readonly ids: ReadonlySet<string>;
    readonly status: 400 | 404 | 409 | 410 | 422;
    readonly text: 'naming' | 'generic';
  };
  /** Any change of endpoints is refused with this status. */
  readonly refusesAll?: 400 | 422 | undefined;
  /** The organization is not there: every call is answered so. */
  readonly gone?: 404 | 410;
  /** More endpoints than this are refused. */
  readonly quota: number;
}

export const PLAIN: Behaviour = {
  addExisting: 'no-op',
  removeAbsent: 200,
  match: 'tuple',
  order: 'remove-first',
  partial: false,
  ignoredAdds: 0,
  list: 'plain',
  listless: { how: 'absent', count: 0 },
  stale: 0,
  name: 'kept',
  emptyLists: 200,
  fate: [],
  refused: { ids: new Set(), status: 400, text: 'naming' },
  quota: Number.POSITIVE_INFINITY,
};

export interface ModelServer {
  /** Everything there is; the order is that of arrival. */
  entries(): readonly Entry[];
  name(): string;
  /** Bodies in the order of arrival, with their time; one that never arrived is not among them. */
  readonly calls: { readonly at: number; readonly body: PatchBody; readonly text: string; readonly told: string }[];
  patch(text: string, at: number): Reply;
  /** Somebody else's change. */
  byOthers(change: (entries: readonly Entry[]) => readonly Entry[]): void;
  /** Does what is still under way. */
  finish(at: number): void;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An organization behind a PATCH, with the given behaviour; `lateMs`: when a late call is done. */
export function modelServer(behaviour: Behaviour, start: readonly Entry[], lateMs: number): ModelServer {
  let entries = start;
  let name = 'before';
  let arrived = 0;
  let ignored = behaviour.ignoredAdds;
  let listless = behaviour.listless.count;
  let stale = behaviour.stale;
  const late: { readonly due: number; readonly body: PatchBody }[] = [];
  const calls: ModelServer['calls'] = [];

  const same = (a: Omit<Entry, 'by' | 'description'>, b: Omit<Entry, 'by' | 'description'>): boolean =>
    a.id === b.id && (behaviour.match === 'id' || (a.cloudProvider === b.cloudProvider && a.region === b.region));

  const remove = (body: PatchBody): void => {
    for (const item of body.privateEndpoints?.remove ?? []) {
      if (behaviour.refused.ids.has(`-${item.id}`)) throw refusal(item.id);
      if (entries.some((entry) => same(entry, item))) entries = entries.filter((entry) => !same(entry, item));
      else if (behaviour.removeAbsent !== 200) throw new Refused(behaviour.removeAbsent, `${item.id} is not there`);
    }
  };
  const refusal = (id: string): Refused => {
    const { status, text } = behaviour.refused;
    return new Refused(status, text === 'naming' ? `endpoint ${id} is not valid` : 'validation failed');
  };
  const add = (body: PatchBody): void => {
    const items = body.privateEndpoints?.add ?? [];
    if (items.length > 0 && ignored > 0) {
      ignored -= 1;
      return;
    }
    for (const { id, cloudProvider, region, description = '' } of items) {
      if (behaviour.refused.ids.has(id)) throw refusal(id);
      const entry: Entry = { id, cloudProvider, region, description, by: 'operator' };
      const there = entries.find((other) => same(other, entry));
      const { addExisting } = behaviour;
      if (!there || addExisting === 'duplicate') {
        if (entries.length >= behaviour.quota) throw new Refused(400, 'too many private endpoints');
        entries = [...entries, entry];
      } else if (addExisting === 'upsert') {
        entries = entries.map((other) => (other === there ? { ...other, description } : other));
      } else if (addExisting !== 'no-op') throw new Refused(addExisting, `${id} is there already`);
    }
  };
  const work = (body: PatchBody): void => {
    const before = entries;
    try {
      if (behaviour.gone) throw new Refused(behaviour.gone, 'no such organization');
      if (body.name !== undefined && behaviour.name === 400) throw new Refused(400, 'name is not valid');
      const changes = (body.privateEndpoints?.add?.length ?? 0) + (body.privateEndpoints?.remove?.length ?? 0) > 0;
      if (body.privateEndpoints && !changes && behaviour.emptyLists !== 200) {
        throw new Refused(behaviour.emptyLists, 'no fields to update');
      }
      if (changes && behaviour.refusesAll) throw new Refused(behaviour.refusesAll, 'validation failed');
      for (const step of behaviour.order === 'remove-first' ? [remove, add] : [add, remove]) step(body);
      if (body.name !== undefined) name = behaviour.name === 'trimmed' ? body.name.trim() : body.name;
    } catch (error) {
      if (!behaviour.partial) entries = before;
      throw error;
    }
  };
  const finish = (at: number): void => {
    for (let [next] = late; next && next.due <= at; [next] = late) {
      late.shift();
      try {
        work(next.body);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
  };
  const listOf = (shown: readonly Entry[]): object => {
    if (listless > 0) {
      listless -= 1;
      const { how } = behaviour.listless;
      return how === 'absent' ? {} : { privateEndpoints: how === 'null' ? null : [] };
    }
    const list = shown.map(({ id, cloudProvider, region, description }) =>
      behaviour.list === 'without-places' ? { id, description } : { id, cloudProvider, region, description },
    );
    if (behaviour.list === 'reordered') list.reverse();
    return { privateEndpoints: behaviour.list === 'doubled' ? [...list, ...list] : list };
  };
  const answer = (body: PatchBody, requestId: string): Answer => {
    const before = { entries, name };
    try {
      work(body);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { answered: true, httpStatus: error.status, requestId, body: 'json', error: error.message };
    }
    const changed = before.entries !== entries || before.name !== name;
    const isStale = changed && stale > 0;
    if (isStale) stale -= 1;
    const shown = isStale ? before : { entries, name };
    const result = { id: 'org', name: shown.name, ...listOf(shown.entries) };
    return { answered: true, httpStatus: 200, requestId, body: 'json', result };
  };

  return {
    entries: () => entries,
    name: () => name,
    calls,
    byOthers(change) {
      entries = change(entries);
    },
    finish,
    patch(text, at) {
      finish(at);
      const fate = behaviour.fate[arrived] ?? 'answered';
      arrived += 1;
      if (fate === 'not-sent') return { answered: false, sent: false, cause: 'connection refused' };
      const body = JSON.parse(text) as PatchBody;
      if (fate === 'late') late.push({ due: at + lateMs, body });
      if (fate === 'lost-done') answer(body, 'lost');
      const reply: Reply =
        fate === 'answered' ? answer(body, `req-${arrived}`) : { answered: false, sent: true, cause: 'reset' };
      calls.push({ at, body, text, told: reply.answered ? String(reply.httpStatus) : fate });
      return reply;
    },
  };
}
