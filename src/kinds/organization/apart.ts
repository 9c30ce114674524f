import { type Tuple, tupleKey } from './endpoints.ts';
import type { PendingChange } from './resource.ts';

type Operation = 'add' | 'remove';

/** A reply of 4xx to a change. */
export interface Refusal {
  readonly httpStatus: number;
  readonly requestId?: string;
  /** What the API said, with the status: equal texts are refusals alike. */
  readonly message: string;
}

/** Endpoints that are sent in one request, by key. */
export interface Part {
  readonly op: Operation;
  readonly keys: readonly string[];
  /** First of two halves: the other one follows. */
  readonly first?: true;
  /** Second of two halves, the first of which was refused. */
  readonly twin?: { readonly keys: readonly string[]; readonly refusal: Refusal };
}

/** A refused change while it is taken apart, for one generation of the object. */
export interface Apart {
  readonly generation: number;
  /** The name was refused on its own. */
  readonly name?: Refusal;
  /** What is still to be sent, in order; absent: the whole change has not been refused. */
  readonly parts?: readonly Part[];
  /** Single endpoints that were refused, by operation and key. */
  readonly refused: readonly { readonly op: Operation; readonly key: string; readonly refusal: Refusal }[];
  /** Both halves were refused alike: it is no endpoint's fault. */
  readonly stopped?: { readonly op: Operation; readonly refusal: Refusal };
}

/** The state after the API has refused `pending`: first into name, removes and adds, then by halves. */
export function afterRefusal(
  before: Apart | undefined,
  pending: PendingChange,
  refusal: Refusal,
  generation: number,
): Apart {
  const apart = before?.generation === generation ? before : { generation, refused: [] };
  const [refused, ...rest] = apart.parts ?? [];
  if (refused) return divide(apart, { ...refused, keys: pending[refused.op].map(tupleKey) }, rest, refusal);
  const whole = wholeParts(pending);
  const [only, more] = whole;
  if (only && !more && pending.name === undefined) return divide(apart, only, [], refusal);
  return { ...apart, parts: whole };
}

/** The state after the first part was accepted, or turned out to be done. */
export function afterAcceptance(apart: Apart): Apart {
  const [accepted, ...rest] = apart.parts ?? [];
  if (!accepted) return apart;
  return accepted.twin ? split({ ...apart, parts: rest }, accepted.op, accepted.twin) : { ...apart, parts: rest };
}

/** The endpoints of the first part that still have to be sent; parts that are done are dropped on the way. */
export function nextPart(
  apart: Apart,
  wanted: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[] },
): { readonly apart: Apart; readonly part?: { readonly op: Operation; readonly endpoints: readonly Tuple[] } } {
  let left = apart;
  for (let [part] = left.parts ?? []; part; [part] = left.parts ?? []) {
    const { op } = part;
    const keys = new Set(part.keys);
    const endpoints = wanted[op].filter((endpoint) => keys.has(tupleKey(endpoint)));
    if (endpoints.length > 0) return { apart: left, part: { op, endpoints } };
    left = afterAcceptance(left);
  }
  return { apart: left };
}

function wholeParts(pending: PendingChange): Part[] {
  const part = (op: Operation, endpoints: readonly Tuple[]): Part[] =>
    endpoints.length > 0 ? [{ op, keys: endpoints.map(tupleKey) }] : [];
  return [...part('remove', pending.remove), ...part('add', pending.add)];
}

function divide(apart: Apart, refused: Part, rest: readonly Part[], refusal: Refusal): Apart {
  const { op, keys, twin } = refused;
  if (refused.first) {
    const [second, ...others] = rest;
    const named = keys.length === 1 ? name(apart, op, keys, refusal) : apart;
    if (!second) return { ...named, parts: rest };
    return { ...named, parts: [{ ...second, twin: { keys, refusal } }, ...others] };
  }
  if (!twin) return split({ ...apart, parts: rest }, op, { keys, refusal });
  if (twin.refusal.message === refusal.message && twin.keys.length + keys.length > 2) {
    return { ...apart, parts: rest.filter((part) => part.op !== op), stopped: { op, refusal } };
  }
  return split(split({ ...apart, parts: rest }, op, { keys, refusal }), op, twin);
}

/** Puts the halves of a refused part in front; a single endpoint is named instead. */
function split(
  apart: Apart,
  op: Operation,
  { keys, refusal }: { readonly keys: readonly string[]; readonly refusal: Refusal },
): Apart {
  if (keys.length === 1) return name(apart, op, keys, refusal);
  const half = Math.floor(keys.length / 2);
  const halves: Part[] = [
    { op, keys: keys.slice(0, half), first: true },
    { op, keys: keys.slice(half) },
  ];
  return { ...apart, parts: [...halves, ...(apart.parts ?? [])] };
}

function name(apart: Apart, op: Operation, keys: readonly string[], refusal: Refusal): Apart {
  const known = new Set(apart.refused.map((entry) => `${entry.op} ${entry.key}`));
  const news = keys.filter((key) => !known.has(`${op} ${key}`)).map((key) => ({ op, key, refusal }));
  return { ...apart, refused: [...apart.refused, ...news] };
}
