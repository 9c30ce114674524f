import type { Shell } from '../shell.ts';
import { declaredLines } from './declared-lines.ts';
import { endpointLines } from './endpoint-lines.ts';
import type { Facts } from './facts.ts';
import { nextLines } from './next-lines.ts';
import { confirmedLines, differenceLines, driftLines, recordLines } from './reported-lines.ts';
import { historyLines, planLines, triedLines } from './request-lines.ts';
import { ended, sentence, stamp } from './wording.ts';

export interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

export interface Story {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** The facts in plain words. What there is nothing to say of is left out. */
export function storyOf(facts: Facts, now: number, shell: Shell): Story {
  const sections: Section[] = [
    { heading: 'How it stands', lines: standingLines(facts, now) },
    { heading: 'Who has to act', lines: actsLines(facts) },
    { heading: 'What happens next', lines: nextLines(facts, now, shell) },
    { heading: 'What is declared', lines: declaredLines(facts, now) },
    { heading: 'What the API last confirmed', lines: confirmedLines(facts, now) },
    { heading: 'What differs from what is declared', lines: differenceLines(facts) },
    { heading: 'What somebody else changed', lines: driftLines(facts, now) },
    { heading: 'What was tried last', lines: triedLines(facts, now) },
    { heading: 'What would be sent', lines: planLines(facts, now) },
    { heading: 'Private endpoints', lines: endpointLines(facts, now) },
    { heading: 'The record', lines: recordLines(facts, shell) },
    { heading: 'What was changed, newest first', lines: historyLines(facts, now) },
  ];
  return {
    title: `${facts.kind} ${facts.name} in namespace ${facts.namespace}`,
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

function standingLines(facts: Facts, now: number): string[] {
  return [inShort(facts, now), ended(facts.message)];
}

function inShort({ state, reason, ready, stalled, deletedAt }: Facts, now: number): string {
  switch (state) {
    case 'Ready':
      return 'Ready.';
    case 'Stalled':
      return `Stalled (${reason}): a person must act.`;
    case 'Not ready':
      return `Not ready (${reason}): the operator continues by itself.`;
    case 'Waiting':
      return 'Waiting for the operator.';
    case 'Suspended':
      return `Suspended, ${ready ? 'ready' : 'not ready'}.`;
    case 'Planned':
      return `In Plan mode, ${ready ? 'ready' : 'not ready'}.`;
    case 'Deleting': {
      const since = deletedAt === undefined ? '' : ` since ${stamp(deletedAt, now)}`;
      return `Being deleted${since}${stalled ? `; stalled (${reason}): a person must act` : ''}.`;
    }
  }
}

function actsLines({ acts }: Facts): string[] {
  if (!acts || acts.who === 'nobody') return [];
  return [sentence(acts.who), sentence(acts.means), `What to do: ${acts.todo}`];
}
