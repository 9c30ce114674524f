import {
  cleanupGoal,
  type Decision,
  decide,
  type Goal,
  type Question,
} from '../../src/kinds/organization/decide.ts';
import type { Reported, Tuple } from '../../src/kinds/organization/endpoints.ts';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { T0 } from './objects.ts';
import { e, entry, goal, listing, specOf } from './organization-entries.ts';

/** What is decided on; the time is T0. */
export interface Given {
  readonly goal?: Goal;
  readonly inventory?: readonly InventoryEntry[];
  /** Absent: as the inventory has it Present. `null`: unknown. */
  readonly list?: readonly (string | Reported)[] | null;
  readonly name?: string;
  readonly now?: number;
}
/** A sentence, what is given, and what `said` makes of it. */
export type Row = readonly [sentence: string, given: Given, says: string];

export function decided(given: Given): Decision {
  const { inventory = [], now = T0 } = given;
  const there = inventory.filter(({ state }) => state === 'Present' || state === 'Removing');
  const list = given.list === null ? undefined : listing(...(given.list ?? there));
  const question: Question = {
    goal: given.goal ?? goal(['a']),
    inventory,
    list,
    name: given.name,
    now,
  };
  return decide(question);
}

export const ids = (tuples: readonly Tuple[]) => tuples.map(({ id }) => id).join(' ');
export const many = (count: number, more: Partial<InventoryEntry> = {}) =>
  Array.from({ length: count }, (_, index) => entry(`x${index}`, more));

/** `name Acme; +a; -b; conflict c`, in short. */
export function said({ name, add, remove, conflicts, blocked }: Decision): string {
  const parts = [
    ...(name === undefined ? [] : [`name ${name}`]),
    ...add.map(({ id, region }) => `+${id}${region === 'r1' ? '' : `/${region}`}`),
    ...remove.map(({ id }) => `-${id}`),
    ...conflicts.map(({ id }) => `conflict ${id}`),
    ...(blocked ? [`blocked ${blocked.length}`] : []),
  ];
  return parts.join('; ') || 'nothing';
}

/** The goal of a deletion, beside others that list these. */
export function cleanup(
  listed: readonly string[] | undefined,
  name?: string,
  others: readonly string[] = [],
): Goal {
  return cleanupGoal(
    specOf(listed, name === undefined ? {} : { name }),
    others.map((id) => e(id)),
  );
}
