import { cutText } from '../../runtime/conditions.ts';
import type { Notice } from '../../runtime/kind.ts';
import { quoting } from '../common-status.ts';
import { type Reported, standsFor, type Tuple } from './endpoints.ts';
import type { Goal } from './goal.ts';
import type { Settlement } from './ledger.ts';
import { LIMITS } from './limits.ts';
import type { OrganizationReply } from './reply.ts';
import type { Organization, OrganizationStatus } from './resource.ts';
import { fieldOf, placeOf } from './wording.ts';
import { isElsewhere } from './work.ts';

export interface FieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** What this reply shows that we changed: the name, endpoints that came and endpoints that went. */
export function confirmedChanges(
  before: OrganizationStatus | undefined,
  reply: OrganizationReply,
  sent: { readonly name: string | undefined; readonly settlement: Settlement },
): FieldChange[] {
  const { added, removed } = sent.settlement;
  const from = before?.organization?.name;
  const isNamed = sent.name !== undefined && reply.name === sent.name && reply.shown.name !== from;
  return [
    ...(isNamed ? [change('name', from, sent.name, LIMITS.historyValue)] : []),
    ...added.map((tuple) => change(fieldOf(tuple), undefined, placeOf(tuple), LIMITS.historyValue)),
    ...removed.map((tuple) => change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.historyValue)),
  ];
}

/** What changed between two replies without us: an undeclared name, endpoints of ours that are gone. */
export function driftBetween(
  object: Organization,
  reply: OrganizationReply,
  { goal, hash, settlement }: { readonly goal: Goal; readonly hash: string; readonly settlement: Settlement },
): FieldChange[] {
  if (isElsewhere(object, hash) || goal.only) return [];
  const { applied, organization, lastRequest, differences } = object.status ?? {};
  const wasDeclared = applied?.keys.includes('name') || differences?.some(({ field }) => field === 'name');
  const from = organization?.name;
  const to = reply.shown.name;
  const renamed =
    goal.name === undefined &&
    !wasDeclared &&
    lastRequest?.outcome === 'Succeeded' &&
    from !== undefined &&
    to !== undefined;
  return [
    ...(renamed && from !== to ? [change('name', from, to, LIMITS.value)] : []),
    ...settlement.vanished.map((tuple) => change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.value)),
  ];
}

type Differences = NonNullable<OrganizationStatus['differences']>;

/** Declared values that the reply has otherwise, and those it does not have. A description is compared where one is declared. */
export function comparison(
  goal: Goal,
  reply: OrganizationReply,
): { readonly differences: Differences; readonly notReported: string[] } {
  const differences: Differences[number][] = [];
  const notReported: string[] = [];
  if (goal.name !== undefined) {
    if (reply.name === undefined) notReported.push('name');
    else if (reply.name !== goal.name) differences.push(difference('name', goal.name, reply.name));
  }
  if (goal.only) return { differences, notReported };
  if (goal.endpoints && !reply.list) notReported.push('privateEndpoints');
  for (const endpoint of goal.endpoints ?? []) {
    const reported = reply.list?.find((entry) => standsFor(entry, endpoint));
    const declared = endpoint.description;
    if (!reported || declared === undefined || declared === (reported.description ?? '')) continue;
    differences.push(difference(fieldOf(endpoint, '.description'), declared, reported.description ?? ''));
  }
  return { differences: differences.slice(0, LIMITS.differences), notReported };
}

/** Endpoints whose description is declared otherwise than reported. */
export function otherwiseDescribed(goal: Goal, list: readonly Reported[] | undefined): Tuple[] {
  return (goal.endpoints ?? []).filter((endpoint) => {
    const reported = list?.find((entry) => standsFor(entry, endpoint));
    return reported && endpoint.description !== undefined && endpoint.description !== (reported.description ?? '');
  });
}

/** What an intent would change, for `status.plan`. */
export function intendedChanges(
  before: OrganizationStatus | undefined,
  goal: Goal,
  intent: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[] },
): FieldChange[] {
  const from = before?.organization?.name;
  const isNews = goal.name !== undefined && goal.name !== from;
  return [
    ...(isNews ? [change('name', from, goal.name, LIMITS.value)] : []),
    ...intent.add.map((tuple) => change(fieldOf(tuple), undefined, placeOf(tuple), LIMITS.value)),
    ...intent.remove.map((tuple) => change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.value)),
  ];
}

export function driftNotices(drift: readonly FieldChange[]): Notice[] {
  if (drift.length === 0) return [];
  const note = `Changed at the API since the last reply, not by the operator: ${describe(drift)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}

export function changeNotice(changes: readonly FieldChange[], requestId: string | undefined, after = ''): Notice {
  const what = changes.length === 0 ? 'Applied the declared state' : `Applied ${describe(changes)}`;
  return { type: 'Normal', reason: 'Applied', note: `${what}${after}${quoting(requestId)}` };
}

/** `name A → B, added psc-1, removed psc-2`. */
function describe(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, from, to }) => {
      if (to === undefined) return `removed ${field}`;
      return field === 'name' ? `name ${from === undefined ? '' : `${from} `}→ ${to}` : `added ${field}`;
    })
    .join(', ');
}

function change(field: string, from: string | undefined, to: string | undefined, most: number): FieldChange {
  return {
    field,
    ...(from !== undefined && { from: cutText(from, most) }),
    ...(to !== undefined && { to: cutText(to, most) }),
  };
}

function difference(field: string, declared: string, reported: string) {
  return { field, declared: cutText(declared, LIMITS.value), reported: cutText(reported, LIMITS.value) };
}
