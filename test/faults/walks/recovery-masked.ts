import type { Org } from '../../support/organizations.ts';
import type { Pset } from '../../support/scene-objects.ts';

/** What the last reply said, which stays until the next. */
const REPLIED = [
  'settings',
  'otherSettings',
  'differences',
  'notReported',
  'organization',
  'privateEndpoints',
];

/** Whether the reply to the last spec is part of that end. */
function isAnswered(reason: string): boolean {
  return ['Applied', 'NotConfirmed', 'Rejected'].includes(reason);
}

/**
 * An object as far as it depends on its spec, and not on how it came there. Left out, by the
 * contract: `history`, `drift` and `applied` (what happened before and what was last confirmed),
 * `attempts` and times, request ids, and hashes, which name the path; where the last spec was not
 * answered also what the last reply said; of `Suspended` whether that is Ready, which says whether
 * the same was confirmed before; of `Planned` what differs from the last reply, and whether that is
 * Ready; of `Unauthorized` whether this object or another one met it.
 */
export function masked({ metadata, status }: Pset, name: string): unknown {
  const reason = status.conditions[0]?.reason ?? '';
  const answered = isAnswered(reason);
  const { generation } = metadata;
  const { finalizers } = metadata as Org['metadata'];
  const conditions = status.conditions.map((one) => ({
    type: one.type,
    reason: one.reason,
    isCurrent: one.observedGeneration === generation,
    ...(!['Suspended', 'Planned'].includes(reason) && { status: one.status }),
    ...(!['Suspended', 'Unauthorized'].includes(reason) && {
      message: one.message.replace(/^.*(; not sent: [^;]*);.*$/, '$1'),
    }),
  }));
  const replied = Object.fromEntries(REPLIED.map((field) => [field, status[field]]));
  const keys = reason === 'Applied' ? status.applied?.['keys'] : undefined;
  const plan = status['plan'] as { readonly requests: unknown } | undefined;
  const seen = {
    conditions,
    isCurrent: status.observedGeneration === generation,
    isScheduled: reason !== 'Unauthorized' && status.nextAttemptTime !== undefined,
    pendingChange: answered ? status['pendingChange'] : undefined,
    plan: plan?.requests,
    activity: status['activity'],
    keys,
    ...(answered && { lastRequest: status.lastRequest, finalizers, ...withSorted(replied) }),
  };
  const text = JSON.stringify(seen)
    .replaceAll(name, 'NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'ID');
  return JSON.parse(text) as unknown;
}

/** Lists of endpoints have no order. */
function withSorted(replied: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const organization = replied['organization'] as Org['status']['organization'];
  const ledger = (replied['privateEndpoints'] ?? []) as readonly { readonly id: string }[];
  return {
    ...replied,
    ...(organization && {
      organization: {
        ...organization,
        privateEndpoints: sorted(organization.privateEndpoints ?? []),
      },
    }),
    privateEndpoints: sorted(ledger),
  };
}

function sorted<T extends { readonly id?: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
}
