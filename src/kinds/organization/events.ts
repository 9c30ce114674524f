import type { Event } from '../../controller/kind.ts';
import { quoting } from '../shared/common-status.ts';
import { described, type FieldChange } from './changes.ts';
import type { Tuple } from './endpoints/endpoints.ts';
import { names, withPlace } from './endpoints/wording.ts';
import type { Change } from './decide.ts';
import type { Remark, Settlement } from './settle.ts';

/** Longest note of an event, in code points, with room for what stands around the names. */
const LONGEST_NAMES = 700;

interface Words {
  readonly type: Event['type'];
  readonly reason: string;
  readonly before: string;
  readonly after: string;
}

const ADOPT = 'To own it, set spec.adoptPrivateEndpoints to true';
const NEVER_REMOVES = `This object does not remove it. ${ADOPT}`;

const WORDS: Readonly<Record<Remark, Words>> = {
  'maybe-ours': {
    type: 'Warning',
    reason: 'OwnershipUnknown',
    before: 'Found long after this object asked for it; that request or somebody else added it:',
    after: NEVER_REMOVES,
  },
  'refused-but-there': {
    type: 'Warning',
    reason: 'OwnershipUnknown',
    before:
      'The API refused to add the private endpoint, but it exists; that request or somebody else added it:',
    after: NEVER_REMOVES,
  },
  'not-confirmed': {
    type: 'Warning',
    reason: 'AddNotConfirmed',
    before: 'Sent, but not in the list of the API until the request could no longer take effect:',
    after: 'While spec lists it, it is sent again later',
  },
  'came-back': {
    type: 'Warning',
    reason: 'OwnershipUnknown',
    before:
      'Was missing from the list of the API for more than 15 minutes and is listed again; somebody else may have added it:',
    after: `This object no longer removes it. ${ADOPT}`,
  },
  vanished: {
    type: 'Warning',
    reason: 'DriftDetected',
    before: 'Removed at the API, not by the operator:',
    after: 'If spec still lists it, it is added again',
  },
  left: {
    type: 'Normal',
    reason: 'EndpointLeft',
    before: 'Existed before this object listed it, and spec no longer lists it:',
    after: 'It stays at the API and is no longer tracked',
  },
};

export function remarkEvents(remarks: Settlement['remarks']): Event[] {
  return Object.entries(WORDS).flatMap(([remark, words]) =>
    namingAll(
      remarks.flatMap((one) => (one.remark === remark ? [one.tuple] : [])),
      words,
    ),
  );
}

/** Notes that name every one of them in full, as many notes as that takes. */
function namingAll(tuples: readonly Tuple[], { type, reason, before, after }: Words): Event[] {
  const notes: string[] = [];
  for (const tuple of tuples) {
    const name = withPlace(tuple);
    const last = notes.at(-1);
    if (last !== undefined && last.length + name.length < LONGEST_NAMES)
      notes[notes.length - 1] = `${last}, ${name}`;
    else notes.push(name);
  }
  return notes.map((note) => ({ type, reason, note: `${before} ${note}. ${after}`, always: true }));
}

/** The list has been left out so long that what was in it counts as gone. */
export function leftOutEvent(present: readonly Tuple[]): Event[] {
  return namingAll(present, {
    type: 'Warning',
    reason: 'DriftDetected',
    before:
      'Every response of the last 10 minutes left the list of private endpoints out, so it counts as empty. It had:',
    after: 'What stays missing is added again while spec lists it',
  });
}

/** Nothing of this change is taken for done, but a part of it may have been. */
export function refusedEvent({ add, remove }: Change, said: string): Event {
  const what = [
    ...(add.length > 0 ? [`add ${names(add)}`] : []),
    ...(remove.length > 0 ? [`remove ${names(remove)}`] : []),
  ].join(' and to ');
  const next = add.length + remove.length > 1 ? ' It goes on one private endpoint at a time' : '';
  return {
    type: 'Warning',
    reason: 'ChangeRefused',
    note: `The API refused to ${what}, of which a part may have been done: ${said}.${next}`,
  };
}

/** What another API holds can be neither seen nor removed here. */
export function relocatedEvents(ours: readonly Tuple[]): Event[] {
  return namingAll(ours, {
    type: 'Warning',
    reason: 'OwnershipLost',
    before:
      '--api-url has changed since these private endpoints were sent, so they are no longer tracked as this object’s:',
    after:
      'They stay at the API. To own those that spec lists again, set spec.adoptPrivateEndpoints to true',
  });
}

/** Spec no longer lists private endpoints at all. */
export function unmanagedEvent(ours: readonly Tuple[]): Event[] {
  return namingAll(ours, {
    type: 'Normal',
    reason: 'NoLongerManaged',
    before: 'spec.privateEndpoints is gone, so private endpoints are no longer managed. They stay:',
    after: 'An empty list would remove those that this object owns',
  });
}

/** `spec.name` is gone. */
export function unnamedEvent(reported: string | undefined): Event {
  const has = reported === undefined ? '' : `; the API has ${JSON.stringify(reported)}`;
  const note = `spec.name is gone, so the name is no longer managed${has}`;
  return { type: 'Normal', reason: 'NoLongerManaged', note };
}

const ABANDONED = {
  'not-owner': 'Deleted without a request, because another object owns the organization.',
  deadline: 'Deleted, because --cleanup-deadline has passed.',
} as const;

export type AbandonedBecause = keyof typeof ABANDONED;

/** What is left at the API when a deleted object is let go. */
export function leftEvents(left: {
  readonly organizationId: string;
  readonly abandoned: readonly Tuple[];
  readonly keptForOthers: readonly Tuple[];
  readonly because: AbandonedBecause;
}): Event[] {
  const { organizationId, abandoned, keptForOthers, because } = left;
  return [
    ...namingAll(keptForOthers, {
      type: 'Normal',
      reason: 'EndpointLeft',
      before: 'Another object lists these private endpoints:',
      after: 'They stay at the API',
    }),
    ...namingAll(abandoned, {
      type: 'Warning',
      reason: 'CleanupAbandoned',
      before: `${ABANDONED[because]} Private endpoints of organization ${organizationId} that may be left at the API:`,
      after: 'If they are not wanted, remove them at the API',
    }),
  ];
}

export function changeEvent(
  changes: readonly FieldChange[],
  requestId: string | undefined,
  after = '',
): Event {
  const what = changes.length === 0 ? 'Applied the declared state' : `Applied ${described(changes)}`;
  return { type: 'Normal', reason: 'Applied', note: `${what}${after}${quoting(requestId)}` };
}

export function renamedEvent(renamed: readonly FieldChange[]): Event[] {
  if (renamed.length === 0) return [];
  const note = `Changed at the API since the last response, not by the operator: ${described(renamed)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
