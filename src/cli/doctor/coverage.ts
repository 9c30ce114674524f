import { selects } from '../../kube/secrets/label-match.ts';
import { type Found, shortNameOf } from '../cluster/objects.ts';
import type { Shell } from '../shell.ts';
import { setNamespacesCommand } from './installation.ts';
import { operatorName } from './leading.ts';
import type { Operator, Works } from './pairing.ts';
import type { Report } from './report.ts';
import { labelsFor } from './selector-labels.ts';
import { grouped, listed, objectsNamed } from './words.ts';

/** An operator of which it is known what it works on. */
export type Working = Operator & { readonly works: Works };

/** Which objects no operator works on, and whether for their namespace or for their labels. */
function uncovered(
  objects: readonly Found[],
  operators: readonly Working[],
): { readonly unwatched: readonly Found[]; readonly unselected: readonly Found[] } {
  const unwatched: Found[] = [];
  const unselected: Found[] = [];
  for (const found of objects) {
    const watching = operators.filter((one) => watches(one, found));
    if (watching.length === 0) unwatched.push(found);
    else if (!watching.some((one) => takes(one, found))) unselected.push(found);
  }
  return { unwatched, unselected };
}

function watches({ works: { namespaces } }: Working, { object }: Found): boolean {
  return namespaces.length === 0 || namespaces.includes(object.metadata.namespace);
}

function takes({ works: { selector } }: Working, { object }: Found): boolean {
  return selector === '' || selects(selector, object.metadata.labels ?? {});
}

/** The operator that works on an object. */
export function operatorOf(found: Found, operators: readonly Working[]): Working | undefined {
  return operators.find((one) => watches(one, found) && takes(one, found));
}

export interface CoverageCheck {
  readonly report: Report;
  readonly shell: Shell;
  /** Of the labels by which the objects were chosen, where they were. */
  readonly selector?: string;
}

/** Puts down the objects that no operator works on. */
export function judgeCoverage(
  objects: readonly Found[],
  operators: readonly Working[],
  options: CoverageCheck,
): void {
  const { report, shell } = options;
  const { unwatched, unselected } = uncovered(objects, operators);
  report.made('namespaces', 'selector');
  // Of several, one that can be told by a command.
  const operator = operators.find(({ deployment }) => deployment) ?? operators[0];
  if (unwatched.length > 0 && operator) {
    const names = [...new Set(unwatched.map(({ object }) => object.metadata.namespace))].toSorted();
    const wanted = [...new Set([...operator.works.namespaces, ...names])];
    const told = setNamespacesCommand(operator, wanted, shell);
    const finding = {
      check: 'namespaces' as const,
      object: listed(names.map((name) => `namespace/${name}`)),
      says: `${operatorName(operator)} works only in ${listed(operator.works.namespaces.map((name) => `namespace ${name}`))} (--namespaces). Nobody works on ${objectsNamed(unwatched)}. ${told.says}`,
      ...(told.command !== undefined && { command: told.command }),
    };
    report.find(finding, operator);
  }
  for (const group of grouped(unselected, ({ object }) => object.metadata.namespace))
    judgeSelection(group, { ...options, all: objects, operators });
}

/** From so many on they are not named in a command, where it can choose all of them. */
const MANY = 20;

function judgeSelection(
  group: readonly Found[],
  options: CoverageCheck & {
    readonly all: readonly Found[];
    readonly operators: readonly Working[];
  },
): void {
  const { all, operators, report, shell } = options;
  const [first] = group;
  const operator = first && operators.find((one) => watches(one, first));
  if (!operator) return;
  const { namespace } = first.object.metadata;
  const { selector } = operator.works;
  const labels = labelsFor(selector);
  const inNamespace = all.filter(({ object }) => object.metadata.namespace === namespace);
  const isWhole = group.length > MANY && group.length === inNamespace.length;
  const which = isWhole ? wholeOf(group, options.selector) : group.map(shortNameOf);
  const finding = {
    check: 'selector' as const,
    object:
      group.length > 1
        ? `namespace/${namespace}`
        : `${shortNameOf(first)} in namespace ${namespace}`,
    says: `${operatorName(operator)} works only on objects with the labels ${selector} (--selector). Nobody works on ${objectsNamed(group)}. Give ${group.length === 1 ? 'it' : 'them'} these labels; or, where it is to work on all objects, take its --selector away.`,
    ...(labels && {
      command: shell.kubectl('-n', namespace, 'label', ...which, ...labels, '--overwrite'),
    }),
  };
  report.find(finding, operator);
}

/** What was looked at and no more: `--all` would be the objects without these labels, too. */
function wholeOf(group: readonly Found[], selector: string | undefined): readonly string[] {
  const kinds = group.map(({ definition: { type } }) => `${type.plural}.${type.group}`);
  const those = selector === undefined ? ['--all'] : ['-l', selector];
  return [[...new Set(kinds)].join(','), ...those];
}
