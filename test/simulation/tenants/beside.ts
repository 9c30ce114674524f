import type { Court } from '../invariants/court.ts';
import type { Life, LifeOptions } from '../life/life.ts';
import { live } from '../life/run.ts';
import { type Account, Bookkeeper, type Left } from './account.ts';
import { Tenants } from './tenants.ts';

/**
 * So much later than without A a call of B may leave: whoever is older is let try first for 10 s
 * where nobody is proven, and what A has in line for workers is before it.
 */
const LATEST_MS = 12_000;
/** So many more calls of B for one target, all of which change nothing: see ../README.md. */
const MOST_MORE = 3;
const LOOK = `PATCH ${JSON.stringify({ privateEndpoints: { add: [], remove: [] } })}`;

type Options = LifeOptions & { readonly listen?: (life: Life) => void };

/** Lives a life of two tenants, and once more without A. What differs for B is a breach. */
export async function liveBeside(options: Options): Promise<Court> {
  const { account: alone } = await kept(options, true);
  const { account: beside, court } = await kept(options, false);
  // A life that was broken off has shown what it has to show.
  if (!alone || !beside) return court;
  for (const { rule, subject, text } of differences(alone, beside))
    court.report(rule, subject, text);
  return court;
}

async function kept(
  { listen, ...options }: Options,
  isAlone: boolean,
): Promise<{ readonly account: Account | undefined; readonly court: Court }> {
  const books: Bookkeeper[] = [];
  const court = await live({
    ...options,
    opponent: (life) => new Tenants(life, isAlone),
    listen: (life) => {
      books.push(new Bookkeeper(life));
      if (!isAlone) listen?.(life);
    },
  });
  return { account: books[0]?.account, court };
}

interface Difference {
  readonly rule: string;
  readonly subject: string;
  readonly text: string;
}

/** What is otherwise for B because of A. */
function differences(alone: Account, beside: Account): Difference[] {
  return [
    ...differing('objects', alone.objects, beside.objects),
    ...differing('api', alone.api, beside.api),
    ...differing('events', alone.events, beside.events),
    ...differing('calls', changesOf(alone), changesOf(beside)),
    ...otherwisePaced(alone, beside),
  ];
}

function differing(
  what: string,
  alone: ReadonlyMap<string, string>,
  beside: ReadonlyMap<string, string>,
): Difference[] {
  return [...new Set([...alone.keys(), ...beside.keys()])].flatMap((subject) => {
    const [one, other] = [alone.get(subject) ?? 'none', beside.get(subject) ?? 'none'];
    if (one === other) return [];
    const from = firstDifference(one, other);
    const shown = (text: string): string => `…${text.slice(Math.max(0, from - 80), from + 200)}…`;
    const text = `${subject} is otherwise because of tenant A: ${shown(one)} without, and ${shown(other)} with A`;
    return [{ rule: `tenants ${what}`, subject, text }];
  });
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** What B's calls change, each once where it is sent again and again; looks change nothing. */
function changesOf({ calls }: Account): Map<string, string> {
  return new Map(
    [...calls].map(([target, all]) => {
      const texts = all.map(({ text }) => text).filter((text) => text !== LOOK);
      return [target, texts.filter((text, index) => text !== texts[index - 1]).join('; ')];
    }),
  );
}

/** B's pace: how many calls there are, and when each leaves. */
function otherwisePaced(alone: Account, beside: Account): Difference[] {
  return [...beside.calls].flatMap(([subject, calls]) => {
    const without = alone.calls.get(subject) ?? [];
    const more = calls.length - without.length;
    if (more < 0 || more > MOST_MORE) {
      const text = `${calls.length} calls for ${subject} leave because of tenant A, and ${without.length} without A`;
      return [{ rule: 'tenants pace', subject, text }];
    }
    const late = latest(without, calls);
    if (late <= LATEST_MS) return [];
    const text = `a call for ${subject} leaves ${late / 1_000} s later because of tenant A`;
    return [{ rule: 'tenants late', subject, text }];
  });
}

/** By how much the latest call is late: each against the first one that says the same, in order. */
function latest(alone: readonly Left[], beside: readonly Left[]): number {
  let late = 0;
  let from = 0;
  for (const { text, at } of alone) {
    const index = beside.findIndex((one, place) => place >= from && one.text === text);
    const found = beside[index];
    if (!found) continue;
    from = index + 1;
    late = Math.max(late, found.at - at);
  }
  return late;
}
