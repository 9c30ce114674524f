import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** How one test ended. */
export interface TestEnd {
  /** Of its file, absolute. */
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly errors: readonly TestError[];
}

export interface TestError {
  /** It, or what caused it, is an assertion that did not hold. */
  readonly isAssertion: boolean;
  /** Its first line. */
  readonly text: string;
}

/** What the reporter writes into the file that MUTATION_REPORT names. */
export interface Report {
  readonly tests: readonly TestEnd[];
  /** Files that could not be loaded. */
  readonly broken: readonly { readonly file: string; readonly text: string }[];
}

/** Tells which tests failed, and whether by an assertion. */
export default class MutationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ moduleId: file, children }) =>
      [...children.allTests()].map((test): TestEnd => {
        const { state, errors = [] } = test.result();
        return { file, title: test.name, state, errors: errors.map(toError) };
      }),
    );
    const broken = modules.flatMap((module) =>
      module.errors().map((error) => ({ file: module.moduleId, text: toError(error).text })),
    );
    const report: Report = { tests, broken };
    writeFileSync(process.env.MUTATION_REPORT ?? 'report.json', JSON.stringify(report));
  }
}

function toError(error: SerializedError): TestError {
  const name = error.name ?? 'Error';
  return { isAssertion: isAssertion(error), text: `${name}: ${error.message.split('\n', 1)[0]}` };
}

function isAssertion({ name, cause }: SerializedError): boolean {
  return name === 'AssertionError' || (cause !== undefined && isAssertion(cause));
}
