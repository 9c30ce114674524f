import type { Court } from './court.ts';
import { type Outcome, WAITS } from './outcome.ts';

export interface Allowance {
  /** How many PUTs more may leave: one for the mishap, or none. */
  readonly puts: number;
  /** Where it is not the plain life's end that counts, but any state that the API went through. */
  readonly throughStates?: ReadonlySet<string>;
}

/** What one attempt may send: a change of three items that is refused, and each of them. */
const MOST_OF_AN_ATTEMPT = 4;

/**
 * A life is held against the same life without its mishaps: what the API has, what the objects say,
 * and what left for the API must be the same.
 */
export function compare(court: Court, plain: Outcome, lived: Outcome, allowance: Allowance): void {
  const { puts, throughStates } = allowance;
  for (const [target, state] of Object.entries(lived.api)) {
    const wanted = plain.api[target] ?? 'nothing';
    if (state === wanted || throughStates?.has(`${target} ${state}`)) continue;
    court.report('differs api', target, `the API has ${state}, and without mishaps ${wanted}`);
  }
  for (const key of new Set([...Object.keys(plain.objects), ...Object.keys(lived.objects)])) {
    const [wanted, found] = [plain.objects[key] ?? 'gone', lived.objects[key] ?? 'gone'];
    if (wanted !== found)
      court.report(
        'differs object',
        key,
        `it ends as\n${found}\nand without mishaps as\n${wanted}`,
      );
  }
  for (const [key, count] of Object.entries(lived.counts)) {
    const before = plain.counts[key] ?? 0;
    const isPut = key.startsWith('PUT ');
    const more = isPut ? puts : key.startsWith('change ') ? MOST_OF_AN_ATTEMPT : 0;
    if (count > before + more && (isPut || !throughStates))
      court.report('differs count', key, `${count}, and without mishaps ${before}`);
  }
}

/** The same for lives in which much happens: what depends on no moment. */
export function compareEnds(court: Court, plain: Outcome, lived: Outcome): void {
  for (const key of new Set([...Object.keys(plain.ends), ...Object.keys(lived.ends)])) {
    const [wanted, found] = [plain.ends[key] ?? 'gone', lived.ends[key] ?? 'gone'];
    if (wanted !== found && wanted !== WAITS && found !== WAITS)
      court.report('differs end', key, `it ends as ${found}, and without mishaps as ${wanted}`);
  }
}
