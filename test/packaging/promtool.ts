import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { run } from './run.ts';

/** Values by label; what has none is left out. */
export type Labels = Readonly<Record<string, string>>;

/** A series in the notation of promtool's tests. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

/** What an expression gives at a time, such as `25m`. */
export interface Expected {
  readonly expr: string;
  readonly eval_time: string;
  readonly exp_samples: readonly { readonly labels: string; readonly value: number }[];
}

/** As PromQL writes a metric with these labels. */
export function metric(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(', ')}}`;
}

/**
 * What promtool has to say against the rules, given as files or as the spec of a PrometheusRule,
 * with one sample a minute; nothing where all is as expected.
 */
export async function complaintsOf({
  rules = [],
  input,
  expected,
}: {
  readonly rules?: readonly (string | object)[];
  readonly input: readonly Series[];
  readonly expected: readonly Expected[];
}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-rules-'));
  try {
    const ruleFiles = rules.map(async (one, index) => {
      if (typeof one === 'string') return resolve(one);
      const path = join(folder, `rules-${index}.yaml`);
      await writeFile(path, JSON.stringify(one));
      return path;
    });
    const tests = {
      rule_files: await Promise.all(ruleFiles),
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series: input, promql_expr_test: expected }],
    };
    const file = join(folder, 'tests.yaml');
    await writeFile(file, JSON.stringify(tests));
    const { code, stdout, stderr } = await run(await findProgram('promtool'), [
      'test',
      'rules',
      file,
    ]);
    return code === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
