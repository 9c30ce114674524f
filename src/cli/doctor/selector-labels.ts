import { type Requirement, requirementsOf } from '../../kube/secrets/label-match.ts';

/**
 * What `kubectl label` is to be given so that an object fits a selector, in the spelling of
 * `config/label-selector.ts`: a value for each label that must be there, and `key-` where one must
 * go. Undefined where no labels fit.
 */
export function labelsFor(selector: string): readonly string[] | undefined {
  const byKey = Map.groupBy(requirementsOf(selector), ({ key }) => key);
  const labels = [...byKey].map(([key, requirements]) => labelFor(key, requirements));
  return labels.every((label) => label !== undefined) ? labels : undefined;
}

function labelFor(key: string, requirements: readonly Requirement[]): string | undefined {
  const isFit = (value: string): boolean =>
    requirements.every(({ values, not }) => (values?.includes(value) ?? true) !== not);
  const wanted = requirements.filter(({ not }) => !not);
  if (key === '') return undefined;
  if (wanted.length === 0) return `${key}-`;
  const value = [...wanted.flatMap(({ values = [] }) => values), 'true', 'yes'].find(isFit);
  return value === undefined ? undefined : `${key}=${value}`;
}
