import type { Event } from '../../controller/kind.ts';
import { quoting } from '../shared/common-status.ts';
import type { FieldChange } from '../shared/preview.ts';
import type { Change } from './decide.ts';
import type { Tuple } from './endpoints/endpoints.ts';
import { names, withPlace } from './endpoints/wording.ts';
import type { Remark, Settlement } from './settle.ts';

/** Longest note of an event, in code points, with room for what stands around the names. */
const LONGEST_NAMES = 700;

/** Reason, the words before the names, and those after them. */
type Words = readonly [reason: string, before: string, after: string];

const ADOPT = 'To own it, set spec.adoptPrivateEndpoints to true';
const NEVER_REMOVES = `This object does not remove it. ${ADOPT}`;
const STAY = 'They stay at the API';

const WORDS: Readonly<Record<Remark, Words>> = {
  'maybe-ours': [
    'OwnershipUnknown',
    'Found long after this object asked for it; that request or somebody else added it:',
    NEVER_REMOVES,
  ],
  'refused-but-there': [
    'OwnershipUnknown',
    'The API refused to add it, and it exists; that request or somebody else added it:',
    NEVER_REMOVES,
  ],
  'not-confirmed': [
    'AddNotConfirmed',
    'Sent, but not in the list of the API until the request could no longer take effect:',
    'While spec lists it, it is sent again later',
  ],
  'came-back': [
    'OwnershipUnknown',
    'Missing from the list of the API for more than 15 minutes, and listed again; somebody else may have added it:',
    `This object no longer removes it. ${ADOPT}`,
  ],
  untracked: [
    'OwnershipUnknown',
    'Not in status.privateEndpoints, although this list was applied before; this object or somebody else added it:',
    NEVER_REMOVES,
  ],
  vanished: [
    'DriftDetected',
    'Removed at the API, not by the operator:',
    'If spec still lists it, it is added again',
  ],
  left: [
    'EndpointLeft',
    'Existed before this object listed it, and spec no longer lists it:',
    'It stays at the API and is no longer tracked',
  ],
};

export function remarkEvents(remarks: Settlement['remarks']): readonly Event[] {
  return Object.entries(WORDS).flatMap(([remark, words]) => {
    const meant = remarks.filter((one) => one.remark === remark).map(({ tuple }) => tuple);
    return namingAll(meant, words);
  });
}

/** Notes that name every one of them in full, as many notes as that takes. */
function namingAll(tuples: readonly Tuple[], [reason, before, after]: Words): readonly Event[] {
  const notes: string[] = [];
  for (const tuple of tuples) {
    const name = withPlace(tuple);
    const last = notes.at(-1);
    if (last !== undefined && last.length + name.length < LONGEST_NAMES)
      notes[notes.length - 1] = `${last}, ${name}`;
    else notes.push(name);
  }
  // That what was never ours stays is as it should be.
  const type = reason === 'EndpointLeft' ? 'Normal' : 'Warning';
  return notes.map((note) => ({ type, reason, note: `${before} ${note}. ${after}`, always: true }));
}

/** The list has been left out so long that what was in it counts as gone. */
export function leftOutEvents(present: readonly Tuple[]): readonly Event[] {
  const before =
    'Every response of the last 10 minutes left the list of private endpoints out, so it counts as empty. It had:';
  return namingAll(present, ['DriftDetected', before, 'What is listed is added again']);
}

/** Nothing of this change is taken for done, but a part of it may have been. */
export function refusedEvent({ add, remove }: Change, said: string): Event {
  const adds = add.length > 0 ? [`add ${names(add)}`] : [];
  const removes = remove.length > 0 ? [`remove ${names(remove)}`] : [];
  const what = [...adds, ...removes].join(' and to ');
  const note = `The API refused to ${what}, of which a part may have been done: ${said}. They are sent one at a time`;
  return { type: 'Warning', reason: 'ChangeRefused', note };
}

/** What another API holds can be neither seen nor removed here. */
export function relocatedEvents(ours: readonly Tuple[]): readonly Event[] {
  const before =
    '--api-url has changed since these private endpoints were sent, so they are no longer tracked as this object’s:';
  const after = `${STAY}. To own those that spec lists again, set spec.adoptPrivateEndpoints to true`;
  return namingAll(ours, ['OwnershipLost', before, after]);
}

/** What is left at the API when a deleted object is let go. */
export function leftEvents(
  organizationId: string,
  abandoned: readonly Tuple[],
  keptForOthers: readonly Tuple[],
  because: string,
): readonly Event[] {
  const before = `Deleted${because}. Private endpoints of organization ${organizationId} that may be left at the API:`;
  const after = 'If they are not wanted, remove them at the API';
  const others = 'Another object lists these private endpoints:';
  return [
    ...namingAll(keptForOthers, ['EndpointLeft', others, STAY]),
    ...namingAll(abandoned, ['CleanupAbandoned', before, after]),
  ];
}

/** What this object has changed, but not with its first attempt: the object says that already. */
export function changeEvents(
  changes: readonly FieldChange[],
  requestId: string | undefined,
): readonly Event[] {
  if (changes.length === 0) return [];
  const note = `Applied: ${described(changes)}${quoting(requestId)}`;
  return [{ type: 'Normal', reason: 'Applied', note }];
}

export function renamedEvents(renamed: readonly FieldChange[]): readonly Event[] {
  if (renamed.length === 0) return [];
  const note = `Changed at the API since the last response, not by the operator: ${described(renamed)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}

/** `name A → B, added psc-1, removed psc-2`. */
function described(changes: readonly FieldChange[]): string {
  const parts = changes.map(({ field, from = '', to }) => {
    if (to === undefined) return `removed ${field}`;
    return field === 'name' ? `name ${from} → ${to}` : `added ${field}`;
  });
  return parts.join(', ');
}
