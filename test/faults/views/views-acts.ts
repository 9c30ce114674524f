import type { Stage } from '../stage.ts';
import { type Sort, type Subject, subjectOf } from './views-subjects.ts';

/**
 * What users do to an object. A number is a wish; `heir` makes another object for the same pipe or
 * organization.
 */
export type Act = `${'make' | 'change' | 'suspend' | 'heir'} ${number}` | 'remove';

/** An object, and the one that is to have its pipe or organization after it. */
export interface Cast {
  readonly subject: Subject;
  readonly heir: Subject;
}

export function castOf(
  stage: Pick<Stage, 'namespace' | 'simulator'>,
  sort: Sort,
  name: string,
): Cast {
  return {
    subject: subjectOf(stage, sort, name),
    heir: subjectOf(stage, sort, `${name}-heir`, name),
  };
}

/** Does it; nobody need have noticed yet. */
export async function perform({ subject, heir }: Cast, act: Act): Promise<void> {
  const [verb = '', what = ''] = act.split(' ');
  const wish = Number(what);
  switch (verb) {
    case 'make':
      return subject.make(wish);
    case 'change':
      return subject.change(wish);
    case 'suspend':
      return subject.change(wish, { suspend: true });
    case 'heir':
      return heir.make(wish);
    default:
      return subject.remove();
  }
}

/** Waits until an operator that sees everything has done what it does after these acts. */
export async function dealtWith({ subject, heir }: Cast, acts: readonly Act[]): Promise<void> {
  const { last, wish, heirWish } = summaryOf(acts);
  if (last === 'remove') {
    await subject.untilGone();
    if (heirWish !== undefined) await heir.untilWish(heirWish);
    return;
  }
  if (last === 'suspend') return subject.until('Suspended');
  if (wish !== undefined) await subject.untilWish(wish);
  if (heirWish !== undefined) await heir.until('TargetConflict');
}

/** The wish that stands in the end; `last`: the last that was done to the object itself. */
function summaryOf(acts: readonly Act[]): {
  readonly last: string | undefined;
  readonly wish: number | undefined;
  readonly heirWish: number | undefined;
} {
  let last: string | undefined;
  let wish: number | undefined;
  let heirWish: number | undefined;
  for (const act of acts) {
    const [verb, what] = act.split(' ');
    if (verb === 'heir') heirWish = Number(what);
    else {
      last = verb;
      wish = verb === 'remove' ? undefined : Number(what);
    }
  }
  return { last, wish, heirWish };
}
