import type { Copy } from './copy.ts';
import { liveIn } from './lives.ts';
import type { Life, Mutation, UnitTest } from './mutation.ts';
import { endsOf, runTests } from './unit-tests.ts';

/** `seen`: what is named fails as it should. Otherwise what happened in its place. */
export type Verdict = { readonly seen: true } | { readonly seen: false; readonly why: string };

const SEEN: Verdict = { seen: true };
const not = (why: string): Verdict => ({ seen: false, why });

export const isLife = (by: Mutation['seenBy']): by is Life => 'seed' in by;

/** What does not hold without any change: by name of the mutation. */
export async function judgeUnchanged(
  mutations: readonly Mutation[],
  [first, second]: readonly [Copy, Copy],
): Promise<ReadonlyMap<string, string>> {
  const named = mutations.map(({ name, seenBy }) => ({ name, by: seenBy }));
  const tests = named.flatMap(({ name, by }) => (isLife(by) ? [] : [{ name, by }]));
  const lives = named.flatMap(({ name, by }) => (isLife(by) ? [{ name, by }] : []));
  const [report, broken] = await Promise.all([
    tests.length === 0
      ? undefined
      : runTests(
          first.folder,
          tests.map(({ by }) => by),
        ),
    lives.length === 0
      ? undefined
      : liveIn(second.folder, [...new Set(lives.map(({ by }) => by.seed))]),
  ]);
  const wrong = new Map<string, string>();
  for (const { name, by } of tests) {
    const ends = report ? endsOf(report, by) : [];
    const failed = ends.find(({ state }) => state !== 'passed');
    if (ends.length === 0) wrong.set(name, `there is no test "${by.title}" in ${by.test}`);
    else if (failed) wrong.set(name, `"${failed.title}" in ${by.test} does not pass unchanged`);
  }
  for (const { name, by } of lives)
    if (broken?.get(by.seed)?.includes(by.breaks))
      wrong.set(name, `the life of seed ${by.seed} breaks "${by.breaks}" unchanged`);
  return wrong;
}

/** Makes the change in a copy, and looks whether what is named fails. */
export async function judge(mutation: Mutation, copy: Copy): Promise<Verdict> {
  const { seenBy } = mutation;
  try {
    return await copy.changed(mutation, () =>
      isLife(seenBy) ? judgeLife(copy, seenBy) : judgeTest(copy, seenBy),
    );
  } catch (error) {
    return not(error instanceof Error ? error.message : String(error));
  }
}

async function judgeTest(copy: Copy, by: UnitTest): Promise<Verdict> {
  const report = await runTests(copy.folder, [by]);
  const [broken] = report.broken;
  if (broken) return not(`${by.test} could not be loaded: ${broken.text}`);
  const errors = endsOf(report, by).flatMap((end) => end.errors);
  if (errors.length === 0) return not('it survives: the test passes');
  return errors.some(({ isAssertion }) => isAssertion)
    ? SEEN
    : not(`the test fails by no assertion: ${errors[0]?.text}`);
}

async function judgeLife(copy: Copy, { seed, breaks }: Life): Promise<Verdict> {
  const broken = (await liveIn(copy.folder, [seed])).get(seed) ?? [];
  if (broken.includes(breaks)) return SEEN;
  return not(
    `it survives: the life of seed ${seed} breaks ${broken.length === 0 ? 'nothing' : broken.join(', ')}`,
  );
}
