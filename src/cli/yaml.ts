import { stringify, type ToStringOptions } from 'yaml';
import { withEscapes } from '../api/text.ts';

/**
 * Block-style YAML of plain JSON data, ending in a newline. A sentence stays on one line, so that a
 * changed word shows as one changed line. What YAML 1.1 takes for something else (`yes`, `0o7`) is
 * quoted, because kubectl and Helm read that version.
 */
export function toYaml(data: object, more: ToStringOptions = {}): string {
  return stringify(data, {
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    ...more,
  });
}

/** Lines of it; in quotes only where something needs an escape so as not to steer the terminal. */
export function printableYaml(data: object): readonly string[] {
  const plain = toYaml(data);
  const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;
  const yaml = withEscapes(plain) === plain ? plain : withEscapes(toYaml(data, quoted));
  return yaml.trimEnd().split('\n');
}
