import type { KubeObject } from '../resource.ts';

/** The commas inside the brackets of a set part its values, not the requirements. */
const BETWEEN_REQUIREMENTS = /,(?![^()]*\))/;
const REQUIREMENT = /^(!?)([^\s!=]+)(?:(!?=)(.*)| (in|notin) \((.*)\))?$/;

/**
 * Whether labels fit a selector in the spelling of `config/label-selector.ts`. As in Kubernetes,
 * `!=` and `notin` are also true of what has no such label. False for what is no selector.
 */
export function selects(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return selector.split(BETWEEN_REQUIREMENTS).every((requirement) => fits(requirement, labels));
}

function fits(requirement: string, labels: Readonly<Record<string, string>>): boolean {
  const [, not, key = '', equals, value = '', set, values = ''] =
    REQUIREMENT.exec(requirement) ?? [];
  if (key === '') return false;
  const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (equals !== undefined) return (label === value) === (equals === '=');
  if (set !== undefined) {
    const isIn = label !== undefined && values.split(',').includes(label);
    return isIn === (set === 'in');
  }
  return (label !== undefined) === (not === '');
}

/** Why the operator uses no such Secret; undefined: it does. */
export function notSelected({ metadata }: KubeObject, selector: string): string | undefined {
  if (selects(selector, metadata.labels ?? {})) return undefined;
  return `The Secret "${metadata.name}" has not the labels without which the operator reads none (--secret-selector ${selector}). Label it, or name one in spec.credentialsSecretRef that has them; the operator continues at once`;
}
