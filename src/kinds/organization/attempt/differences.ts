import { cutText } from '../../../controller/conditions.ts';
import { Listing, plain, type Reported, sameKey, type Tuple } from '../endpoints/endpoints.ts';
import type { OrganizationReply } from '../endpoints/reply.ts';
import { fieldOf } from '../endpoints/wording.ts';
import { type Goal, isOurs } from '../goal.ts';
import type { Settlement } from '../ledger/ledger.ts';
import { LIMITS } from '../limits.ts';
import type { DeclaredEndpoint, LedgerEntry, OrganizationStatus } from '../resource.ts';
import type { Work } from './session.ts';

type Differences = NonNullable<OrganizationStatus['differences']>;

/**
 * Declared values that the reply has otherwise, and those it does not have. A description is
 * compared where one is declared.
 */
export function comparison(
  { goal, session: { draft } }: Work,
  reply: OrganizationReply,
  settlement: Settlement,
): { readonly differences: Differences; readonly notReported: string[] } {
  const altered = alteredDifferences(draft.differences, settlement, goal.endpoints);
  const differences: Differences[number][] = [...altered];
  const notReported: string[] = [];
  if (goal.isCleanup) return { differences: [], notReported };
  if (goal.name !== undefined) {
    if (reply.name === undefined) notReported.push('name');
    else if (reply.name !== goal.name) differences.push(difference('name', goal.name, reply.name));
  }
  if (goal.endpoints && !reply.list) notReported.push('privateEndpoints');
  const known = { differences: altered, privateEndpoints: settlement.ledger };
  for (const { endpoint, reported } of otherwiseDescribed(goal, reply.list, known)) {
    differences.push(
      difference(fieldOf(endpoint, '.description'), endpoint.description ?? '', reported),
    );
  }
  return { differences: differences.slice(0, LIMITS.differences), notReported };
}

/** Endpoints whose description is declared otherwise than reported. */
export function otherwiseDescribed(
  { endpoints = [] }: Pick<Goal, 'endpoints'>,
  list: readonly Reported[] | undefined,
  known: Pick<OrganizationStatus, 'differences' | 'privateEndpoints'>,
): { readonly endpoint: DeclaredEndpoint; readonly reported: string }[] {
  if (!list) return [];
  const listing = new Listing(list);
  return endpoints.flatMap((endpoint) => {
    if (endpoint.description === undefined) return [];
    const other = keptAs(endpoint, known);
    const found = listing.find(endpoint) ?? (other && listing.exact(other));
    const reported = found?.description ?? '';
    return found && endpoint.description !== reported ? [{ endpoint, reported }] : [];
  });
}

/**
 * Endpoints of ours whose provider or region the API keeps otherwise than they were sent. Each
 * stays on record for as long as the endpoint is ours, declared or not: by it the endpoint is
 * recognised when it is declared again. The status has room for few, so one of each sort of change
 * comes first.
 */
function alteredDifferences(
  before: OrganizationStatus['differences'],
  { altered, ledger }: Settlement,
  endpoints: readonly Tuple[] = [],
): Differences {
  const byId = new Map(ledger.filter(isOurs).map((entry) => [plain(entry.id), entry]));
  const known = endpoints.flatMap((sent) => {
    const entry = byId.get(plain(sent.id));
    return entry && isAltered(before, sent, entry) ? [{ sent, entry }] : [];
  });
  const found = [...known, ...altered].flatMap(({ sent, entry }) =>
    PARTS.flatMap((part) =>
      sent[part] === entry[part]
        ? []
        : [difference(fieldOf(entry, `.${part}`), sent[part], entry[part])],
    ),
  );
  const isFound = (told: Differences[number]): boolean =>
    found.some(({ field }) => field === told.field);
  const all = [...found, ...toldOf([...byId.values()], before).filter((told) => !isFound(told))];
  const first = new Map(all.toReversed().map((one) => [aliasOf(one), one]));
  return [...first.values(), ...all.filter((one) => first.get(aliasOf(one)) !== one)];
}

/** The differences that speak of these entries, as they still are. */
function toldOf(entries: readonly LedgerEntry[], differences: Differences = []): Differences {
  const kept = new Map(
    entries.flatMap((entry) => PARTS.map((part) => [fieldOf(entry, `.${part}`), cut(entry[part])])),
  );
  return differences.filter(({ field, reported }) => kept.get(field) === reported);
}

/**
 * What a difference says about the API: it keeps this value of this field as that one, whatever the
 * endpoint, upper or lower case.
 */
function aliasOf({ field, declared, reported }: Differences[number]): string {
  return JSON.stringify([
    field.slice(field.lastIndexOf('.') + 1),
    plain(String(declared)),
    plain(String(reported)),
  ]);
}

/** Whether the API is known to keep such a declared endpoint as that entry of the ledger. */
export function isAltered(
  differences: OrganizationStatus['differences'],
  declared: Tuple,
  entry: LedgerEntry,
): boolean {
  if (!differences || plain(declared.id) !== plain(entry.id)) return false;
  const isSame = (part: (typeof PARTS)[number]): boolean =>
    plain(declared[part]) === plain(entry[part]);
  const aliases = new Set(differences.map(aliasOf));
  const isTold = (part: (typeof PARTS)[number]): boolean =>
    aliases.has(aliasOf(difference(`.${part}`, declared[part], entry[part])));
  return PARTS.every((part) => isSame(part) || isTold(part)) && !PARTS.every(isSame);
}

/** The entry of ours that the API keeps for this declared endpoint with other fields. */
export function keptAs(
  declared: Tuple,
  {
    differences,
    privateEndpoints = [],
  }: Pick<OrganizationStatus, 'differences' | 'privateEndpoints'>,
): LedgerEntry | undefined {
  return privateEndpoints.find((entry) => isOurs(entry) && isAltered(differences, declared, entry));
}

/**
 * The goal, by which what the API keeps as ours with other fields than are declared may stay too.
 */
export function wantingAltered(
  goal: Goal,
  {
    differences,
    privateEndpoints = [],
  }: Pick<OrganizationStatus, 'differences' | 'privateEndpoints'>,
): Goal {
  if (goal.isCleanup || !differences) return goal;
  const isKept = (entry: LedgerEntry): boolean =>
    goal.endpoints?.some((declared) => isAltered(differences, declared, entry)) ?? false;
  return {
    ...goal,
    wanted: new Set([...goal.wanted, ...privateEndpoints.filter(isKept).map(sameKey)]),
  };
}

const PARTS = ['cloudProvider', 'region'] as const;

function difference(field: string, declared: string, reported: string) {
  return { field, declared: cut(declared), reported: cut(reported) };
}

export function cut(text: string): string {
  return cutText(text, LIMITS.value);
}
