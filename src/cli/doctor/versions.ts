import type { Shell } from '../shell.ts';
import { HELM_COMMAND, upgrade } from './installation.ts';
import { operatorName } from './leading.ts';
import type { Operator } from './pairing.ts';
import type { Report } from './report.ts';
import { quoted } from './words.ts';

/** The version of an operator that is newer than this plugin; undefined: none is. */
export function newerOperator(operators: readonly Operator[], version: string): string | undefined {
  return operators
    .flatMap(({ announced }) => announced?.version ?? [])
    .find((one) => (compareReleases(one, version) ?? 0) > 0);
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
    if (order === undefined) {
      const why = 'one of them is no version like 1.2.3, so which is older is not known';
      report.cannot(
        'version',
        `${both}: ${why}. Use the plugin that the image of the operator has: start it with the argument plugin.`,
      );
      continue;
    }
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
        ? `${both}. ${HELM_COMMAND}`
        : `${both}: upgrade the operator the way it was installed, or use the plugin of its version.`,
      ...(helm && { command: upgrade(helm, [], shell) }),
    };
    report.find(finding, operator);
  }
}

/** As semver has it, but for the zeros in front. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?$/i;

/**
 * As semver orders them: by their numbers, and a pre-release before its release. Undefined where
 * one is no version.
 */
export function compareReleases(a: string, b: string): number | undefined {
  if (a === b) return 0;
  const [one, other] = [VERSION.exec(a), VERSION.exec(b)];
  if (!one || !other) return undefined;
  const [before, after] = [one[4], other[4]];
  const order = compareParts(one.slice(1, 4), other.slice(1, 4));
  if (order !== 0 || before === after) return order;
  if (before === undefined || after === undefined) return before === undefined ? 1 : -1;
  return compareParts(before.split('.'), after.split('.'));
}

function compareParts(some: readonly string[], others: readonly string[]): number {
  for (const [at, part] of some.entries()) {
    const order = comparePart(part, others[at]);
    if (order !== 0) return order;
  }
  return some.length - others.length;
}

/** A number before a word, and nothing before all. */
function comparePart(one: string, other: string | undefined): number {
  if (other === undefined) return 1;
  const isNumber = [one, other].map((part) => /^\d+$/.test(part));
  if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -1 : 1;
  if (isNumber[0]) return Number(one) - Number(other);
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
