import { stringify } from 'yaml';

/**
 * Block-style YAML of plain JSON data, ending in a newline. A sentence stays on one line, so that a
 * changed word shows as one changed line. What YAML 1.1 takes for something else (`yes`, `0o7`) is
 * quoted, because kubectl and Helm read that version.
 */
export function toYaml(data: object): string {
  return stringify(data, {
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
}
