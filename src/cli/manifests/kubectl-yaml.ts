import type { ScalarTag, Tags } from 'yaml';

/**
 * YAML as kubectl reads it: version 1.1, in which `yes` is true and `0123` a number, but without
 * its times and its numbers to the base 60, and with the octal numbers of 1.2.
 */
export const KUBECTL_YAML = {
  version: '1.1',
  customTags: (tags: Tags): Tags => [
    ...tags.filter((tag) => typeof tag === 'string' || !isNoneOfKubectl(tag)),
    OCTAL,
    LEADING_ZERO,
  ],
} as const;

function isNoneOfKubectl(tag: Exclude<Tags[number], string>): boolean {
  const { format } = tag as { readonly format?: string };
  return tag.tag === 'tag:yaml.org,2002:timestamp' || format === 'TIME';
}

const INT = 'tag:yaml.org,2002:int';
const neverWritten = { identify: () => false, default: true } as const;

const OCTAL: ScalarTag = {
  ...neverWritten,
  tag: INT,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => Number.parseInt(text.replace('0o', '').replaceAll('_', ''), 8),
};

/** No octal number, as it has an 8 or a 9. */
const LEADING_ZERO: ScalarTag = {
  ...neverWritten,
  tag: INT,
  test: /^[-+]?0[0-9]*[89][0-9]*$/,
  resolve: (text) => Number(text),
};
