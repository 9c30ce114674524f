import { shown } from '../shown.ts';
import type { Reading } from './flags.ts';

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const KEY = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${NAME}`;

/** What a requirement may look like, and the one spelling of all that mean the same. */
const FORMS: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [new RegExp(`^(!?)\\s*(${KEY})$`), (_, not, key) => `${not}${key}`],
  [new RegExp(`^(${KEY})\\s*==?\\s*((?:${NAME})?)$`), (_, key, value) => `${key}=${value}`],
  [new RegExp(`^(${KEY})\\s*!=\\s*((?:${NAME})?)$`), (_, key, value) => `${key}!=${value}`],
  [
    new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(\\s*(${NAME}(?:\\s*,\\s*${NAME})*)\\s*\\)$`),
    (_, key, operator, values = '') => `${key} ${operator} (${sorted(values.split(/\s*,\s*/))})`,
  ],
];

/** The commas inside the brackets of a set part its values, not the requirements. */
const BETWEEN_REQUIREMENTS = /,(?![^()]*\))/;

/**
 * A label selector, equality and set-based, in one spelling, so that equal shards are seen to be.
 */
export function labelSelector(text: string): Reading<string> {
  const parts = text.split(BETWEEN_REQUIREMENTS).map((part) => part.trim());
  const requirements = parts.map(inOneSpelling);
  const wrong = requirements.indexOf(undefined);
  if (wrong === -1) return { value: sorted(requirements.filter((one) => one !== undefined)) };
  return {
    problem: `${shown(text)} is not a label selector at requirement ${wrong + 1} of ${parts.length}; give requirements such as shard=a, tier!=test, env in (dev,qa), team, !legacy`,
  };
}

function inOneSpelling(requirement: string): string | undefined {
  const form = FORMS.find(([pattern]) => pattern.test(requirement));
  return form && requirement.replace(...form);
}

function sorted(texts: readonly string[]): string {
  return [...new Set(texts)].toSorted().join(',');
}
