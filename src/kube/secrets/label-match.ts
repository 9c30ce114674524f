import type { KubeObject } from '../resource.ts';

/** The commas inside the brackets of a set part its values, not the requirements. */
const BETWEEN_REQUIREMENTS = /,(?![^()]*\))/;
const REQUIREMENT = /^(!?)([^\s!=]+)(?:(!?=)(.*)| (in|notin) \((.*)\))?$/;

/** One requirement of a selector on one label. */
export interface Requirement {
  readonly key: string;
  /** The label must have one of these; without them, any value will do. */
  readonly values?: readonly string[];
  /** The label must not be so, and may be missing. */
  readonly not: boolean;
}

/**
 * The requirements of a selector in the spelling of `config/label-selector.ts`; one that is none
 * has an empty key.
 */
function requirementsOf(selector: string): readonly Requirement[] {
  return selector.split(BETWEEN_REQUIREMENTS).map((text) => {
    const [, not, key = '', equals, value = '', set, values = ''] = REQUIREMENT.exec(text) ?? [];
    if (equals !== undefined) return { key, values: [value], not: equals === '!=' };
    if (set !== undefined) return { key, values: values.split(','), not: set === 'notin' };
    return { key, not: not === '!' };
  });
}

/**
 * Whether labels fit a selector. As in Kubernetes, `!=` and `notin` are also true of what has no
 * such label. False for what is no selector.
 */
export function selects(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return requirementsOf(selector).every(({ key, values, not }) => {
    if (key === '') return false;
    const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
    const isThere = label !== undefined && (values?.includes(label) ?? true);
    return isThere !== not;
  });
}

/** Why the operator uses no such Secret; undefined: it does. */
export function notSelected({ metadata }: KubeObject, selector: string): string | undefined {
  if (selects(selector, metadata.labels ?? {})) return undefined;
  return `The Secret "${metadata.name}" has not the labels without which the operator reads none (--secret-selector ${selector}). Label it, or name one in spec.credentialsSecretRef that has them; the operator continues at once`;
}
