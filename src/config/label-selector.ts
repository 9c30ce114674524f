const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const PREFIX =
  '(?=[^/]{1,253}/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/';
const KEY = `(?:${PREFIX})?${NAME}`;

const EQUALITY = new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*(${NAME})?$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(\\s*(${NAME}(?:\\s*,\\s*${NAME})*)\\s*\\)$`);
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`);
/** The commas inside the brackets of a set part its values, not the requirements. */
const BETWEEN_REQUIREMENTS = /,(?![^()]*\))/;

/** One spelling of all that mean the same, or the requirement that cannot be read. */
export type ReadSelector = { readonly canonical: string } | { readonly unreadable: string };

/** Reads a label selector, equality and set-based, as the list call of Kubernetes takes it. */
export function readLabelSelector(text: string): ReadSelector {
  const requirements = new Set<string>();
  for (const part of text.split(BETWEEN_REQUIREMENTS)) {
    const requirement = readRequirement(part.trim());
    if (requirement === undefined) return { unreadable: part.trim() };
    requirements.add(requirement);
  }
  return { canonical: [...requirements].toSorted().join(',') };
}

function readRequirement(part: string): string | undefined {
  const equality = EQUALITY.exec(part);
  if (equality) {
    const [, key = '', operator, value = ''] = equality;
    return `${key}${operator === '!=' ? '!=' : '='}${value}`;
  }
  const set = SET.exec(part);
  if (set) {
    const [, key = '', operator = '', values = ''] = set;
    const distinct = [...new Set(values.split(/\s*,\s*/))];
    return `${key} ${operator} (${distinct.toSorted().join(',')})`;
  }
  const existence = EXISTENCE.exec(part);
  return existence ? `${existence[1] ?? ''}${existence[2] ?? ''}` : undefined;
}
