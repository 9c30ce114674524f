import type { Event } from '../../controller/kind.ts';
import { quoting } from '../shared/common-status.ts';
import type { FieldChange } from '../shared/preview.ts';
import { type Change, names, type Tuple, withPlace } from './endpoints.ts';

/** Longest note of an event, in code points, with room for what stands around the names. */
const LONGEST_NAMES = 700;

/** The text has `%s` where the names stand. */
type Words = readonly [reason: string, text: string];

const ADOPT = 'set spec.adoptPrivateEndpoints to true';
const AGAIN = 'What spec lists is added again';
const UNSURE = `; this object or somebody else added them: %s. This object does not remove them. To own them, ${ADOPT}`;
const unsure = (are: string): Words => ['OwnershipUnknown', `Private endpoints ${are}${UNSURE}`];

const WORDS = {
  'maybe-ours': unsure('were found long after this object asked for them'),
  'refused-but-there': unsure('were at the API although it had refused them'),
  'came-back': unsure('were in the list of the API again after more than 15 minutes'),
  untracked: unsure('were at the API but not in status, although spec was applied before'),
  'not-confirmed': ['AddNotConfirmed', 'Sent, but never seen in the list of the API: %s'],
  vanished: ['DriftDetected', `Removed at the API, not by the operator: %s. ${AGAIN}`],
  left: ['EndpointLeft', 'Existed before spec listed it, and left spec: %s. It stays at the API'],
  'left-out': [
    'DriftDetected',
    `No response of the last 10 minutes had the list of private endpoints, so the list counts as empty. Before, it had: %s. ${AGAIN}`,
  ],
  relocated: [
    'OwnershipLost',
    `--api-url has changed since these private endpoints were sent, so they are no longer tracked as this object’s: %s. They stay at the API. To own those that spec lists again, ${ADOPT}`,
  ],
} as const satisfies Readonly<Record<string, Words>>;

export type Remark = keyof typeof WORDS;
export type Remarks = readonly { readonly remark: Remark; readonly tuple: Tuple }[];

export function remarkEvents(remarks: Remarks): readonly Event[] {
  return Object.entries(WORDS).flatMap(([remark, words]) => {
    const meant = remarks.filter((one) => one.remark === remark).map(({ tuple }) => tuple);
    return namingAll(meant, words);
  });
}

export function eventsOf(remark: Remark, tuples: readonly Tuple[]): readonly Event[] {
  return namingAll(tuples, WORDS[remark]);
}

/** What is left at the API when a deleted object is let go; `because` ends a sentence. */
export function abandonedEvents(organizationId: string, because: string, own: readonly Tuple[]) {
  const text = `Deleted${because}. Private endpoints of organization ${organizationId} that may be left at the API: %s. If they are not wanted, remove them at the API`;
  return namingAll(own, ['CleanupAbandoned', text]);
}

/** Notes that name every one of them in full, as many notes as that takes. */
function namingAll(tuples: readonly Tuple[], [reason, text]: Words): readonly Event[] {
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
  return notes.map((all) => ({ type, reason, note: text.replace('%s', () => all) }));
}

/** Nothing of this change is taken for done, but a part of it may have been. */
export function refusedEvent({ add, remove }: Change, said: string): Event {
  const what = [
    ...(add.length > 0 ? [`add ${names(add)}`] : []),
    ...(remove.length > 0 ? [`remove ${names(remove)}`] : []),
  ].join(' and to ');
  const note = `The API refused to ${what}, of which a part may have been done: ${said}. They are sent one at a time`;
  return { type: 'Warning', reason: 'ChangeRefused', note };
}

/** `Applied: name A → B, added psc-1, removed psc-2`. */
export function changeEvents(
  reason: 'Applied' | 'DriftDetected',
  changes: readonly FieldChange[],
  requestId?: string,
): readonly Event[] {
  if (changes.length === 0) return [];
  const parts = changes.map(({ field, from = '', to }) => {
    if (to === undefined) return `removed ${field}`;
    return field === 'name' ? `name ${from} → ${to}` : `added ${field}`;
  });
  const what = `${parts.join(', ')}${quoting(requestId)}`;
  if (reason === 'Applied') return [{ type: 'Normal', reason, note: `Applied: ${what}` }];
  return [{ type: 'Warning', reason, note: `Changed at the API, not by the operator: ${what}` }];
}
