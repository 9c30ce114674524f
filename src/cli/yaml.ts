import { stringify, type ToStringOptions } from 'yaml';
import { UNPRINTABLE } from '../text.ts';

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

/**
 * The text with an escape, as JSON reads it, for what could steer a terminal but the ends of lines.
 * It must stand in quotes. Above U+FFFF that is two halves: not every reader of YAML takes one.
 */
export function withEscapes(text: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(UNPRINTABLE, (sign) => (sign === '\n' ? sign : sign.replace(/./gs, escaped)));
}
