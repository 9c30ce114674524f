import type { Shell } from '../shell.ts';
import { CHART, upgrade } from './installation.ts';
import { operatorName } from './leading.ts';
import type { Operator } from './pairing.ts';
import type { Report } from './report.ts';
import { quoted } from './words.ts';

/** The version of an operator that is newer than this plugin; undefined: none is. */
export function newerOperator(operators: readonly Operator[], version: string): string | undefined {
  return operators
    .flatMap(({ announced }) => announced?.version ?? [])
    .find((one) => compareReleases(one, version) > 0);
}

/** Puts down the operators of another version than this plugin. */
export function judgeVersions(
  operators: readonly Operator[],
  options: { readonly report: Report; readonly shell: Shell; readonly version: string },
): void {
  const { report, shell, version } = options;
  report.made('version');
  for (const operator of operators) {
    const { deployment, announced, lease } = operator;
    const name = operatorName(operator);
    if (!announced) {
      const why = lease ? 'does not say so in its Lease' : 'has never led';
      report.cannot('version', `Which version ${name} has is not known: it ${why}.`);
      continue;
    }
    const order = compareReleases(announced.version, version);
    if (order === 0) continue;
    const both = `${name} has version ${quoted(announced.version)}, and this plugin ${version}`;
    if (order > 0) {
      report.find({
        check: 'version',
        says: `${both}: install the plugin of the operator's version. The image of the operator has it too: start it with the argument plugin.`,
      });
      continue;
    }
    const { helm } = deployment ?? {};
    const finding = {
      check: 'version' as const,
      says: helm
        ? `${both}. The command is for a checkout of this version, where the chart is (${CHART}).`
        : `${both}: upgrade the operator the way it was installed, or use the plugin of its version.`,
      ...(helm && { command: upgrade(helm, [], shell) }),
    };
    report.find(finding, operator);
  }
}

/** As versions are ordered: by their numbers, and a pre-release before its release. */
export function compareReleases(a: string, b: string): number {
  const [one, other] = [a, b].map((text) => {
    const [core = '', ...rest] = (text.split('+')[0] ?? '').split('-');
    return { numbers: core.split('.').map(Number), rest: rest.join('-') };
  });
  if (!one || !other) return 0;
  for (const [at, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.rest === other.rest) return 0;
  if (one.rest === '' || other.rest === '') return one.rest === '' ? 1 : -1;
  return one.rest < other.rest ? -1 : 1;
}
