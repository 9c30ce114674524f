import { type Asked, type Endpoint, keyOf } from './organization-reference-terms.ts';

/** How the API of a sequence treats private endpoints; the words are those of the simulator's switches. */
export interface Habits {
  readonly matchBy: 'id' | 'tuple';
  readonly order: 'remove-first' | 'add-first';
  readonly addExisting: 'no-op' | 'upsert' | 'duplicate' | 'bad-request' | 'conflict';
  readonly removeAbsent: 'ok' | 'bad-request' | 'not-found';
  readonly onError: 'all-or-nothing' | 'partial';
}

/** How often one tuple was asked for and really went in and out, as the simulator counts. */
export interface Count {
  add: number;
  added: number;
  remove: number;
  removed: number;
}

/** What the reference believes of the API: one organization, written apart from the simulator. */
export interface ModelServer {
  readonly name: string;
  list(): readonly Endpoint[];
  /** Counts a call that changes nothing. */
  arrive(asked: Asked): number;
  /** Counts a call and does its work; the status it earns. */
  patch(asked: Asked): number;
  /** The same for somebody else, who is not counted. */
  theirs(asked: Asked): void;
  /** The ids whose add is refused. */
  readonly refusing: readonly string[];
  refuse(ids: readonly string[], status: number): void;
  /** Whether a tuple, as `keyOf` gives it, is refused at present. */
  refuses(key: string): boolean;
  counts(): Record<string, Count>;
}

export function createModelServer(
  habits: Habits,
  start: { readonly name: string; readonly list: readonly Endpoint[] },
): ModelServer {
  let { name, list } = start;
  let refusal: { readonly ids: readonly string[]; readonly status: number } = { ids: [], status: 400 };
  const counts: Record<string, Count> = {};

  function count(field: keyof Count, endpoints: readonly Endpoint[]): void {
    for (const one of endpoints) {
      const present = counts[keyOf(one)] ?? { add: 0, added: 0, remove: 0, removed: 0 };
      counts[keyOf(one)] = { ...present, [field]: present[field] + 1 };
    }
  }

  const alike = (a: Endpoint, b: Endpoint): boolean =>
    habits.matchBy === 'id' ? a.id === b.id : keyOf(a) === keyOf(b);

  function apply(asked: Asked): { readonly status: number; readonly added: Endpoint[]; readonly removed: Endpoint[] } {
    const moved = { added: [] as Endpoint[], removed: [] as Endpoint[] };
    let next = [...list];
    const removal = (one: Endpoint): number => {
      const gone = next.filter((other) => alike(other, one));
      next = next.filter((other) => !alike(other, one));
      moved.removed.push(...gone);
      if (gone.length > 0 || habits.removeAbsent === 'ok') return 200;
      return habits.removeAbsent === 'not-found' ? 404 : 400;
    };
    const addition = (one: Endpoint): number => {
      if (refusal.ids.includes(one.id)) return refusal.status;
      const isThere = next.some((other) => alike(other, one));
      if (isThere && habits.addExisting === 'bad-request') return 400;
      if (isThere && habits.addExisting === 'conflict') return 409;
      if (isThere && habits.addExisting === 'upsert') next = next.map((other) => (alike(other, one) ? one : other));
      if (isThere && habits.addExisting !== 'duplicate') return 200;
      next.push(one);
      moved.added.push(one);
      return 200;
    };
    const removes = asked.remove.map((one) => () => removal(one));
    const adds = asked.add.map((one) => () => addition(one));
    let status = 200;
    for (const step of habits.order === 'remove-first' ? [...removes, ...adds] : [...adds, ...removes]) {
      if (status === 200) status = step();
    }
    if (status !== 200 && habits.onError === 'all-or-nothing') return { status, added: [], removed: [] };
    list = next;
    name = asked.name ?? name;
    return { status, ...moved };
  }

  function arrive(asked: Asked): number {
    count('add', asked.add);
    count('remove', asked.remove);
    return 0;
  }

  return {
    get name() {
      return name;
    },
    get refusing() {
      return refusal.ids;
    },
    list: () => list,
    arrive,
    patch(asked) {
      arrive(asked);
      const { status, added, removed } = apply(asked);
      count('added', added);
      count('removed', removed);
      return status;
    },
    theirs: (asked) => void apply(asked),
    refuse(ids, status) {
      refusal = { ids, status };
    },
    refuses: (key) => refusal.ids.some((id) => key.endsWith(`/${id}`)),
    counts: () => structuredClone(counts),
  };
}
