import type { ModelServer } from './organization-reference-server.ts';
import { type Asked, type Endpoint, keyOf, type Trouble, unique, type Wish } from './organization-reference-terms.ts';

/** Where an object has come to rest. */
export interface Rest {
  readonly ledger: Readonly<Record<string, string>>;
  /** Any of them will do: the contract gives no order to reasons that hold at once. */
  readonly reasons: readonly string[];
}

/** The contract of Organization without time: each method plays on until nothing is left to wait for. */
export interface Reference {
  readonly wish: Wish | undefined;
  edit(wish: Wish, troubles?: readonly Trouble[]): void;
  request(troubles?: readonly Trouble[]): void;
  remove(troubles?: readonly Trouble[]): void;
  rest(): Rest;
}

interface Sent extends Asked {
  /** The answer was a 4xx; not 408, which is an unknown outcome. */
  readonly refused?: boolean;
  /** It left before any list was known. */
  readonly blind?: boolean;
}

interface Reply {
  readonly status?: number;
  readonly list?: readonly Endpoint[] | undefined;
}

const TAKEN_APART = [400, 404, 409, 410, 422];
const NOTHING: Asked = { add: [], remove: [] };

export function createReference(server: ModelServer): Reference {
  let wish: Wish | undefined;
  /** The list of the last reply that had one. */
  let known: readonly Endpoint[] | undefined;
  let origins = new Map<string, 'Added' | 'Adopted' | 'Found'>();
  let refused = new Set<string>();
  let reasons: string[] = [];
  /** A change carries the declared name: the generation is not applied yet, and nothing had to be taken apart for it. */
  let carriesName = true;
  let ahead: Trouble[] = [];

  const has = (list: readonly Endpoint[], one: Endpoint): boolean => list.some((other) => keyOf(other) === keyOf(one));
  const declared = (): readonly Endpoint[] => wish?.privateEndpoints ?? [];
  const isOurs = (one: Endpoint): boolean => ['Added', 'Adopted'].includes(origins.get(keyOf(one)) ?? '');

  function call(asked: Asked): Reply {
    const trouble = ahead.shift();
    const before = server.list();
    const status = trouble?.applied === false ? server.arrive(asked) : server.patch(asked);
    if (trouble && trouble.list === undefined) return trouble.status === undefined ? {} : { status: trouble.status };
    if (status !== 200 || trouble?.list === 'absent') return { status };
    return { status, list: trouble?.list === 'stale' ? before : server.list() };
  }

  /** The returned list decides: what was sent, what vanished, what was found, what is adopted. */
  function learn(list: readonly Endpoint[], sent: Sent = NOTHING): void {
    for (const one of sent.add) {
      const unproven = sent.blind || (sent.refused && sent.add.length === 1);
      if (has(list, one) && !isOurs(one)) origins.set(keyOf(one), unproven ? 'Found' : 'Added');
    }
    for (const one of declared()) if (has(list, one) && !origins.has(keyOf(one))) origins.set(keyOf(one), 'Found');
    const listed = new Set(list.map(keyOf));
    const wanted = new Set(declared().map(keyOf));
    for (const [key, origin] of origins) {
      if (origin === 'Found' && wish?.adoptPrivateEndpoints && wanted.has(key)) origins.set(key, 'Adopted');
      if (origin === 'Adopted' && !wish?.adoptPrivateEndpoints) origins.set(key, 'Found');
      const isFound = origins.get(key) === 'Found';
      if (!listed.has(key) || (isFound && !wanted.has(key))) origins.delete(key);
    }
    refused = new Set([...refused].filter((key) => wanted.has(key) && !listed.has(key)));
    known = list;
  }

  /** What differs between the wish and a list, and what stands in the way of it. */
  function difference(list: readonly Endpoint[]): Asked & { readonly conflict: boolean; readonly blocked: boolean } {
    const others = (one: Endpoint) => list.filter((other) => other.id === one.id && keyOf(other) !== keyOf(one));
    const missing = declared().filter((one) => !has(list, one));
    const leaving = wish?.privateEndpoints ? unique(list.filter((one) => isOurs(one) && !has(declared(), one))) : [];
    const clash = (one: Endpoint): boolean => others(one).some((other) => !isOurs(other));
    const add = missing.filter((one) => others(one).length === 0 && !refused.has(keyOf(one)));
    const remove = leaving.filter((one) => !clash(one));
    const blocked = remove.length > (wish?.maxPrivateEndpointRemovals ?? 5);
    return { add, remove, conflict: [...missing, ...leaving].some(clash), blocked };
  }

  /**
   * Asks for the list until there is one; gives whether the name, where there is one, went with it. Where nothing is under
   * way, the list of an earlier reply counts for one that has none and for a refusal to be asked for nothing.
   */
  function read(sent?: Sent): boolean {
    for (;;) {
      const name = wish?.name;
      let reply = call(name === undefined ? NOTHING : { name, ...NOTHING });
      const isNameRefused =
        name !== undefined && wish?.privateEndpoints !== undefined && [400, 409, 422].includes(reply.status ?? 0);
      if (isNameRefused) reply = call(NOTHING);
      const isNeutral = name === undefined || isNameRefused;
      const isShut = isNeutral && (reply.status === 400 || reply.status === 422);
      if (isShut && known === undefined) reply = blind();
      if (!sent && (isShut || reply.status === 200)) reply = { list: known, ...reply };
      if (reply.list) learn(reply.list, sent);
      if (reply.list || (reply.status === 200 && !wish?.privateEndpoints)) return !isNameRefused;
    }
  }

  function blind(): Reply {
    for (const one of declared()) {
      const { list } = call({ add: [one], remove: [] });
      if (list) learn(list, { add: [one], remove: [], blind: true });
      if (list) return { list };
    }
    return {};
  }

  /** Sends, and reads until it is certain what came of it. */
  function send(asked: Asked): Reply {
    const reply = call(asked);
    const answered = reply.status ?? 0;
    const sent = { ...asked, refused: answered >= 400 && answered < 500 && answered !== 408 };
    if (reply.list) learn(reply.list, sent);
    const isDone = reply.list && asked.add.every((one) => has(reply.list ?? [], one));
    if (!isDone || asked.remove.some((one) => has(reply.list ?? [], one))) read(sent);
    return reply;
  }

  /** Removes and adds each on their own, then halves, until the refused ones are alone. */
  function apart(groups: readonly Asked[]): void {
    for (const group of groups) {
      const { add, remove } = difference(known ?? []);
      const rest = {
        add: group.add.filter((one) => has(add, one)),
        remove: group.remove.filter((one) => has(remove, one)),
      };
      if (rest.add.length + rest.remove.length > 0) change(rest);
    }
  }

  /** What is alone and refused is named; it is not sent again. */
  function takeApart(asked: Asked): void {
    const { name, add, remove } = asked;
    carriesName = false;
    if (name !== undefined || (add.length > 0 && remove.length > 0)) {
      apart([
        { add: [], remove },
        { add, remove: [] },
      ]);
    } else if (add.length + remove.length > 1) apart(halves(asked));
    else for (const one of add) if (!has(known ?? [], one)) refused.add(keyOf(one));
  }

  function change(asked: Asked): void {
    if (TAKEN_APART.includes(send(asked).status ?? 0)) takeApart(asked);
  }

  function pursue({ readFirst }: { readonly readFirst: boolean }): void {
    if (wish?.suspend || wish?.mode === 'Plan') {
      reasons = [wish.suspend ? 'Suspended' : 'Planned'];
      return;
    }
    refused = new Set();
    let isAsked = false;
    if (known && !readFirst) learn(known);
    else isAsked = read();
    for (;;) {
      const { add, remove, conflict, blocked } = difference(known ?? []);
      reasons = [...(conflict ? ['EndpointConflict'] : []), ...(blocked ? ['RemovalBlocked'] : [])];
      if (blocked) return;
      if (add.length + remove.length > 0) {
        change({ ...(carriesName && wish?.name !== undefined && { name: wish.name }), add, remove });
        isAsked = true;
        continue;
      }
      const passing = [...refused].filter((key) => !server.refuses(key));
      if (passing.length === 0 && isAsked) break;
      refused = new Set([...refused].filter((key) => !passing.includes(key)));
      isAsked = read();
    }
    if (refused.size > 0) reasons.push('Rejected', 'Conflict');
    carriesName = reasons.length > 0;
    if (reasons.length === 0) reasons = ['Applied'];
  }

  /** Takes back what was added, but no id that others have too; at the second 404 or 410 there is nothing to take back. */
  function cleanUp(): void {
    wish = { privateEndpoints: [] };
    const added = (): Endpoint[] => difference(known ?? []).remove.filter((one) => origins.get(keyOf(one)) === 'Added');
    let isRead = true;
    for (let missing = 0; missing < 2 && added().length > 0; ) {
      const { status = 0, list } = call(isRead ? { add: [], remove: added() } : NOTHING);
      if (status === 404 || status === 410) missing += 1;
      if (list) learn(list);
      isRead = !isRead && list !== undefined;
    }
  }

  return {
    get wish() {
      return wish;
    },
    edit(next, troubles = []) {
      if (JSON.stringify(next) === JSON.stringify(wish)) return;
      ahead = [...troubles];
      wish = next;
      carriesName = true;
      pursue({ readFirst: false });
    },
    request(troubles = []) {
      ahead = [...troubles];
      pursue({ readFirst: true });
    },
    remove(troubles = []) {
      ahead = [...troubles];
      if (wish?.deletionPolicy === 'RemovePrivateEndpoints') cleanUp();
      wish = undefined;
      known = undefined;
      origins = new Map();
      refused = new Set();
    },
    rest() {
      const entries = [
        ...[...origins].map(([key, origin]) => [key, `${origin} Present`]),
        ...[...refused].map((key) => [key, 'Found Refused']),
      ];
      return { ledger: Object.fromEntries(entries) as Record<string, string>, reasons };
    },
  };
}

/** The first half goes first; of an odd number it is the smaller one, which the contract leaves open. */
function halves({ add, remove }: Asked): Asked[] {
  const cut = (list: readonly Endpoint[]): (readonly Endpoint[])[] => {
    const middle = Math.floor(list.length / 2);
    return [list.slice(0, middle), list.slice(middle)].filter((part) => part.length > 0);
  };
  return [
    ...cut(remove).map((part) => ({ add: [], remove: part })),
    ...cut(add).map((part) => ({ add: part, remove: [] })),
  ];
}
