import type { Fault } from '../simulator/types.ts';
import type { Habits, ModelServer } from './organization-reference-server.ts';
import type { Asked, Endpoint, Trouble, Wish } from './organization-reference-terms.ts';

/** A fault of the simulator, and what the reference takes it for. */
export interface Mishap {
  readonly text: string;
  readonly fault: Fault;
  readonly means: Trouble;
}

/** One step of a sequence. */
export type Step =
  | { readonly do: 'edit'; readonly wish: Wish; readonly mishaps: readonly Mishap[] }
  | { readonly do: 'request'; readonly mishaps: readonly Mishap[] }
  | { readonly do: 'recreate'; readonly mishaps: readonly Mishap[] }
  | { readonly do: 'theirs'; readonly change: Partial<Asked> }
  /** From now on the adds of these ids are refused, and of no others. */
  | { readonly do: 'refuse'; readonly ids: readonly string[]; readonly status: number };

/** Numbers that depend on a seed alone. */
export interface Dice {
  /** 0 to n - 1. */
  below(n: number): number;
  chance(share: number): boolean;
  one<T>(list: readonly [T, ...(readonly T[])]): T;
  some<T>(list: readonly T[], share: number): T[];
}

/** mulberry32. */
export function diceOf(seed: number): Dice {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (share) => next() < share,
    one: (list) => list[below(list.length)] ?? list[0],
    some: (list, share) => list.filter(() => next() < share),
  };
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;
const REGIONS = ['ap-northeast-1', 'eu-west-1'] as const;

const STATUSES = [
  400, 401, 403, 404, 408, 409, 410, 418, 422, 423, 424, 425, 429, 500, 501, 502, 503, 504, 301, 302, 307, 308,
] as const;
const MISHAPS: readonly [Mishap, ...Mishap[]] = [
  { text: 'reset before', fault: { transport: 'reset-before' }, means: { applied: false } },
  { text: 'reset after', fault: { transport: 'reset-after' }, means: { applied: true } },
  { text: 'no answer', fault: { transport: 'no-answer' }, means: { applied: false } },
  { text: 'no answer, applied', fault: { transport: 'no-answer', applied: true }, means: { applied: true } },
  { text: 'cut off', fault: { transport: 'truncated' }, means: { applied: true } },
  ...(['no-result', 'text', 'empty', 'truncated', 'null', 'error-with-200'] as const).map((body) => ({
    text: `200 with ${body}`,
    fault: { status: 200, body },
    means: { applied: true },
  })),
  ...([504, 500, 502, 409, 400, 408] as const).map((status) => ({
    text: `${status}, applied`,
    fault: { status, applied: true },
    means: { applied: true, status },
  })),
  ...(['absent', 'null'] as const).map((list) => ({
    text: `list ${list}`,
    fault: { play: { organization: { list } } },
    means: { applied: true, list: 'absent' as const },
  })),
  { text: 'stale', fault: { play: { organization: { echo: 'stale' } } }, means: { applied: true, list: 'stale' } },
];

/** The behaviour of an API that does as its document says, with half of the switches turned in every other sequence. */
export function drawHabits(dice: Dice): Habits {
  const isPlain = dice.chance(0.4);
  const draw = <T>(list: readonly [T, ...T[]]): T => (isPlain ? list[0] : dice.one(list));
  return {
    matchBy: draw(['id', 'tuple']),
    order: draw(['remove-first', 'add-first']),
    addExisting: draw(['no-op', 'upsert', 'duplicate', 'bad-request', 'conflict']),
    removeAbsent: draw(['ok', 'bad-request', 'not-found']),
    onError: draw(['all-or-nothing', 'partial']),
  };
}

function drawEndpoint(dice: Dice, ids: readonly [string, ...string[]] = IDS): Endpoint {
  const region = dice.chance(0.85) ? REGIONS[0] : REGIONS[1];
  const tuple = { id: dice.one(ids), cloudProvider: 'gcp', region };
  return dice.chance(0.3) ? { ...tuple, description: `words ${dice.below(3)}` } : tuple;
}

/** Endpoints of which no two have the same id. */
export function drawEndpoints(dice: Dice, most: number): Endpoint[] {
  const drawn = Array.from({ length: dice.below(most + 1) }, () => drawEndpoint(dice));
  return [...new Map(drawn.map((one) => [one.id, one])).values()];
}

/** The object is created. An API that has never given a list and refuses to be asked for one is met once only: what follows is left open. */
export function drawFirst(dice: Dice): Step {
  const wish: Wish = {
    ...(dice.chance(0.6) && { name: `Name ${dice.below(3)}` }),
    ...(dice.chance(0.9) && { privateEndpoints: drawEndpoints(dice, 5) }),
    ...(dice.chance(0.2) && { adoptPrivateEndpoints: true }),
    ...(dice.chance(0.3) && { deletionPolicy: 'RemovePrivateEndpoints' }),
  };
  const isEmpty = wish.name === undefined && wish.privateEndpoints === undefined;
  const mishaps = drawMishaps(dice);
  const isShut = [400, 409, 422].includes(mishaps[0]?.means.status ?? 0);
  return { do: 'edit', wish: isEmpty ? { name: 'Name 0' } : wish, mishaps: isShut ? mishaps.slice(0, 1) : mishaps };
}

