import { PROOF_OUTLASTS_MS } from '../../waits.ts';
import type { Shell } from '../shell.ts';
import { age } from '../words.ts';
import type { Facts } from './facts.ts';
import { commandFor, stamp } from './wording.ts';

export function nextLines(facts: Facts, now: number, shell: Shell): string[] {
  const { keyUnusableSince, retryRequested } = facts;
  return [
    nextLine(facts, now, shell),
    ...(retryRequested ? ['Somebody has asked for another try, which is still to be made.'] : []),
    ...(keyUnusableSince === undefined
      ? []
      : [
          `The key has been unusable since ${stamp(keyUnusableSince, now)}. After ${age(PROOF_OUTLASTS_MS)} another object for the same pipe or organization can take over.`,
        ]),
  ];
}

function nextLine(facts: Facts, now: number, shell: Shell): string {
  const { next, ready, state } = facts;
  const before =
    state === 'Deleting'
      ? 'The operator removes the private endpoints of this object, then lets it go. '
      : '';
  switch (next.waitsFor) {
    case 'time': {
      const when = stamp(next.time, now);
      if (ready) return `The declared state is sent again at ${when}.`;
      return `${before}The operator tries again at ${when}, or when the spec is edited.${toTryNow(facts, shell)}`;
    }
    case 'operator':
      return `${before}The operator acts as soon as its turn comes. If it does not, find out why: ${shell.plugin('doctor')}`;
    case 'person':
      return `Nothing is scheduled. The operator continues when what is wrong has been corrected.${toTryNow(facts, shell)}`;
    case 'change':
      return atRest(facts, shell);
    case 'finalizers':
      return 'Nothing. Pipewright makes no more calls for it.';
  }
}

/** What only an edit, another object or the passing of time can end is not to be hurried. */
function toTryNow(facts: Facts, shell: Shell): string {
  const isOfNoUse = ['SpecInvalid', 'TargetConflict', 'RateLimited'].includes(facts.reason);
  return isOfNoUse ? '' : ` To try now: ${commandFor(facts, 'retry', shell)}`;
}

function atRest(facts: Facts, shell: Shell): string {
  if (facts.state === 'Suspended')
    return `Nothing, until it is resumed: ${commandFor(facts, 'resume', shell)}`;
  if (facts.state === 'Planned') return 'Nothing is sent. An edit of the spec makes a new plan.';
  if (facts.kind === 'Activity') return 'Nothing: a record is fetched once and kept.';
  return `Nothing, until the spec is edited. To send the declared state again: ${commandFor(facts, 'retry', shell)}`;
}
