import type { Copy } from './copy.ts';
import type { Mutation, UnitTest } from './mutation.ts';
import { endsOf, runTests } from './unit-tests.ts';

/** `seen`: what is named fails as it should. Otherwise what happened in its place. */
export type Verdict = { readonly seen: true } | { readonly seen: false; readonly why: string };

const SEEN: Verdict = { seen: true };
const not = (why: string): Verdict => ({ seen: false, why });

/** What does not hold without any change: by name of the mutation. */
export async function judgeUnchanged(
  mutations: readonly Mutation[],
  copy: Copy,
): Promise<ReadonlyMap<string, string>> {
  const report = await runTests(
    copy.folder,
    mutations.map(({ seenBy }) => seenBy),
  );
  const wrong = new Map<string, string>();
  for (const { name, seenBy } of mutations) {
    const ends = endsOf(report, seenBy);
    const failed = ends.find(({ state }) => state !== 'passed');
    if (ends.length === 0) wrong.set(name, `there is no test "${seenBy.title}" in ${seenBy.test}`);
    else if (failed) wrong.set(name, `"${failed.title}" in ${seenBy.test} does not pass unchanged`);
  }
  return wrong;
}

/** Makes the change in a copy, and looks whether what is named fails. */
export async function judge(mutation: Mutation, copy: Copy): Promise<Verdict> {
  try {
    return await copy.changed(mutation, () => judgeTest(copy, mutation.seenBy));
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