export function drawStep(dice: Dice, wish: Wish, server: Pick<ModelServer, 'list' | 'refusing'>): Step {
  const { refusing } = server;
  // While ids are refused, only what can neither be taken for that nor leaves in doubt what came of a call: what is in doubt is
  // tried again when its time has come, and with what else it then stands in one call depends on waits, which are not modelled.
  const mishaps = drawMishaps(dice).filter((one) => refusing.length === 0 || isPlain(one));
  const roll = dice.below(100);
  if (roll < 58) return { do: 'edit', wish: drawEdit(dice, wish), mishaps };
  if (roll < 68) return { do: 'request', mishaps };
  if (roll < 73) return { do: 'recreate', mishaps };
  if (roll < 92) return { do: 'theirs', change: drawTheirs(dice, wish, server.list()) };
  if (refusing.length > 0) return { do: 'refuse', ids: [], status: 400 };
  return { do: 'refuse', ids: dice.some(IDS, 0.3), status: dice.one([400, 409, 422, 404]) };
}

/**
 * None, one or two for the next calls. While it is in doubt what came of a call, the API does not refuse to be asked: whether
 * the change is then sent again, or the question later, is left open.
 */
function drawMishaps(dice: Dice): Mishap[] {
  if (dice.chance(0.55)) return [];
  const [first, second] = Array.from({ length: dice.one([1, 1, 2]) }, () => {
    if (dice.chance(0.5)) return dice.one(MISHAPS);
    const status = dice.one(STATUSES);
    return { text: `${status}`, fault: { status }, means: { applied: false, status } };
  });
  if (first === undefined || second === undefined) return first ? [first] : [];
  const isShut = second.means.status === 400 || second.means.status === 422;
  const isClear = [400, 401, 403, 404, 409, 410, 418, 422, 423, 424, 425, 429].includes(first.means.status ?? 0);
  return isShut && !isClear ? [first] : [first, second];
}

function isPlain({ means: { applied, status = 0 } }: Mishap): boolean {
  return !applied && [401, 403, 429].includes(status);
}

function drawEdit(dice: Dice, wish: Wish): Wish {
  const list = wish.privateEndpoints ?? [];
  const free = IDS.filter((id) => list.every((one) => one.id !== id)) as unknown as [string, ...string[]];
  const victim = list[dice.below(Math.max(1, list.length))];
  const instead = (other: (one: Endpoint) => Endpoint): Wish => ({
    ...wish,
    privateEndpoints: list.map((one) => (one === victim ? other(one) : one)),
  });
  const edits: readonly [() => Wish, ...(() => Wish)[]] = [
    () => ({ ...wish, privateEndpoints: free.length > 0 ? [...list, drawEndpoint(dice, free)] : [] }),
    () => ({ ...wish, privateEndpoints: list.filter((one) => one !== victim) }),
    () => ({ ...wish, privateEndpoints: drawEndpoints(dice, 5) }),
    () => ({ ...wish, privateEndpoints: list.length > 0 ? [] : drawEndpoints(dice, 5) }),
    () => without({ ...wish, name: wish.name ?? 'Name 0' }, 'privateEndpoints'),
    () => instead(elsewhere),
    () => instead((one) => ({ ...one, description: `other words ${dice.below(3)}` })),
    () => ({ ...wish, name: `Name ${dice.below(3)}` }),
    () => (wish.privateEndpoints ? without(wish, 'name') : { ...wish, name: 'Name 1' }),
    () => ({ ...wish, adoptPrivateEndpoints: !wish.adoptPrivateEndpoints }),
    () => ({ ...wish, maxPrivateEndpointRemovals: dice.one([0, 1, 5, 100]) }),
    () => ({ ...wish, suspend: !wish.suspend }),
    () => ({ ...wish, mode: wish.mode === 'Plan' ? 'Apply' : 'Plan' }),
    () => ({ ...wish, deletionPolicy: wish.deletionPolicy === 'Retain' ? 'RemovePrivateEndpoints' : 'Retain' }),
  ];
  // One who waits is mostly let go on, or most of a sequence would pass in silence.
  if (wish.suspend && dice.chance(0.6)) return without(wish, 'suspend');
  if (wish.mode === 'Plan' && dice.chance(0.6)) return without(wish, 'mode');
  return (dice.chance(0.6) ? dice.one([edits[0], edits[1] ?? edits[0], edits[2] ?? edits[0]]) : dice.one(edits))();
}

function drawTheirs(dice: Dice, wish: Wish, listed: readonly Endpoint[]): Partial<Asked> {
  const one = listed[dice.below(Math.max(1, listed.length))];
  const declared = wish.privateEndpoints ?? [];
  const same = declared[dice.below(Math.max(1, declared.length))] ?? drawEndpoint(dice);
  const theirs = (endpoint: Endpoint): Endpoint => ({ ...endpoint, description: 'theirs' });
  const rename = { name: `Renamed ${dice.below(3)}` };
  switch (dice.below(5)) {
    case 0:
      return { add: [theirs(same)] };
    case 1:
      return { add: drawEndpoints(dice, 2).map(theirs) };
    case 2:
      return one ? { remove: [one] } : rename;
    case 3:
      return one ? { remove: [one], add: [elsewhere(one)] } : rename;
    default:
      return rename;
  }
}

/** The same id as another tuple. */
function elsewhere(one: Endpoint): Endpoint {
  return { ...one, region: one.region === REGIONS[0] ? REGIONS[1] : REGIONS[0] };
}

function without(wish: Wish, field: keyof Wish): Wish {
  return Object.fromEntries(Object.entries(wish).filter(([name]) => name !== field));
}
