import type { Notice } from '../../../controller/kind.ts';
import type { Tuple } from '../endpoints/endpoints.ts';
import { withPlace } from '../endpoints/wording.ts';
import type { Remark } from './ledger.ts';

/** Longest note of an event, in code points, with room for what stands around the names. */
const LONGEST_NAMES = 700;

interface Words {
  readonly type: Notice['type'];
  readonly reason: string;
  readonly before: string;
  readonly after: string;
}

const ADOPT = 'To own it, set spec.adoptPrivateEndpoints to true';
const NEVER_REMOVES = `This object does not remove it. ${ADOPT}`;
const REMOVES_NO_MORE = `This object no longer removes it. ${ADOPT}`;

function unknownOwner(before: string, after: string): Words {
  return { type: 'Warning', reason: 'OwnershipUnknown', before, after };
}

const WORDS: Readonly<Record<Remark, Words>> = {
  'maybe-ours': unknownOwner(
    'Found long after a request that got no response; that request or somebody else may have added it:',
    NEVER_REMOVES,
  ),
  'refused-but-there': unknownOwner(
    'The API refused the request, but the private endpoint exists; that request may have added it:',
    NEVER_REMOVES,
  ),
  'given-up': {
    type: 'Warning',
    reason: 'AddNotConfirmed',
    before: 'Sent but never seen in the list of the API:',
    after: 'If it appears later, it does not belong to this object',
  },
  'never-sent': unknownOwner(
    'Recorded as added by a request of this object that was never sent:',
    NEVER_REMOVES,
  ),
  'came-back': unknownOwner(
    'Was missing from the list of the API and is listed again; somebody else may have added it:',
    REMOVES_NO_MORE,
  ),
  'maybe-still-ours': unknownOwner(
    'Still listed long after a request to remove it that got no response; somebody else may have added it again:',
    REMOVES_NO_MORE,
  ),
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

export function remarkNotices(
  remarks: readonly { readonly remark: Remark; readonly tuple: Tuple }[],
): Notice[] {
  return Object.entries(WORDS).flatMap(([remark, words]) =>
    namingAll(
      remarks.flatMap((one) => (one.remark === remark ? [one.tuple] : [])),
      words,
    ),
  );
}

/** Notes that name every one of them in full, as many notes as that takes. */
export function namingAll(
  tuples: readonly Tuple[],
  { type, reason, before, after }: Words,
): Notice[] {
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
